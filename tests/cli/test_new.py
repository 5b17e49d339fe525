"""`srlib new`: a suite that judges at once."""

from pathlib import Path

from srlib.rendering.suite import load_suite
from tests.builders import judge_competition


def test_a_new_suite_judges_at_once(call):
    code, output, _ = call("new mine")
    assert code == 0 and "srlib report" in output
    assert "#" in Path("mine/suite.yaml").read_text()
    report, _ = load_suite("mine/suite.yaml").reports
    stated = {key: report.parameters[key] for key in ("runs", "problems", "rules")}
    judgement = judge_competition(
        **{key: report.path_of(key, text) or text for key, text in stated.items()}
    )
    assert judgement.ranking["method"].tolist()[0] == "careful"
    assert judgement.counts == {**judgement.counts, "read": 8, "scored": 8, "excluded": 0}
