"""Answers in the forms that were seen, real problems and the shipped demo, against values worked out by others."""

import shutil

import pandas as pd
import pytest

from srlib.files import DEMO
from srlib.tools.inference import load_problems, score_answers
from srlib.tools.inference.tasks import compute_reference, find_reference
from tests.builders import read_table

NAME = "u12_or_chain_218.fg"
CASES = """
    solver                score status          note
    anytime.PR            100   ok              ""
    crlf.PR               100   ok              ""
    empty.PR              0     invalid         "no solution"
    header_only.MPE       0     invalid         "no solution"
    lowercase.MPE         100   ok              ""
    map_header.MPE        100   ok              ""
    merlin.MAR            100   ok              ""
    merlin.MMAP           100   ok              "without variables"
    merlin.PR             78.47 ok              ""
    minus_inf.PR          0     zero_likelihood ""
    nan.PR                0     invalid         "log10 Z, a number from"
    negative.MAR          0     invalid         "a number from 0 to 1.01"
    no_evidence_vars.MPE  0     invalid         "to 26, was expected"
    one_line.MPE          100   ok              ""
    out_of_range.MPE      0     invalid         "a state of variable"
    samples_uai2010.MAR   100   ok              ""
    samples_uai2010.PR    100   ok              ""
    truncated_last.MAR    100   ok              "not complete"
    unnormalised.MAR      0     invalid         "a number from 0 to 1.01"
    violates_evidence.MPE 0     invalid         "observed state"
    wrong_n.MPE           0     invalid         "to 26, was expected"
"""


def test_answer_of_each_form_has_the_score_of_its_basis(reference_data, tmp_path):
    """Each file is the only answer of a solver named after it; Merlin's PR is a natural logarithm."""
    cases, source = read_table(CASES).fillna(""), reference_data / "uai"
    for file in cases["solver"]:
        (tmp_path / file).mkdir()
        answer = tmp_path / file / f"{NAME}.uai.{file.split('.')[1]}"
        shutil.copy(source / "edge_cases" / file, answer)
    problems = [p for p in load_problems(source / "problems") if p.name == NAME]
    rows = score_answers(problems, tmp_path).scores.set_index(["solver", "task"])
    for case in cases.itertuples():
        row = rows.loc[(case.solver, case.solver.split(".")[1])]
        assert row["score"] == pytest.approx(case.score, abs=1e-2), case
        assert row["status"] == case.status and case.note in row["note"], case


KEY = ["solver", "task", "instance"]


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "uai"


@pytest.fixture(scope="module")
def problems(folder):
    return load_problems(folder / "problems")


def test_score_is_the_expected_one(folder, problems):
    scores = score_answers(problems, folder / "solutions", trivial="trivial").scores
    expected = pd.read_csv(folder / "expected_scores.csv")
    expected = expected.rename(columns={"error_log10_or_hellinger": "error"})
    numbers = ["error", "max_error", "score"]
    for table in (scores, expected):
        table["degenerate"] = table["note"].fillna("").str.startswith("degenerate")
    tables = [table.set_index(KEY)[[*numbers, "degenerate"]] for table in (scores, expected)]
    assert tables[0]["degenerate"].sum() == 12
    pd.testing.assert_frame_equal(*tables, check_like=True, rtol=0, atol=1e-6)


FOLDER = DEMO / "inference"


def test_references_are_exact_and_every_answer_can_be_used():
    problems = load_problems(FOLDER / "problems")
    for problem in problems:
        ours, stored = compute_reference(problem), find_reference(problem, FOLDER / "reference")
        assert stored.log10_Z == pytest.approx(ours.log10_Z) and {*stored.best} == {*ours.best}
    scored = score_answers(problems, FOLDER / "answers", FOLDER / "reference", "trivial")
    assert {*scored.scores["status"]} == {"ok"} and scored.changes.empty and not scored.unknown
