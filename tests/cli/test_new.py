from srlib.cli.main import DONE, WRONG_INPUT, main
from srlib.judging import judge_runs
from srlib.rendering.suite import load_suite
from srlib.rules import load_rules


def started(folder):
    """Start a suite and judge its runs, as its report does."""
    assert main(["new", str(folder)]) == DONE
    report, _ = load_suite(folder / "suite.yaml").reports
    assert report.notebook.is_relative_to(folder.resolve())
    places = {key: report.path_of(key, value) or value for key, value in report.parameters.items()}
    return judge_runs(places["runs"], places["problems"], places["rules"]), load_rules(
        places["rules"]
    )


def test_a_new_suite_judges_at_once(tmp_path, capsys):
    judgement, rules = started(tmp_path / "mine")
    assert judgement.ranking["method"].tolist()[0] == "careful" and rules.judge.repetitions == 2
    assert judgement.counts == {**judgement.counts, "read": 8, "scored": 8, "excluded": 0}
    assert "srlib report" in capsys.readouterr().out
    assert "#" in (tmp_path / "mine" / "suite.yaml").read_text()


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["new", str(tmp_path)]) == WRONG_INPUT
    assert "a new or empty folder" in capsys.readouterr().err
    assert not (tmp_path / "suite.yaml").exists()
