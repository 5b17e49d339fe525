"""Answer files in the forms that were seen, each scored as its basis says."""

import json
import shutil

import pytest

from srlib.tools.inference import load_problems, score_answers

NOTES = {
    "truncated_last.MAR": "not complete",
    "merlin.MMAP": "without variables",
    "unnormalised.MAR": "do not sum to 1",
    "negative.MAR": "is negative or no number",
    "violates_evidence.MPE": "observed state",
    "out_of_range.MPE": "has no state",
}


def test_each_edge_case_gets_the_score_of_its_basis(reference_data, tmp_path):
    """Each file is the only answer of a solver named after it."""
    source = reference_data / "uai"
    cases = json.loads((source / "edge_cases" / "expected.json").read_text())
    cases = [case for case in cases if "task" in case]
    assert len(cases) == 21
    for case in cases:
        answer = tmp_path / case["file"] / f"{case['instance']}.uai.{case['task']}"
        answer.parent.mkdir()
        shutil.copy(source / "edge_cases" / case["file"], answer)
    problems = [p for p in load_problems(source / "problems") if p.name == cases[0]["instance"]]
    rows = score_answers(problems, tmp_path).scores.set_index(["solver", "task"])
    for case in cases:
        name, expected = case["file"], case["expect"]
        row = rows.loc[(name, case["task"])]
        assert NOTES.get(name, "") in row["note"], name
        score = expected.get("score", expected.get("score_if_fallback"))
        if "log10_Z" in expected:
            score = 100
        if score is not None:
            assert row["score"] == pytest.approx(score, abs=1e-6), name
        if "score_about" in expected:
            assert row["score"] == pytest.approx(expected["score_about"], abs=1e-2), name
        if expected.get("status") == "invalid":
            assert (row["status"], row["score"]) == ("invalid", 0), name
        if "as_log10_err" in expected:
            assert row["error"] == pytest.approx(expected["as_log10_err"], abs=1e-6), name
