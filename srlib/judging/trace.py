"""Where a score comes from: run -> value -> aggregate -> rounded -> aspect rank -> score, from the scorer's records."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.values import Array
from srlib.judging.verdict import Judgement

ALL = "(all)"
FINAL = {"one_harmonic": "harmonic mean of all aspect ranks of {n} datasets"}

ABSENT = {
    "floor": "an absent run counts as its floor",
    "worst_value": "an absent run counts as the worst value seen here",
    "rest": "",
}


def explain(judgement: Judgement, method: str) -> pd.DataFrame:
    """Every step from a method's runs to its final score and place.

    Returns
    -------
    pandas.DataFrame
        What `trace` returns for each scored dataset after the column dataset; the last two rows are final_score and
        rank.

    Raises
    ------
    InputError
        When the method is not part of the judgement, or has no usable run.
    """
    scores = judgement.datasets[judgement.datasets["method"] == method]
    parts = [trace(judgement, method, name).assign(dataset=name) for name in scores["dataset"]]
    ranking = judgement.ranking.set_index("method")
    if method not in ranking.index:
        raise InputError(
            f"method {method!r} is not judged; judged: {', '.join(sorted(ranking.index))}"
        )
    if not parts:
        raise InputError(f"method {method!r} has no usable run, so there is no score to explain")
    note = FINAL.get(judgement.rules.judge.combine, "mean of {n} dataset scores").format(
        n=int(scores["score"].notna().sum())
    )
    last = {
        "step": ["final_score", "rank"],
        "aspect": "all",
        "value": ranking.loc[method, ["score", "rank"]]
        .astype("Float64")
        .to_numpy("float64", na_value=float("nan")),
        "note": [note, f"of {int(ranking['rank'].notna().sum())} methods, 1 is best"],
        "dataset": ALL,
    }
    table = pd.concat([*parts, pd.DataFrame(last).astype({"value": float})], ignore_index=True)
    return table[["dataset", "step", "aspect", "repetition", "value", "note"]]


def trace(judgement: Judgement, method: str, dataset: str) -> pd.DataFrame:
    """Every step from the runs of one method on one dataset to its score there.

    Returns
    -------
    pandas.DataFrame
        Columns step, aspect, repetition, value, note. The steps are run, absent (what an absent run counts as),
        run_rank (where each repetition is ranked), accuracy and reference_accuracy (of which a noise sensitivity is
        made), aggregate, rounded, aspect_rank and dataset_score.

    Raises
    ------
    InputError
        When the method or the dataset is not part of the judgement.
    """
    for name, column in ((method, "method"), (dataset, "dataset")):
        allowed = sorted(judgement.datasets[column].unique())
        if name not in allowed:
            raise InputError(f"{column} {name!r} is not judged; judged: {', '.join(allowed)}")
    block, records, screened = judgement.rules.judge, judgement.steps, judgement.screened
    rounded = "what is ranked"
    d, m = screened.datasets.index(dataset), screened.methods.index(method)
    runs = _of(judgement.measures, method, dataset)
    aspects = _of(judgement.aspects, method, dataset).set_index("aspect")
    place = f"of {len(screened.methods)} methods, {block.ties} ties, higher is better"
    if records.run_ranks is not None:
        rounded, place = (
            "not ranked itself, as each repetition is",
            f"mean of the ranks above, {place}",
        )
    if records.below[d, m]:
        place += f"; {records.below[d, m]} x below the minimal accuracy"
    rows: list[tuple[Any, ...]] = []
    for name, cell in aspects.iterrows():
        i = list(block.aspects).index(str(name))
        values = runs[runs["aspect"] == name].dropna(subset="value")
        texts = _texts(judgement, values)
        steps_here = [
            ("run", *run) for run in zip(values["repetition"], values["value"], texts, strict=True)
        ]
        absent = _left_over(records.filled[i, d, m], values["value"].to_numpy())
        steps_here += [("absent", None, value, ABSENT[block.incomplete]) for value in absent]
        if records.run_ranks is not None:
            labels = _repetitions(judgement, dataset)
            ranks = enumerate(records.run_ranks[i, d, m])
            steps_here += [
                ("run_rank", labels.get(n), r, "rank of this repetition")
                for n, r in ranks
                if r > -1
            ]
        how = f"{block.aggregate} of {len(values)} run{'s' * (len(values) != 1)}" + (
            f" and {len(absent)} absent" if absent else ""
        )
        if not len(values):
            how = "no run has a value"
            if block.aspects[str(name)].from_ == "property" and np.isfinite(cell["value"]):
                steps_here += _qualities(judgement, dataset, m)
                how = "|Q1 - Q2| / |n1 - n2| of the two accuracies, absent runs taken so that it is largest"
        steps_here += [
            ("aggregate", None, cell["value"], f"{how}, {cell['direction']} is better"),
            ("rounded", None, cell["value_rounded"], rounded),
            ("aspect_rank", None, cell["aspect_rank"], place),
        ]
        rows += [(step, name, *rest) for step, *rest in steps_here]
    score = _of(judgement.datasets, method, dataset)["score"].iloc[0]
    kind = "mean" if block.combine == "mean" else "harmonic mean"
    note = f"{kind} of {len(aspects)} aspect ranks"
    weights = ", ".join(f"{name} x {a.weight:g}" for name, a in block.aspects.items())
    note += f" ({weights})" if {a.weight for a in block.aspects.values()} != {1.0} else ""
    rows.append(("dataset_score", "all", None, score, note))
    table = pd.DataFrame(rows, columns=["step", "aspect", "repetition", "value", "note"])
    return table.astype({"repetition": "Int64", "value": "float64"})


def _of(table: pd.DataFrame, method: str, dataset: str) -> pd.DataFrame:
    return table[(table["method"] == method) & (table["dataset"] == dataset)]


def _left_over(filled: Array, runs: Array) -> list[float]:
    """Values of a cell that are those of no run."""
    rest = filled[np.isfinite(filled)].tolist()
    for value in runs:
        rest.remove(value)
    return rest


def _repetitions(judgement: Judgement, dataset: str) -> dict[int, int]:
    """Which repetition stands at which place of the scorer's arrays."""
    known = judgement.measures["repetition"].unique()
    if len(known) > judgement.rules.judge.repetitions:
        known = judgement.measures.loc[
            judgement.measures["dataset"] == dataset, "repetition"
        ].unique()
    return dict(enumerate(sorted(known)))


def _qualities(judgement: Judgement, dataset: str, method: int) -> list[tuple[Any, ...]]:
    """List the accuracies that a noise sensitivity is made of."""
    screened = judgement.screened
    reference = screened.problems[dataset].noise_reference or dataset
    sources = [aspect.from_ for aspect in judgement.rules.judge.aspects.values()]
    quality = judgement.steps.aggregated[sources.index("r2_test"), :, method]
    both = {"accuracy": dataset, "reference_accuracy": reference}
    at = {name: screened.datasets.index(name) for name in both.values()}
    levels = {name: screened.problems[name].noise_level for name in both.values()}
    return [
        (step, None, quality[at[name]], f"on {name}, noise {levels[name]:g}")
        for step, name in both.items()
    ]


def _texts(judgement: Judgement, values: pd.DataFrame) -> list[str]:
    """Give the runs' texts, shortened; those that do not give the stored predictions say so."""
    key = ["method", "dataset", "repetition"]
    usable = judgement.screened.usable
    found = values[key].merge(usable, on=key, how="left")
    texts = [
        text if len(text) <= 80 else text[:77] + "..."
        for text in found["model"].astype("str").fillna("")
    ]
    if "text_matches_predictions" not in found:
        return texts
    apart = found["text_matches_predictions"].astype("boolean").eq(False).fillna(False)
    judged = "text"
    if judgement.rules.measure.judged == "predictions":
        judged = "predictions"
    note = f"; text and stored predictions differ, the {judged} is judged"
    return [text + note * bool(differs) for text, differs in zip(texts, apart, strict=True)]
