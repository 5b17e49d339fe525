"""What a competition says of itself stands on the pages, escaped, and decides no number."""

import pytest

from srlib.errors import InputError
from srlib.problems import load_problems
from srlib.rendering import render_suite
from srlib.rendering.provenance import about, provenance
from srlib.rendering.suite import load_suite
from tests.rendering.small import CHECK, write_notebook, write_suite

SAID = (
    "date: 2026-03-01\ndeadline: 1 May <b>\ncontact: a@example.org\ndescription: 'Find & explain'\n"
)
PROBLEMS = (
    "schema: 1\nname: p\n{head}problems:\n  - {{dataset: d, features: [a], truth: a^2{told}}}\n"
)


def written(folder, head="", told="", suite=""):
    """Write notebook, problems and suite; only the words differ."""
    write_notebook(folder / "n.ipynb", CHECK, texts="problems")
    (folder / "problems.yaml").write_text(PROBLEMS.format(head=head, told=told))
    path = write_suite(folder, {"n": "{}"}, "{problems: ./problems.yaml}")
    path.write_text(path.read_text().replace("title:", f"{suite}title:"))
    return path


@pytest.mark.slow
def test_the_page_has_date_deadline_contact_and_texts(tmp_path):
    suite = written(tmp_path, SAID, ", description: 'Speed of <i>cars</i>'", "contact: me & you\n")
    [result] = render_suite(suite, tmp_path / "out")
    assert result.state == "executed"
    page = (tmp_path / "out" / "n.html").read_text()
    for text in ("2026-03-01", "1 May &lt;b&gt;", "Find &amp; explain", "<dt>d</dt>", "me &amp; you",
                 "Speed of &lt;i&gt;cars&lt;/i&gt;"):  # fmt: skip
        assert text in page
    assert "a@example.org" not in page  # the suite's word comes first
    assert "me &amp; you" in (tmp_path / "out" / "index.html").read_text()


def test_words_change_no_digest_and_are_rendered_again(tmp_path):
    silent = load_problems(written(tmp_path).parent / "problems.yaml")
    [plain] = load_suite(tmp_path / "suite.yaml").reports
    before = provenance(plain).fingerprint
    suite = load_suite(written(tmp_path, suite="date: 2027-01-01\n"))
    assert provenance(suite.reports[0]).fingerprint != before
    assert about(suite.reports[0]) == {"date": "2027-01-01", "datasets": []}
    assert about(plain) == {"datasets": []}
    said = load_problems(written(tmp_path, SAID, ", description: D").parent / "problems.yaml")
    assert said.about["date"] == "2026-03-01" and said.problems[0].description == "D"
    assert said.problems[0].digest == silent.problems[0].digest


def test_a_word_that_is_no_text_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="contact"):
        load_suite(written(tmp_path, suite="contact: [1]\n"))
