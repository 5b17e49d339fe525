"""`srlib new`: a suite that judges at once."""

from pathlib import Path

from srlib.judging import judge_runs
from srlib.rendering.suite import load_suite
from srlib.rules import load_rules


def test_a_new_suite_judges_at_once(call):
    code, output, _ = call("new mine")
    assert code == 0 and "srlib report" in output
    assert "#" in Path("mine/suite.yaml").read_text()
    report, _ = load_suite("mine/suite.yaml").reports
    assert report.notebook.is_relative_to(Path("mine").resolve())
    runs, problems, rules = (
        report.path_of(key, report.parameters[key]) or report.parameters[key]
        for key in ("runs", "problems", "rules")
    )
    judgement = judge_runs(runs, problems, rules)
    assert judgement.ranking["method"].tolist()[0] == "careful"
    assert judgement.counts == {**judgement.counts, "read": 8, "scored": 8, "excluded": 0}
    assert load_rules(rules).judge.repetitions == 2
