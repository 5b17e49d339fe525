"""A suite's paths, and what is wrong with one in one sentence, before anything is executed."""

import re

import pytest

from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.rendering import report as render
from srlib.rendering.suite import load_suite
from tests.builders import CHECK, each, write_notebook, write_suite


def test_paths_are_relative_to_the_suite_file_and_bare_names_stay(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    (tmp_path / "runs.csv").write_text("x")
    [report] = load_suite(write_suite(tmp_path, {"a": "{number: 2}"})).reports
    assert report.notebook == tmp_path / "a.ipynb" and report.parameters == {"number": 2}
    assert report.path_of("runs", "./runs.csv") == tmp_path / "runs.csv"
    assert report.path_of("rules", "judging-2022") == PARAMETERS / "rules/judging-2022.yaml"
    assert report.path_of("runs", "demo") is report.path_of("number", 2) is None
    with pytest.raises(InputError, match="runs: ./none.csv does not exist beside the suite"):
        report.path_of("runs", "./none.csv")


# what is replaced in the suite, by what, and the sentence that comes
FAULTS = r"""
schema: 1 | schema: 2 | schema
defaults: {} | default: {} | unknown key 'default'
defaults: {} | contact: [1] | contact
name: a, | name: index, | taken by the index
name: a, | name: ../a, | name
name: a, | name: a, for_each: method, | no parameter 'method'; it takes number, runs
notebook: a.ipynb | notebook: b.ipynb | no notebook b.ipynb
{}} | {output_dir: x}} | a.ipynb has no parameter 'output_dir'; it takes number
{}} | {number: abc}} | number: input should be a valid integer, got 'abc'
{}} | {number: true}} | number: input should be a valid integer, got True
{}} | {runs: 7}} | runs: input should be a valid string, got 7
defaults | style: {palette: 3}\ndefaults | style.palette
defaults | style: {palette: nope}\ndefaults | a name that seaborn knows
defaults | style: {palette: [red, bleu]}\ndefaults | 'bleu'
defaults | style: {palette: {a: 3x}}\ndefaults | '3x'
defaults | style: {palette: []}\ndefaults | or colours were expected, got []
defaults | style: {widths: {column: 3}}\ndefaults | at least 2
defaults | style: {widths: {column: 3, page: 90}}\ndefaults | style.widths.page
defaults | style: {size: 90}\ndefaults | style.size
defaults | style: {font: x}\ndefaults | unknown key 'font'; allowed: methods, order
"""


@each("old new message", FAULTS)
def test_wrong_suite_is_refused_in_one_sentence(tmp_path, old, new, message):
    write_notebook(tmp_path / "a.ipynb", CHECK, texts="runs")
    path = write_suite(tmp_path, {"a": "{}"})
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=f"suite.yaml: .*{re.escape(message)}") as error:
        render(path, tmp_path / "out")
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()
