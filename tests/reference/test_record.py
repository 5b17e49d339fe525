"""The record of public results: flags of authors beside verdicts; a sample of the sources makes a page."""

import shutil

import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.displays import disputes_table
from srlib.files import PARAMETERS
from srlib.judging.flags import DISPUTED, OUTCOMES, judge_flags
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules
from srlib.table_files import read_frame, write_frame

PROBLEMS = """
schema: 1
name: p
problems:
- {dataset: d@0, features: [a, b], truth: 2.5*a*b, domain: {a: [1, 3], b: [1, 3]}}
- {dataset: d@0.1, features: [a, b], truth: 2.5*a*b, domain: {a: [1, 3], b: [1, 3]}}
- {dataset: e, features: [a]}
"""
# of each run: dataset, flag, model, outcome, and a part of its evidence
RUNS = """
d@0   | True  | 2.5*a*b + 1     | confirmed |
d@0   | 1     | 2.5001*a*b      | confirmed |
d@0   | True  | 2.5*a*b + 0.1*a | refuted   | the model differs by
d@0   | True  | 4.5             | refuted   | the model is a constant
d@0   | True  | sqrt(-a)*b      | unreal    | the model is undefined
d@0   | True  | zoo             | unreal    | a finite number
d@0   | False | 2.5*b*a         | missed    | proof: equal
d@0   | True  | 2.5*a**1.004*b  | rounding  | compared under srbench
d@0   | False | a + b           | agreed    |
d@0   | no    |                 | unstated  |
d@0   | False |                 | agreed    |
d@0   | True  | a + (           | unread    |
d@0.1 | True  | a               | refuted   | the model differs by
e     | True  | a               | untested  |
"""


@pytest.fixture
def cells(tmp_path):
    (tmp_path / "p.yaml").write_text(PROBLEMS)
    rows = [[cell.strip() for cell in line.split("|")] for line in RUNS.strip("\n").splitlines()]
    columns = ["dataset", "symbolic_solution", "model", "outcome", "evidence"]
    return pd.DataFrame(rows, columns=columns).assign(method="}% = a", repetition=range(14))


def test_flags_are_beside_verdicts_and_outcomes_sum_to_the_runs(cells, tmp_path):
    """An unreadable flag is none; the third reading of constants is asked only where flag and verdict disagree."""
    runs = read_runs(cells.drop(columns=["outcome", "evidence"]))
    problems = load_problems(tmp_path / "p.yaml")
    flags = judge_flags(runs, problems, load_rules("judging-2022").measure)
    counts = flags.counts.set_index("noise")
    assert (counts[[*OUTCOMES]].sum(axis=1) == counts["runs"]).all()
    assert counts[[*OUTCOMES]].sum().to_dict() == {
        name: (cells["outcome"] == name).sum() for name in OUTCOMES
    }
    assert counts.loc[0.0, ["runs", "flagged", "solutions"]].tolist() == [12, 8, 3]
    assert flags.sentences[1:] == [
        "}% = a, noise 0.1: 1 of 1 run flagged, 0 solutions; 1 refuted.",
        "}% = a: 1 of 1 run flagged, 0 solutions; 1 untested.",
    ]
    disputed = cells[cells["outcome"].isin(DISPUTED)].set_index("repetition")
    assert (
        flags.disputes.set_index("repetition")["outcome"].to_dict() == disputed["outcome"].to_dict()
    )
    table = disputes_table(flags).frame.set_index(flags.disputes["repetition"])
    for repetition, text in disputed["evidence"].items():
        assert text in table.loc[repetition, "evidence"]


@pytest.mark.slow
def test_flags_of_physo_are_confirmed_or_disputed_with_evidence(reference_data):
    """Beyond our tolerance half are within SRBench's rounding, or within three digits; six have no real value."""
    runs, problems = (
        read_runs(reference_data / "field/physo"), load_problems(reference_data / "pmlb")
    )  # fmt: skip
    flags = judge_flags(runs, problems, load_rules("judging-2022").measure)
    counts = flags.counts[["confirmed", "refuted", "rounding", "unreal", "missed", "agreed"]]
    assert counts.to_numpy().tolist() == [[198, 0, 0, 1, 2, 139], [152, 21, 19, 5, 0, 143]]
    assert flags.sentences[0] == (
        "PhySO, noise 0: 199 of 340 runs flagged, 200 solutions; 1 unreal, 2 missed, 198 confirmed and 139 agreed."
    )
    refuted = flags.disputes.query("outcome == 'refuted'")["solution_evidence"]
    assert refuted.str.get("witness").notna().all()


@pytest.mark.slow
def test_a_sample_of_the_sources_makes_a_page_with_its_disputes(reference_data, tmp_path, capsys):
    """Three runs of each source on two datasets, in the folders of the suite; a stranger's source joins by a layout."""
    names, data = ["feynman_I_12_1", "feynman_I_12_5"], tmp_path / "data"
    for name in names:
        shutil.copytree(reference_data / "pmlb" / name, data / "pmlb" / name)
    paths = ["field/physo/noise0.000.csv", "field/tpsr/feynman_tpsr_l0.1_allnoise.csv"]
    for path in [*paths, "srbench/runs/rils-rols.feather"]:
        frame = read_frame(reference_data / path)
        column = "problem" if "tpsr" in path else "dataset"
        frame = frame[frame[column].isin(names) & (frame["target_noise"] == 0)]
        write_frame(frame.groupby(column).head(3), data / path)
    stranger = "algo,task,trial,formula,claim\nOurs,feynman_I_12_1@0,1,mu + Nn,yes\nOurs,feynman_I_12_5@0,1,q2*Ef,yes\n"
    layout = "columns: {method: algo, dataset: task, repetition: trial, model: formula, symbolic_solution: claim}\n"
    (data / "ours").mkdir()
    (data / "ours/results.csv").write_text(stranger.replace("yes", "true"))
    (data / "ours/layout.yaml").write_text("schema: 1\nname: ours\nsource: a stranger\n" + layout)
    suite = (PARAMETERS / "suites/record.yaml").read_text().replace("srbench/json", "ours")
    suite = suite.replace(", alias: {RILSROLSRegressor: RILSROLS}", "")
    (tmp_path / "record.yaml").write_text(suite)
    words = [
        "report",
        str(tmp_path / "record.yaml"),
        "--only",
        "record",
        "--out",
        str(tmp_path / "o"),
    ]
    assert main(words) == 0, capsys.readouterr().err
    tables = tmp_path / "o/record/tables"
    counts = pd.read_csv(tables / "flags.csv").set_index("method")
    assert counts.loc["Ours", ["runs", "flagged", "confirmed", "refuted"]].tolist() == [2, 2, 1, 1]
    assert pd.read_csv(tables / "disputes.csv")["outcome"].tolist() == ["refuted"]
    page = (tmp_path / "o/record.html").read_text()
    assert "What this cannot say" in page and "ours/layout.yaml says how" in page
