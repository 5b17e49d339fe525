"""`srlib audit`: exit codes, and the table of all that was found."""

from pathlib import Path

import pandas as pd
import pytest

FAULTY = (Path(__file__).parent.parent / "audit" / "faults" / "features.yaml").read_text()


def test_a_clean_file_is_exit_0_and_all_findings_are_written(call):
    Path("p.yaml").write_text(FAULTY.replace("[x1, x2, x3]", "[x1, x2]"))
    ended = call("audit p.yaml --out findings.csv")
    assert ended == (0, "7 checks of 1 datasets: 7 pass, 0 warn, 0 fail\n", "")
    findings = pd.read_csv("findings.csv")
    assert " ".join(findings) == "dataset check verdict value detail"
    checks = "columns duplicates features leakage noise target truth"
    assert " ".join(findings["check"]) == checks


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (FAULTY, 1, "fail  planted  features: seed 1: stated, not in the truth: x3"),
        (
            "{schema: 1, name: n, problems: [{dataset: d, features: [a], truth: a, property: solution}]}",
            0,
            "warn  d  data: no data are stated",
        ),
    ],
    ids=["a failed check is exit 1", "without data nothing is certain"],
)
def test_what_is_found_is_said(text, code, line, call):
    Path("p.yaml").write_text(text)
    ended, output, _ = call("audit p.yaml")
    assert (ended, output[: len(line)]) == (code, line)
