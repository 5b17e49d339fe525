"""What a competition says of itself stands on the pages, escaped, and decides no number."""

from dataclasses import replace

from nbformat.v4 import new_notebook

from srlib.problems import load_problems
from srlib.rendering.provenance import provenance
from srlib.rendering.report_page import write_report
from srlib.rendering.suite import load_suite
from tests.builders import CHECK, small_job, write_notebook, write_suite

HEAD = "date: 2026-03-01\ndeadline: 1 May <b>\ncontact: a@example.org\n"
PROBLEMS = "schema: 1\nname: p\n{}problems:\n  - {{dataset: d, features: [a], truth: a^2{}}}\n"


def test_words_about_a_competition_stand_on_the_page_and_change_no_digest(tmp_path):
    """The suite's word comes before that of the problem file; a changed word changes the fingerprint."""
    write_notebook(tmp_path / "n.ipynb", CHECK, texts="problems")
    path, problems = write_suite(tmp_path, {"n": "{problems: ./p.yaml}"}), tmp_path / "p.yaml"
    path.write_text(path.read_text().replace("title:", "contact: me & you\ntitle:"))
    problems.write_text(PROBLEMS.format("", ""))
    [report] = load_suite(path).reports
    [silent], before = load_problems(problems).problems, provenance(report).fingerprint
    problems.write_text(PROBLEMS.format(HEAD, ", description: Speed of <i>"))
    write_report(replace(small_job(tmp_path), report=report), new_notebook(), "")
    page = (tmp_path / "new/n.html").read_text()
    for text in ("2026-03-01", "1 May &lt;b&gt;", "me &amp; you", "<dd>Speed of &lt;i&gt;</dd>"):
        assert text in page
    assert "a@example.org" not in page and provenance(report).fingerprint != before
    assert load_problems(problems).problems[0].digest == silent.digest
