"""`srlib ballot make` and `read`: from the demo's runs to a trust table, or fault by fault."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.tools.ballot.made_up import filled


@pytest.mark.slow
def test_a_packet_that_is_made_can_be_filled_and_read(call):
    code, output, _ = call("ballot make demo --problems diabetes --out made --seed 3")
    assert code == 0 and "is for the experts" in output
    codes = json.loads(Path("made/key.json").read_text())["codes"]
    methods = [sheet["method"] for sheet in codes.values()]
    assert len(methods) == len(set(methods))
    sheets = " ".join(Path("made/packet/sheets-diabetes.html").read_text().split())
    assert "in which a - b is a + (-1)*b and has 5. The constants of a model are rounded" in sheets
    for seed, expert in enumerate(("Ada", "Bob")):
        ballot = filled(pd.read_csv("made/packet/ballot.csv"), expert, seed)
        ballot.to_csv(f"{expert}.csv", index=False)
    for rules in ("judging-2022", "competition-2022"):
        read = f"ballot read Ada.csv Bob.csv --key made/key.json --out trust.csv --rules {rules}"
        code, output, _ = call(read)
        assert code == 0 and all(method in output for method in methods) and "  1. " in output
    trust = pd.read_csv("trust.csv")
    assert " ".join(trust).startswith("expert method dataset rank trust")
    assert len(trust) == 2 * len(methods)


def test_each_fault_is_a_line_and_nothing_is_unblinded(call):
    key = {f"D1S{i}": {"method": f"m{i}", "dataset": "d", "repetition": 1} for i in (1, 2)}
    Path("key.json").write_text(json.dumps({"packet": "PPPPPP", "codes": key}))
    Path("b.csv").write_text(
        "packet,expert,dataset,code,rank,trust\nPPPPPP,E,d,D1S1,1,9\nPPPPPP,E,d,D1S2,1,2\n"
    )
    code, output, error = call("ballot read b.csv --key key.json --out trust.csv")
    assert (code, output, Path("trust.csv").exists()) == (2, "", False)
    trust, rank, last = error.splitlines()
    assert "trust of D1S1 must be a whole number from 1 to 5, got 9" in trust
    assert "rank 1 is given to D1S1, D1S2" in rank
    assert last == "srlib: 2 faults; nothing was unblinded" and "m1" not in error
