"""The one model that stands for a method on a dataset when an expert judges.

Source: judging criteria, real-world track, step 1.
"""

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.run_values import KEY, measures_table
from srlib.judging.screening import screen
from srlib.judging.values import round_significant
from srlib.ledger import conserve, to_frame
from srlib.problems import Problems
from srlib.rules import Judge

CELL = ["method", "dataset"]


def representatives(
    assessments: pd.DataFrame, problems: Problems, judge: Judge
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, int]]:
    """Pick each method's most accurate run (or the median one, by the rules) on each dataset of the track real-world.

    Of equally accurate runs the simpler counts, then the earlier. The median of an even number of runs is the better
    of the two in the middle, as an expert can only look at a model that exists. Absent runs stand at the end of the
    order by `incomplete: floor`: where the median is one of them, the worst model is shown.

    Parameters
    ----------
    assessments : DataFrame
        Assessments contract.
    problems : Problems
        What the datasets are about.
    judge : Judge
        The rules' judge block; the aspects but for the property are what the expert sees.

    Returns
    -------
    chosen : DataFrame
        The rows of the assessments that were chosen, sorted by dataset and method, with a column for each aspect
        (transformed and rounded as the rules say) and the spread of all of the method's runs: `n_runs`, `r2_lowest`,
        `r2_median`, `r2_highest`, `complexity_lowest`, `complexity_highest`.
    ledger : DataFrame
        Every run that could not be used.
    counts : dict
        Runs `read`, `scored` (usable) and `excluded`, which add up.

    Raises
    ------
    InputError
        When no run is on such a dataset, or none can be used.
    """
    found = screen(assessments, problems, judge.model_copy(update={"tracks": ("real-world",)}))
    if found.usable.empty:
        raise InputError(
            f"no run of the track real-world can be used; first: {found.ledger[0]['detail']}"
        )
    aspects = {name: aspect for name, aspect in judge.aspects.items() if aspect.from_ != "property"}
    shown = judge.model_copy(update={"aspects": aspects})
    values = measures_table(found, shown).pivot(index=KEY, columns="aspect", values="value")  # noqa: PD010
    for name, aspect in aspects.items():
        if aspect.digits is not None:
            values[name] = round_significant(values[name].to_numpy()).round(aspect.digits) + 0.0
    values.columns = [str(name) for name in values.columns]
    runs = found.usable.merge(
        values.reset_index().astype({"method": "str", "dataset": "str"}), on=KEY
    )
    runs = runs.sort_values(["r2_test", "complexity", "repetition"], ascending=[False, True, True])
    cells = runs.groupby(CELL)
    spread = cells.agg(
        n_runs=("r2_test", "size"),
        r2_lowest=("r2_test", "min"),
        r2_median=("r2_test", "median"),
        r2_highest=("r2_test", "max"),
        complexity_lowest=("complexity", "min"),
        complexity_highest=("complexity", "max"),
    )
    usable = cells["r2_test"].transform("size")
    made = usable
    if judge.incomplete == "floor":
        tried = found.attempts.astype({name: "str" for name in CELL}).groupby(CELL).size()
        tried = tried.reindex(pd.MultiIndex.from_frame(runs[CELL])).to_numpy()
        made = usable.clip(lower=judge.repetitions).clip(lower=pd.Series(tried, usable.index))
    median = np.minimum((made - 1) // 2, usable - 1)
    wanted = 0 if judge.real_world.representative == "best" else median
    chosen = runs[cells.cumcount() == wanted].merge(spread.reset_index(), on=CELL)
    if "shown_model" in chosen:  # missing where choosing it took too long
        chosen["shown_model"] = chosen["shown_model"].fillna(chosen["model"])
    ledger = to_frame(found.ledger)
    chosen = chosen.sort_values(["dataset", "method"], ignore_index=True)
    return chosen, ledger, conserve(found.read, found.used, ledger)
