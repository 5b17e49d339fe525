"""`srlib ballot make` and `read`: from the demo's runs to a trust table, or fault by fault."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.tools.ballot.made_up import filled


@pytest.mark.slow
def test_packet_that_is_made_can_be_filled_and_read(call):
    code, output, _ = call("ballot make demo --problems diabetes --out made --seed 3")
    assert code == 0 and "is for the experts" in output
    codes = json.loads(Path("made/key.json").read_text())["codes"]
    sheets = " ".join(Path("made/packet/sheets-diabetes.html").read_text().split())
    assert "in which a - b is a + (-1)*b and has 5. The constants of a model are rounded" in sheets
    ballot = filled(pd.read_csv("made/packet/ballot.csv"), "Ada", 0)
    ballot.to_csv("Ada.csv", index=False)
    read = "ballot read Ada.csv --key made/key.json --out trust.csv --rules competition-2022"
    code, output, _ = call(read)
    assert code == 0 and all(sheet["method"] in output for sheet in codes.values())
    assert len(pd.read_csv("trust.csv")) == len(codes)


def test_fault_of_a_ballot_is_a_line_and_nothing_is_unblinded(call):
    key = {f"D1S{i}": {"method": f"m{i}", "dataset": "d", "repetition": 1} for i in (1, 2)}
    Path("key.json").write_text(json.dumps({"packet": "P", "codes": key}))
    head = "packet,expert,dataset,code,rank,trust"
    Path("b.csv").write_text(f"{head}\nP,E,d,D1S1,1,9\nP,E,d,D1S2,1,2\n")
    code, output, error = call("ballot read b.csv --key key.json --out trust.csv")
    assert (code, output, Path("trust.csv").exists()) == (2, "", False)
    assert error.count("\n") == 3 and "m1" not in error
    assert error.endswith("srlib: 2 faults; nothing was unblinded\n")
