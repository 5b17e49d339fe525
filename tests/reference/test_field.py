"""The field's own results (data/field): all of them import, and every text with a real value can be read."""

import pandas as pd
import pytest

from srlib.errors import ModelTextError
from srlib.expressions import parse
from srlib.readers import read_results

KNOWN = [f"x{i}" for i in range(12)]


@pytest.fixture(scope="module")
def field(reference_data):
    return reference_data / "field"


def refused(texts: pd.Series, features: list[str] | None) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for text in texts.dropna():
        try:
            parse(text, features)
        except ModelTextError as error:
            kinds[error.kind] = kinds.get(error.kind, 0) + 1
    return kinds


@pytest.mark.parametrize(
    ("name", "rows", "without"),
    [
        ("physo", 680, {"nonfinite": 4}),
        ("tpsr", 296, {}),
        ("pysr_paper", 216, {"nonfinite": 18}),
    ],
)
def test_all_of_it_imports_and_is_read(field, name, rows, without):
    frame = read_results(field / name).frame
    assert len(frame) == rows
    assert (frame["status"] == "invalid").sum() == 0
    assert refused(frame["model"], KNOWN if name == "tpsr" else None) == without
