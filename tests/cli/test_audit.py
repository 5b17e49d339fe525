"""`srlib audit`: exit codes, and the table of all findings."""

from pathlib import Path

import pandas as pd
import pytest

FAULTS = Path(__file__).parents[1] / "tools" / "audit" / "faults"
FAULTY = (FAULTS / "features.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "code", "verdicts", "line"),
    [
        (FAULTY, 1, {"fail", "pass"}, "fail  planted  features: seed 1: stated, not in the truth: x3"),
        (FAULTY.replace("[x1, x2, x3]", "[x1, x2]"), 0, {"pass"}, "7 checks of 1 datasets: 7 pass, 0 warn, 0 fail"),
    ],
    ids=["a failed check", "no finding"],
)  # fmt: skip
def test_exit_code_and_written_findings(text, code, verdicts, line, call):
    Path("p.yaml").write_text(text)
    ended, output, _ = call("audit p.yaml --out findings.csv")
    findings = pd.read_csv("findings.csv")
    assert (ended, output.splitlines()[0], {*findings["verdict"]}) == (code, line, verdicts)
    assert " ".join(findings) == "dataset check verdict value detail" and len(findings) == 7
