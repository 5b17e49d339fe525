"""Simplifying with exact shortcuts against plain `sympy.simplify`: equal counts, and the CPU of each, model by model.

    python -m tests.benchmarks.simplicity [--sample 500] [--jobs 1] [--out FILE.csv]

Both have the rules' work, start from the same state of sympy in a fork, and run one after the other, so that a busy
machine slows both. Where FILE.csv exists already, what it holds is not done again. Needs the reference data.
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import SrlibError
from srlib.expressions import Expression, parse, simplify
from srlib.expressions.algebra import shortcuts
from srlib.expressions.algebra.simplify import round_constants
from srlib.expressions.algebra.work import OutOfWorkError
from srlib.problems import load_problems
from srlib.readers import read_results, read_runs
from srlib.rules import load_rules
from srlib.workers import bounded_map
from srlib.yamlfile import load_yaml

DATA = Path(os.environ.get("SRLIB_REFERENCE_DATA", "../shared/data"))
TABLES = ("srbench/runs/rils-rols.feather", "field/physo", "field/tpsr")
LIMIT_S = 250.0
WORK = load_rules("judging-2022").measure.simplify_work


def models() -> list[tuple[str, Expression]]:
    """Distinct models of the feather and the field after rounding, in an order drawn with seed 0.

    Those of fronts and the forms that FastSRB accepts stand behind the others.
    """
    problems = load_problems(DATA / "pmlb")
    found: dict[str, tuple[str, Expression]] = {}
    for name in TABLES:
        place = DATA / name
        for path in sorted(place.glob("*.csv")) if place.is_dir() else [place]:
            for row in read_runs(path).frame.itertuples():
                problem = problems.find(row.dataset)
                model = _rounded(row.model, None if problem is None else problem.features)
                if model is not None:
                    found.setdefault(model.model_id, (name, model))
    first, generator = len(found), np.random.default_rng(0)
    for name, text, features in _more():
        model = _rounded(text, features)
        if model is not None:
            found.setdefault(model.model_id, (name, model))
    order = [*generator.permutation(first), *(first + generator.permutation(len(found) - first))]
    return [list(found.values())[i] for i in order]


def _more() -> Iterator[tuple[str, Any, list[str] | None]]:
    """Texts of the fronts and of FastSRB, with their features."""
    for row in read_results(DATA / "field/pysr_paper").frame.itertuples():
        yield "field/pysr_paper", row.model, None
    for problem in load_yaml(DATA / "field/fastsrb/expressions.yaml").values():
        for text in (problem["prepared"], *problem["accept"]):
            yield "field/fastsrb", str(text), [name for name in problem["vars"] if name != "v0"]


def _rounded(text: Any, features: Sequence[str] | None) -> Expression | None:
    try:
        return round_constants(parse(text, features))
    except (SrlibError, TypeError):
        return None


def once(item: tuple[Expression, bool, int]) -> dict[str, Any]:
    """Count a model's nodes, with shortcuts or without."""
    model, short, work = item
    if not short:
        shortcuts.PLACES.clear()
    start = time.process_time()
    try:
        simple = simplify(model, round_constants="never", work=work)
        found = {"count": simple.complexity, "text": simple.text, "work": simple.work}
    except OutOfWorkError:
        found = {"count": None, "text": "beyond", "work": work}
    except SrlibError as error:  # a simplified text that is not real, or nested too deeply, say
        found = {"count": None, "text": f"refused: {error}", "work": None}
    return found | {"cpu": time.process_time() - start}


def seconds(item: Any) -> float:
    """All have the same limit; each has a fork."""
    return LIMIT_S


def summary(table: pd.DataFrame) -> str:
    """Say how the two compare where both ended."""
    both = table[table["count_plain"].notna() & table["count_ours"].notna()]
    same = both["count_plain"] == both["count_ours"]
    plain, ours = both["cpu_plain"].sum(), both["cpu_ours"].sum()
    whole = table["cpu_plain"].sum() / table["cpu_ours"].sum()
    texts = int((both["text_plain"] == both["text_ours"]).sum())
    ends = [f"{n} {int((table[f'text_{n}'] == 'beyond').sum())}" for n in ("plain", "ours")]
    stopped = [f"{n} {int(table[f'text_{n}'].isna().sum())}" for n in ("plain", "ours")]
    return (
        f"{len(table)} models, both end on {len(both)}: {int(same.sum())} equal counts, {texts} equal texts; "
        f"CPU {plain:.1f} s plain, {ours:.1f} s ours: {plain / max(ours, 1e-9):.2f} times less ({whole:.2f} with those "
        f"that do not end); beyond {WORK} objects: {', '.join(ends)}; stopped by the machine: {', '.join(stopped)}"
    )


def measured(sample: int, jobs: int, out: Path, work: int = WORK) -> pd.DataFrame:
    """Simplify that many models both ways, and keep each row as it comes."""
    known = pd.read_csv(out) if out.exists() else pd.DataFrame({"model": []})
    rows = known.to_dict("records")
    chosen = models()[:sample]
    todo = [(n, m) for n, m in chosen if m.model_id not in set(known["model"])]
    items = [(model, short, work) for _, model in todo for short in (False, True)]
    outcomes = bounded_map(
        once, items, timeout=10 * LIMIT_S, computing=LIMIT_S, jobs=jobs, apart=seconds,
        preload=("srlib.expressions.algebra.warm", "tests.benchmarks.simplicity"),
    )  # fmt: skip
    waiting: dict[int, dict[str, Any]] = {}
    out.parent.mkdir(parents=True, exist_ok=True)
    for index, outcome in outcomes:
        assert outcome.status != "error", outcome.detail
        name = "ours" if index % 2 else "plain"
        value = outcome.value or {"count": None, "text": None, "work": None, "cpu": LIMIT_S}
        row = waiting.setdefault(index // 2, {})
        row |= {f"{key}_{name}": content for key, content in value.items()}
        if len(row) == 8:
            source, model = todo[index // 2]
            rows.append({"model": model.model_id, "source": source, **waiting.pop(index // 2)})
            pd.DataFrame(rows).to_csv(out, index=False)
    return pd.DataFrame(rows)


def main() -> None:
    """Measure, and say how the two compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/simplicity.csv"))
    given = parser.parse_args()
    table = measured(given.sample, given.jobs, given.out)
    print(summary(table))
    unlike = table[(table["text_plain"] != table["text_ours"]) & table["text_plain"].notna()]
    print(
        unlike[
            ["model", "source", "count_plain", "count_ours", "work_plain", "work_ours"]
        ].to_string()
    )


if __name__ == "__main__":
    from tests.benchmarks import simplicity  # so that workers find its functions

    simplicity.main()
