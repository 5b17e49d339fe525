"""Results: their tables are copies, their files are written whole, and a missing package is named."""

import subprocess
import sys
from dataclasses import dataclass

import pandas as pd
import pytest

import srlib
import srlib.rendering.provenance
from srlib.result import FIRST_ROWS, Result
from tests.builders import refused


@dataclass(frozen=True, repr=False)
class Words(Result):
    """A result with a table."""

    word: pd.DataFrame

    command = "say"

    @property
    def sentences(self):
        return [f"The word is {self.word.iloc[0, 0]}."]

    @property
    def _tables(self):
        return {"Words <b>": self.word}

    @property
    def _files(self):
        return {"a": self.word, "b": self.word}


def words(*texts):
    return Words(pd.DataFrame({"word": list(texts)}))


def test_writing_into_tables_and_files_of_a_result_changes_no_sentence():
    result = words("old")
    for table in (*result.tables.values(), *result.files.values()):
        table["word"] = "new"
    assert result.sentences == ["The word is old."] and result.word["word"].tolist() == ["old"]


def test_subclasses_of_result_leave_copying_to_it():
    assert all([srlib.check, srlib.parse, srlib.compare, srlib.report]), "imported"
    for kind in (kinds := Result.__subclasses__()):
        assert not {"tables", "files", "write"} & set(vars(kind)), kind
    assert len(kinds) > 8


def test_jupyter_shows_the_first_rows_escaped_with_pandas_alone():
    page = words("<i>\u202e", *map(str, range(FIRST_ROWS)))._repr_html_()
    assert "The word is &lt;i&gt;\\u202e." in page and "<td>&lt;i&gt;\\u202e</td>" in page
    assert f"Words &lt;b&gt;: the first {FIRST_ROWS} of {FIRST_ROWS + 1} rows" in page
    assert page.count("<tr") == FIRST_ROWS + 1


def test_files_beside_others_are_replaced_after_all_are_written(tmp_path):
    def texts(folder):
        return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}

    (tmp_path / "mine.txt").write_text("mine")
    words("old").write(tmp_path, keep_others=True)
    with refused("cannot be written|a regular file"):
        BrokenWords(pd.DataFrame({"word": ["new"]})).write(tmp_path, keep_others=True)
    old = dict.fromkeys(["a.csv", "b.csv"], "word\nold\n")
    assert texts(tmp_path) == {"mine.txt": "mine", **old}
    with refused("it holds a.csv, which `srlib say` did not write"):
        words("new").write(tmp_path)
    for word in ("new", "newer"):
        words(word).write(tmp_path / "own")
    assert texts(tmp_path / "own") == dict.fromkeys(["a.csv", "b.csv"], "word\nnewer\n")


class BrokenWords(Words):
    """A result whose second file cannot be written."""

    @property
    def _files(self):
        return {"a": self.word, "a.csv/b": self.word}


@pytest.mark.parametrize("call", ["report('demo')", "to_html(srlib.parse('x'))"])
def test_missing_package_ends_a_call_in_one_sentence(call):
    code = f"import sys; sys.modules['jinja2'] = None; import srlib; srlib.{call}"
    ended = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    advice = "jinja2 is not installed: pip install 'srlib[report,methods,lab]' brings it"
    assert ended.stderr.splitlines()[-1] == f"srlib.errors.InputError: {advice}"


def test_package_that_only_kernels_need_is_named_before_rendering(tmp_path, monkeypatch):
    packages = (*srlib.rendering.provenance.PACKAGES, "nowhere")
    monkeypatch.setattr(srlib.rendering.provenance, "PACKAGES", packages)
    srlib.rendering.provenance.versions.cache_clear()
    with refused("nowhere is not installed: pip install"):
        srlib.report("demo", tmp_path / "out")
    assert not (tmp_path / "out").exists()
