"""Commands that print or write what a function gives: each argument is passed on, each line is there."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests import workers_cases
from tests.builders import each
from tests.tools.ballot.made_up import filled

# x3 is stated as relevant, and the data do without it
FAULTY = """
schema: 1
name: features
problems:
  - dataset: planted
    property: relevant_features
    truth: "x1*x2 + 2*x1 + 3*x2"
    noise_level: 0.05
    relevant: [x1, x2, x3]
    data_seeds: [1]
    data:
      generator: formula
      arguments:
        features: {x1..x4: [uniform, -5, 5]}
        rows: {train: 300, test: 300}
"""
# {"a": 1} of sources: A beats B by 0.1 on ten datasets of one source
PAIRS = "".join(f"A,5_fri_d{i},1,x,0.7{i}\nB,5_fri_d{i},1,x,0.6{i}\n" for i in range(10))


@each(
    "line code words",
    r"""
audit faulty.yaml --out o.csv | 1 | fail  planted  features: seed 1: stated, not in the truth or without effect
audit good.yaml | 0 | 7 checks of 1 datasets: 7 pass, 0 warn, 0 fail
compare pairs.csv --metric r2_test --out o.csv | 0 | not tested, as 1 source is too few (6 are needed).
compare pairs.csv --metric r2_test --out o.csv --related none | 0 | 10 datasets, each a unit of its own. A
equivalent --truth x*y --model '3.5*y*x' | 0 | A solution, 3.5 times the truth: equal
equivalent --truth x*y --model 'x + y' | 0 | No solution: at these points the difference runs from
equivalent --truth x*y --model '9**9**9**9*x' | 0 | No solution: the model is undefined
""",
)
def test_command_gives_exit_code_and_sentence(line, code, words, call):
    Path("faulty.yaml").write_text(FAULTY)
    Path("good.yaml").write_text(FAULTY.replace("[x1, x2, x3]", "[x1, x2]"))
    Path("pairs.csv").write_text(f"method,dataset,repetition,model,r2_test\n{PAIRS}")
    ended, output, error = call(line)
    assert (ended, error) == (int(code), "") and words in output
    if "--out" in line:
        assert len(pd.read_csv("o.csv")) == (7 if "audit" in line else 1)


def test_json_of_a_difference_has_a_witness(call):
    line = "equivalent --truth 'sin(x)' --model 'x - x^3/6' --domain x=-1:1 --json"
    verdict = json.loads(call(line)[1])
    assert (verdict["verdict"], verdict["proof"]) == ("different", "witness")
    assert -1 <= verdict["witness"]["point"]["x"] <= 1


def test_verdict_of_a_killed_process_is_unknown(call, monkeypatch):
    monkeypatch.setattr("srlib.expressions.model.compare_texts", workers_cases.kill_itself)
    code, output, sentence = call("equivalent --truth x --model x --json")
    assert (code, json.loads(output)["verdict"]) == (0, "unknown")
    assert "killed by signal" in sentence


@pytest.mark.usefixtures("competition")
def test_robustness_names_the_winner_and_writes_its_tables(call, few_readings):
    """Two tables of runs, one method that did not qualify, one with names of its own, and a row of no use."""
    Path("more").mkdir()
    head = "method,dataset,repetition,model,r2_test"
    Path("more/c.csv").write_text(f"{head}\nC,d,1,x1 + x2,1.0\nC,e,1,x1*x2,0.95\nC,e,two,x1,0.5\n")
    Path("verdicts.csv").write_text("method,qualified\nA,true\nB,false\nC,true\n")
    words = "--problems problems.yaml --out out --resamples 50 --qualified verdicts.csv"
    code, output, _ = call(f"robustness runs.csv more {words} --names C=x1 --names Nobody=x0")
    assert code == 0 and "7 runs read = 4 scored + 3 excluded" in output
    for sentence in ("so without a place: B.", "C wins", "has no method Nobody."):
        assert sentence in output
    for name in ("switchboard", "resampling", "leave_one_out", "significance"):
        assert len(pd.read_csv(f"out/{name}.csv")), name


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
