"""How often the judge of solutions is wrong: it judges models, by their texts alone, whose verdict is known.

The models are the truth rewritten, and near misses (`srlib.expressions.truth.variants`). Where it says of one that is
equal that it differs, it rejects falsely; where it takes a near miss for a solution, it accepts falsely.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.store import Results, Store, Wanted
from srlib.assessing.tasks import VERSION, Task
from srlib.cache import Cache
from srlib.errors import InputError, ModelTextError
from srlib.expressions import parse
from srlib.expressions.truth.verdict import SOLUTIONS
from srlib.folders import written_whole
from srlib.problems import Problem, Problems, domain_of
from srlib.progress import ticker
from srlib.rules import Measure
from srlib.tablefiles import write_frame

LEVEL = 0.95
PAIRS = ["dataset", "kind", "equal", "outcome", "verdict", "proof", "detail", "truth", "model"]
RATES = ["by", "name", "error", "pairs", "wrong", "rate", "low", "high", "made_with"]
ERRORS = ("false accept", "false reject", "unknown")


@dataclass(frozen=True)
class Calibration:
    """What `calibrate` found.

    `pairs` has a row a model: dataset, kind, equal, outcome (right or one of `ERRORS`), verdict, proof, detail, truth
    and model. `rates` has a row for each error, over all pairs, by kind and by dataset: pairs that could be judged so,
    how many were, their rate, and the ends of its exact interval (Clopper and Pearson, 95%).
    """

    pairs: pd.DataFrame
    rates: pd.DataFrame

    def write(self, folder: str | Path) -> None:
        """Write pairs.csv and rates.csv."""
        with written_whole(folder, "calibrate") as new:
            write_frame(self.pairs, new / "pairs.csv")
            write_frame(self.rates, new / "rates.csv")


def calibrate(
    problems: Problems,
    measure: Measure,
    *,
    seed: int = 0,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
) -> Calibration:
    """Judge variants of every truth, each truth once.

    Parameters
    ----------
    problems : Problems
        Those without a truth, or whose truth is a form only, are left out.
    measure : Measure
        Its `solution_constants` is how constants are compared; with `free`, which needs a form, as digits of a form.
    seed : int
        Of the variants.
    cache, timeout, jobs
        As of `srlib.assessing.assess`.

    Raises
    ------
    InputError
        When no problem has a truth.
    """
    known = {p.known_truth: p for p in reversed(problems.problems) if p.known_truth is not None}
    asked = list(reversed(known.values()))
    if not asked:
        raise InputError(f"{problems.path}: no problem has a truth, so there is nothing to judge")
    store, rows = Store(cache, timeout, jobs), list[dict[str, Any]]()
    step = ticker(len(asked), "truths judged")

    def planned() -> Iterator[tuple[int, Wanted]]:
        for position, problem in enumerate(asked):
            given = {"domain": {n: list(ends) for n, ends in domain_of(problem).items()}}
            truth = parse(problem.known_truth or "", problem.features)
            settings = given | {"seed": seed}
            yield position, {"variants": (Task("variants", truth, settings), settings)}

    def then(position: int, results: Results) -> Wanted:
        if len(results) > 1 or results.get("variants", {}).get("status") != "ok":
            return {}
        return _comparisons(asked[position], results["variants"]["value"]["models"], measure)

    def finish(position: int, results: Results) -> None:
        rows.extend(_judged(asked[position], results))
        step("")

    store.work(planned(), finish, then)
    pairs = pd.DataFrame(rows, columns=PAIRS)
    pairs = pairs.sort_values(["dataset", "kind", "model"], ignore_index=True)
    return Calibration(pairs, rates(pairs, made_with(problems, measure)))


def made_with(problems: Problems, measure: Measure) -> str:
    """Name what error rates belong to: these problems, this reading of constants, this judge."""
    return f"{problems.digest[:12]} {measure.solution_constants}, judge {VERSION}"


def _comparisons(problem: Problem, models: list[dict[str, Any]], measure: Measure) -> Wanted:
    settings = {
        "truth": problem.known_truth,
        "features": problem.features,
        "domain": {name: list(ends) for name, ends in domain_of(problem).items()},
        "constants": measure.solution_constants,
    }
    wanted: Wanted = {}
    for number, model in enumerate(models):
        try:
            read = parse(model["text"], problem.features)
        except ModelTextError:
            continue
        wanted[str(number)] = Task("compare", read, settings), settings
    return wanted


def _judged(problem: Problem, results: Results) -> Iterator[dict[str, Any]]:
    made = results.pop("variants")
    if made["status"] != "ok":
        return
    for number, result in results.items():
        model = made["value"]["models"][int(number)]
        found = {"kind": "unknown", "evidence": {"proof": None}}
        if result["status"] == "ok":
            found = result["value"]
        yield {
            "dataset": problem.dataset,
            "kind": model["kind"],
            "equal": model["equal"],
            "outcome": _outcome(found["kind"], model["equal"]),
            "verdict": found["kind"],
            "proof": found["evidence"]["proof"],
            "detail": result["detail"],
            "truth": problem.known_truth,
            "model": model["text"],
        }


def _outcome(verdict: str, equal: bool) -> str:
    if verdict == "unknown":
        return "unknown"
    if (verdict in SOLUTIONS) == equal:
        return "right"
    return ERRORS[equal]


def rates(pairs: pd.DataFrame, made_with: str = "") -> pd.DataFrame:
    """Count the errors over all pairs, by kind and by dataset, with exact intervals.

    Examples
    --------
    >>> one = pd.DataFrame({"dataset": "d", "kind": "a sign", "equal": False, "outcome": ["right"] * 9})
    >>> rates(one)[["by", "error", "pairs", "wrong", "high"]].round(3).head(2).values.tolist()
    [['all', 'false accept', 9, 0, 0.336], ['all', 'unknown', 9, 0, 0.336]]
    """
    rows = []
    for by, groups in {"all": [("all", pairs)], "kind": None, "dataset": None}.items():
        for name, group in groups or pairs.groupby(by):
            for error in ERRORS:
                equal = {"false accept": [False], "false reject": [True]}.get(error, [True, False])
                able = group[group["equal"].isin(equal)]
                if len(able):
                    wrong = int((able["outcome"] == error).sum())
                    low, high = interval(wrong, len(able))
                    numbers = [len(able), wrong, wrong / len(able), low, high]
                    rows.append([by, name, error, *numbers, made_with])
    return pd.DataFrame(rows, columns=RATES)


def interval(count: int, total: int, level: float = LEVEL) -> tuple[float, float]:
    """Exact interval of a rate (Clopper and Pearson, 1934).

    Examples
    --------
    >>> [round(end, 4) for end in interval(0, 100)], [round(end, 4) for end in interval(2, 10)]
    ([0.0, 0.0362], [0.0252, 0.5561])
    """
    from scipy.stats import beta

    tail = (1 - level) / 2
    ends = beta.ppf([tail, 1 - tail], [count, count + 1], [total - count + 1, total - count])
    low, high = np.where(np.isnan(ends), [0.0, 1.0], ends)  # none or all of them: a bound
    return float(low), float(high)
