"""The canonical count against that of `sympy.simplify`: smaller, equal or larger, and the CPU of each.

    python -m tests.benchmarks.canonical [--sample 500] [--jobs 1]

The canonical count is taken of all distinct models of the feather and the field, sympy's of a fixed sample; both count
the operators, features and constants that are written. Needs the reference data.
"""

import argparse
import time
from typing import Any

import pandas as pd

from srlib.errors import SrlibError
from srlib.expressions import Expression, count_text, parse, simplify, to_text
from srlib.expressions.algebra.canonical import canonical
from srlib.expressions.algebra.work import OutOfWorkError
from srlib.workers import bounded_map
from tests.benchmarks.simplicity import LIMIT_S, WORK, models


def both(item: tuple[Expression, bool]) -> dict[str, Any]:
    """Count a model both ways, or one way; how long each took."""
    model, with_sympy = item
    start = time.process_time()
    found: dict[str, Any] = {"written": count_text(model), "canonical": canonical(model).complexity}
    found["canonical_s"] = time.process_time() - start
    if with_sympy:
        start = time.process_time()
        try:
            text = simplify(model, round_constants="never", work=WORK).text
            found["sympy"] = count_text(parse(text))
        except (OutOfWorkError, SrlibError):
            found["sympy"] = None
        found["sympy_s"] = time.process_time() - start
    return found


def seconds(item: tuple[Expression, bool]) -> float | None:
    """What sympy counts has a fork of its own."""
    if item[1]:
        return LIMIT_S
    return None


def measured(
    every: list[tuple[str, Expression]], sample: int, jobs: int
) -> tuple[pd.DataFrame, list[str]]:
    """Count all models, the first ones with sympy, too; and a line for each that has no answer."""
    tasks = [(model, place < sample) for place, (_, model) in enumerate(every)]
    done = bounded_map(
        both, tasks, timeout=10 * LIMIT_S, computing=LIMIT_S, jobs=jobs, apart=seconds,
        preload=("srlib.expressions.algebra.warm", "tests.benchmarks.canonical"),
    )  # fmt: skip
    rows, unanswered = {}, []
    for place, outcome in done:
        rows[place] = outcome.value or {}
        if outcome.value is None:
            source, model = every[place]
            unanswered.append(f"{source}: {outcome.status}, {outcome.detail}: {to_text(model)}")
    found = pd.DataFrame(rows).T.sort_index().astype(float)
    return found.assign(source=[source for source, _ in every]), unanswered


def shares(ones: pd.DataFrame) -> dict[str, float]:
    """How often the canonical count is smaller than sympy's, equal and larger."""
    less = (ones["canonical"] - ones["sympy"]).apply(lambda d: (d > 0) - (d < 0))
    found = less.value_counts(normalize=True).rename({-1: "smaller", 0: "equal", 1: "larger"})
    return found.round(3).to_dict()


def main() -> None:
    """Print the shares and the times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    found, unanswered = measured(models(), options.sample, options.jobs)
    print(len(unanswered), "without an answer", *unanswered, sep="\n  ")
    by_source = found.groupby("source")[["written", "canonical", "canonical_s"]]
    print(by_source.agg(["count", "mean", "sum"]).to_string())
    print((found["canonical"] < found["written"]).mean(), "shorter than written")
    for source, ones in found.dropna(subset=["sympy"]).groupby("source"):
        print(source, len(ones), shares(ones))
        print(ones[["written", "canonical", "sympy", "canonical_s", "sympy_s"]].sum().to_dict())


if __name__ == "__main__":
    from tests.benchmarks import canonical as here  # so that workers find its functions

    here.main()
