"""Answer files: the forms that were seen, and bad ones, which get a status and a sentence."""

import json
import shutil

import pytest

from srlib.inference import score_answers, tasks
from srlib.inference.tasks import cases_of, read_answer
from srlib.inference.uai_files import load_problem
from tests.inference.small import stored

STATUS = ("ok", "missing", "invalid", "zero_likelihood", "not_evaluable")


def answered(folder, task, text, **beside):
    """What is read of a text as the answer to the small problem: values, and notes."""
    cases = [
        case
        for problem in stored(folder, **beside)
        for case in cases_of(problem)
        if case.task == task
    ]
    path = folder / f"small.uai.{task}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_answer(path, cases)
    assert len(found) == len(cases)
    return [answer.value for answer in found], [answer.note for answer in found]


def test_a_solution_that_was_cut_off_falls_back_to_the_one_before_and_says_so(tmp_path):
    values, notes = answered(tmp_path, "MPE", "MPE\n2 1 2\n-BEGIN-\n2 0")
    assert values == [{0: 1, 1: 2}]
    assert notes == ["the last block is not complete; the one before it counts"]


@pytest.mark.parametrize(
    ("task", "text", "said"),
    [
        ("PR", "", "no solution after the name of the task"),
        ("PR", "MAR\n2 2 1 0 3 1 0 0", "no solution after the name of the task PR"),
        ("PR", "PR\nabc", "token 2: a number was expected, got 'abc'"),
        ("MPE", "MPE\n3 0 0 0", "token 2: the number of variables, a whole number from 2 to 2, was expected, got 3"),
        ("MPE", "MPE\n2 0", "the file ends where a state was expected"),
        ("MPE", "MPE\n2 0 0.5", "token 4: a state, a whole number"),
        ("MAR", "MAR\n2 3 1 0 0 2 1 0", "token 3: the number of states of variable 0, a whole number from 2 to 2"),
        ("MMAP", "MMAP\n2 0 1 1 1", "the number of variables, a whole number from 1 to 1, was expected, got 2"),
        ("MPE", b"\x00\x01\xff" * 50, "no solution after the name of the task MPE"),
        ("MPE", b"MPE\n\x00\x01\xff", "token 2: a number was expected"),
    ],
)  # fmt: skip
def test_a_useless_answer_has_no_value_but_a_reason(tmp_path, task, text, said):
    values, notes = answered(tmp_path, task, text, query="1 1")
    assert values == [None]
    assert said in notes[0]
    assert "\n" not in notes[0]


@pytest.mark.parametrize("text", ["MMAP\n1\n1 2", "MMAP\n1\n1\n1 2", "MMAP 1 1 2", "MMAP\n1\n2"])
def test_a_count_of_variables_on_a_line_of_its_own_is_no_number_of_samples(tmp_path, text):
    assert answered(tmp_path, "MMAP", text, query="1 1")[0] == [{1: 2}]


def test_a_huge_answer_is_not_read(tmp_path, monkeypatch):
    with (tmp_path / "small.uai.PR").open("wb") as stream:
        stream.truncate(1 << 30)
    cases = cases_of(stored(tmp_path)[0])[:1]
    answer = read_answer(tmp_path / "small.uai.PR", cases)[0]
    assert (answer.value, answer.note) == (
        None,
        "small.uai.PR: at most 67,108,864 bytes are read",
    )
    monkeypatch.setattr(tasks, "ANSWER_BYTES", 3)
    assert answered(tmp_path, "PR", "PR 1")[0] == [None]
    assert answered(tmp_path, "PR", "PR ")[1] == [
        "small.uai.PR: no solution after the name of the task PR"
    ]


@pytest.fixture(scope="module")
def edge(reference_data, tmp_path_factory):
    """The edge cases that are answers, each scored as the only answer of a solver named after its file."""
    source = reference_data / "uai"
    folder = tmp_path_factory.mktemp("edge")
    cases = [
        c for c in json.loads((source / "edge_cases" / "expected.json").read_text()) if "task" in c
    ]
    for case in cases:
        answer = folder / case["file"] / f"{case['instance']}.uai.{case['task']}"
        answer.parent.mkdir()
        shutil.copy(source / "edge_cases" / case["file"], answer)
    problem = load_problem(source / "problems" / f"{cases[0]['instance']}.uai")
    scores = score_answers(problem, folder).scores
    return {case["file"]: (case, scores) for case in cases}, problem[0], source / "edge_cases"


def test_every_edge_case_is_score_property_its_basis_says(edge):
    files, problem, folder = edge
    assert len(files) == 21
    notes = {}
    for name, (case, scores) in files.items():
        row = scores[(scores["solver"] == name) & (scores["task"] == case["task"])].iloc[0]
        expected, notes[name] = case["expect"], row["note"]
        assert row["status"] in STATUS, name
        score = expected.get("score", expected.get("score_if_fallback"))
        if "log10_Z" in expected:
            value, score = read_answer(folder / name, cases_of(problem)[:1])[0].value, 100
            assert value == pytest.approx(expected["log10_Z"], abs=1e-12), name
        if score is not None:
            assert row["score"] == pytest.approx(score, abs=1e-6), name
        if "score_about" in expected:
            assert row["score"] == pytest.approx(expected["score_about"], abs=1e-2), name
        if expected.get("status") == "invalid":
            assert (row["status"], row["score"]) == ("invalid", 0), name
        if "as_log10_err" in expected:
            assert row["error"] == pytest.approx(expected["as_log10_err"], abs=1e-6), name
    for name, words in {
        "truncated_last.MAR": "not complete",
        "merlin.MMAP": "without variables",
        "unnormalised.MAR": "do not sum to 1",
        "negative.MAR": "is negative or no number",
        "violates_evidence.MPE": "observed state",
        "out_of_range.MPE": "has no state",
    }.items():
        assert words in notes[name]
