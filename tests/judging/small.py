"""A small competition for the tests of rules: its problems, and rows that are changed where a test asks for it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import yaml

from srlib.judging import Judgement, judge
from srlib.judging.qualification import Gate
from srlib.problems import Problems, load_problems
from srlib.rules import Rules, load_rules
from srlib.table_files import decode_cells

PROBLEMS = """
defaults: {track: synthetic, target: y}
problems:
  - {dataset: formula, property: solution, features: [a, b], truth: a + b}
  - {dataset: select, property: relevant_features, features: [a, b, c, d], relevant: [a, b]}
  - {dataset: optima, property: local_optima, features: [a, b, c], surrogates: [c]}
  - {dataset: beyond, property: extrapolation, features: [a]}
  - {dataset: noise_base, features: [a], noise_level: 0.0, scored: false}
  - {dataset: noise_easy, property: noise_sensitivity, features: [a], noise_level: 0.05, noise_reference: noise_base}
  - {dataset: noise_hard, property: noise_sensitivity, features: [a], noise_level: 0.15, noise_reference: noise_base}
  - {dataset: seir_S, property: solution, family: seirS, features: [a, b], truth: a*b}
"""
DTYPES = yaml.safe_load("""
bad_predictions: Int64
complexity: Int64
complexity_raw: Int64
solution: boolean
text_matches_predictions: boolean
r2_test: float
r2_extrapolation: float
""") | dict.fromkeys(
    ["model", "reason", "detail", "solution_kind", "simplify_status", "problem_digest"], "str"
)
ROW = yaml.safe_load("""
model: a
status: ok
reason: null
parse_status: ok
r2_test: 0.9
r2_source: reported
r2_extrapolation: null
bad_predictions: 0
complexity_raw: 5
complexity: 5
simplify_status: ok
features_used: '["a"]'
solution: false
solution_kind: different
text_matches_predictions: null
detail: null
measure_digest: m
problem_digest: p
file: t.csv
row: 1
""")


@lru_cache
def problems(text: str = PROBLEMS) -> Problems:
    """Read a problem file of this text, before which schema and name stand."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.yaml"
        path.write_text("schema: 1\nname: small\n" + text, encoding="utf-8")
        return load_problems(path)


def open_problems(text: str = PROBLEMS) -> Problems:
    """Return the same problems as a folder would state them: every repetition counts."""
    return replace(problems(text), path=Path())


loaded = lru_cache(load_rules)


def rules(name: str = "judging-2022", **changes: object) -> Rules:
    """Return shipped rules with some switches of the judge block set otherwise, checked like a file."""
    given = loaded(name)
    block = type(given.judge).model_validate(given.judge.model_dump(by_alias=True) | changes)
    return given.model_copy(update={"judge": block})


def row(method: str, dataset: str, repetition: int, **changes: object) -> dict[str, object]:
    """Return an assessed run, by default one of a usable model."""
    return {"method": method, "dataset": dataset, "repetition": repetition} | ROW | changes


def frame(rows: list[dict[str, object]]) -> pd.DataFrame:
    table = pd.DataFrame(rows).astype(DTYPES)
    lists = [name for name in ("features_used", "dust") if name in table]
    return table.assign(**{name: decode_cells(table[name], "texts") for name in lists})


def read_cells(table: str | Mapping[Any, Any]) -> dict[tuple[str, str], Any]:
    """Read {(method, dataset): content} from YAML with keys like `A formula`; another mapping stays as it is."""
    if isinstance(table, str):
        table = {tuple(key.split()): content for key, content in yaml.safe_load(table).items()}
    return dict(table)


def runs(table: str | Mapping[Any, Any], repetitions: int = 1) -> pd.DataFrame:
    """Rows from cells {column: one value a repetition, or one for all}; see `read_cells`."""
    rows = []
    for (method, dataset), columns in read_cells(table).items():
        lengths = (len(value) for value in columns.values() if isinstance(value, list))
        for n in range(max(lengths, default=repetitions)):
            cell = {
                k: value[n] if isinstance(value, list) else value for k, value in columns.items()
            }
            rows.append(row(method, dataset, n) | cell)
    return frame(rows)


def verdict(
    table: str | Mapping[Any, Any],
    chosen: Rules,
    known: Problems | None = None,
    barred: str = "",
) -> Judgement:
    """Judge such a table, with as many runs a cell as the rules expect where it does not list them."""
    cells = runs(table, chosen.judge.repetitions)
    return judge(cells, known or problems(), chosen, Gate(barred=frozenset(barred)))


def values(
    judgement: Judgement, dataset: str, aspect: str = "property", column: str = "value"
) -> list[float]:
    """List a column of the judgement's aspects, one value a method."""
    table = judgement.aspects
    return table[(table["dataset"] == dataset) & (table["aspect"] == aspect)][column].tolist()


def ranks(judgement: Judgement, dataset: str, aspect: str) -> list[float]:
    return values(judgement, dataset, aspect, "aspect_rank")


def scores(judgement: Judgement, dataset: str) -> list[float]:
    table = judgement.datasets
    return table[table["dataset"] == dataset]["score"].tolist()


def ranking(judgement: Judgement, column: str = "score") -> dict[str, float]:
    return judgement.ranking.set_index("method")[column].to_dict()


def lines(judgement: Judgement, *codes: str) -> pd.DataFrame:
    """Lines of the ledger with one of these codes."""
    return judgement.ledger[judgement.ledger["code"].isin(codes)].reset_index(drop=True)
