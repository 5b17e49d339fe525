"""Write docs/files.md, the keys of all files that people write, and reports/README.md, the files of a rendered suite.

`make docs` runs it: `python docs/files_page.py`.
"""

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from srlib.problems.generators import Counts, Recipe
from srlib.problems.problem import Data, Problem
from srlib.problems.problem_file import ProblemFile
from srlib.rendering.labels import Label, LabelsFile
from srlib.rendering.suite import StyleFile, SuiteFile, _ReportFile
from srlib.tools.recording.methods import Method, MethodFile, ModelText
from srlib.yaml_files import Strict

PAGE = Path(__file__).with_name("files.md")
REPORTS_PAGE = PAGE.parents[1] / "reports" / "README.md"
INTRODUCTION = """\
# Files that you write, key by key

<!-- Made by docs/files_page.py from srlib. Do not edit: run `make docs`. -->

All of them are YAML, and begin with `schema: 1`. A wrong key, type or value is one sentence that names the file and the
key. `srlib new FOLDER` writes a suite, a problem file and a rules file to change;
`parameters/problems/example-tasks.yaml` has tasks of every kind. Rules have [a page of their own](rules.md).
"""
SECTIONS = (
    ("A problem file", "What methods are judged on: `--problems`.", ProblemFile),
    ("One of its `problems`", "`defaults` takes the same keys, for problems that do not state their own.", Problem),
    ("`data` of a problem", "Where its rows come from: exactly one of `generator`, `test`, `file` and `pmlb`.", Data),
    ("`arguments` of the generator `formula`", "A task from a formula, which is parsed and never executed.", Recipe),
    ("`rows` of these arguments", "", Counts),
    ("A methods file", "What `srlib run` runs: `srlib run METHODS PROBLEMS --out FOLDER`.", MethodFile),
    ("One of its `methods`", "Each is an estimator with `fit` and `predict`.", Method),
    ("`model` of a method", "How the formula is taken from the fitted estimator.", ModelText),
    ("A suite", "What `srlib report` renders.", SuiteFile),
    ("One of its `reports`", "", _ReportFile),
    ("`style` of a suite", "How its figures look.", StyleFile),
    ("A file of labels", "How names are printed: `labels` of a suite. Files and addresses keep the names.", LabelsFile),
    ("One of its `labels`", "`deap: DEAP` is short for `deap: {print: DEAP}`.", Label),
)  # fmt: skip


REPORTS = """\
# Reports

<!-- Made by docs/files_page.py. Do not edit: run `make docs`. -->

`make report` (or `srlib report SUITE`) writes here; git keeps only this page. Of a suite SUITE with a report NAME:

| file | what it is |
|---|---|
"""
REPORT_FILES = {
    "index.html": "start here: every report of the suite with its verdict; fresh, outdated, or failed in which cell",
    "NAME.html": "one report: a single page that needs no net and no script (one of its own sorts and searches long "
    "tables); send it to whoever wants to check a number",
    "NAME.report.json": "the same verdict for machines: ranking, checks, inputs with SHA-256, versions, parameters, "
    "and the fingerprint of all that decides the report",
    "NAME/notebook.ipynb": "the executed notebook; its last cell recomputes the headline from the files beside it",
    "NAME/*.csv": "what was judged, in full precision: ranking, aspects, datasets, ledger",
    "NAME/*.json": "what the page and its figures read: how methods look, the ranking under other rules",
    "NAME/numbers.tex": "sentences, numbers and names of the page by the keys that `--paper` takes over",
    "NAME/figures/*": "every figure at page width (PDF, SVG, PNG) and at column width (NAME-column: PDF, PNG); "
    "the strip of the final scores also on dark ground, for talks (strip-dark)",
    "NAME/tables/*": "every table as CSV (verbatim) and LaTeX ready for print",
}
REPORTS_END = """
A report is executed again when its notebook, a parameter, an input, srlib or one of the libraries changed, when its
page is missing, or with `--force`; a file that somebody edits stays as it is until then (`srlib diff` finds it).
Downloads inside a page put an apostrophe before text that a spreadsheet would take for a formula; the files in
`tables/` do not.
"""


def reports_page() -> str:
    """Make the page about the files of a rendered suite."""
    rows = [f"| `SUITE/{name}` | {meaning} |\n" for name, meaning in REPORT_FILES.items()]
    return REPORTS + "".join(rows) + REPORTS_END


def page() -> str:
    """Make the whole page."""
    text = INTRODUCTION
    for title, sentence, model in SECTIONS:
        rows = "".join(map(_row, model.model_fields.items()))
        text += f"\n## {title}\n\n{sentence}\n\n| key | default | meaning |\n|---|---|---|\n{rows}"
    return text.replace("\n\n\n", "\n\n")


def _row(item: tuple[str, Any]) -> str:
    name, field = item
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    shown = "required" if field.is_required() else "-"
    if default not in (None, "", (), {}, []) and not isinstance(default, Strict):
        shown = f"`{default}`"
    meaning = " ".join((field.description or "").split()).replace("|", "\\|")
    if choices := [f"`{value}`" for value in _choices(field.annotation) if value]:
        meaning += f" ({', '.join(choices)})"
    return f"| `{field.alias or name}` | {shown} | {meaning} |\n"


def _choices(annotation: Any) -> list[str]:
    """Texts that a key may have, where these are listed."""
    if get_origin(annotation) is Literal:
        return [value for value in get_args(annotation) if isinstance(value, str)]
    return [value for part in get_args(annotation) for value in _choices(part)]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    REPORTS_PAGE.write_text(reports_page(), encoding="utf-8")
