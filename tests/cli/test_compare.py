"""`srlib compare`: what is one unit of a comparison."""

from pathlib import Path

import pandas as pd
import pytest


@pytest.mark.parametrize(
    ("words", "units", "tested"), [("", 1, False), ("--related none", 10, True)]
)
def test_related_none_makes_every_dataset_a_unit(words, units, tested, call):
    """A beats B by 0.1 on ten datasets of one source."""
    rows = [f"A,5_fri_d{i},1,x,0.7{i}\nB,5_fri_d{i},1,x,0.6{i}\n" for i in range(10)]
    Path("runs.csv").write_text("method,dataset,repetition,model,r2_test\n" + "".join(rows))
    code, output, _ = call(f"compare runs.csv --metric r2_test --out compare.csv {words}")
    (pair,) = pd.read_csv("compare.csv").itertuples()
    assert (code, pair.n_units, pair.p_value < 0.01) == (0, units, tested)
    assert ("not tested: 1 source; a test needs 6." in output) != tested
    assert pd.read_csv("compare-ledger.csv").empty
