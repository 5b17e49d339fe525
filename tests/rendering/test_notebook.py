"""Why a notebook cannot be trusted: its errors, cells that did not run, its last line and its files."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from srlib.rendering.report_page import find_failure, write_report
from tests.builders import small_job

CHECKED = "checks passed: 3 of 3\n"
NOTE = {"kind": "table", "name": "t", "caption": "T", "files": ["tables/t.csv", "tables/t.tex"]}
ERROR = new_output("error", ename="E", evalue="boom", traceback=["\x1b[31mline\x1b[0m"])
TABLE = new_output("display_data", {"text/html": "<table></table>"}, metadata={"srlib": NOTE})


def notebook_of(*texts, more=(), executed=True):
    """A notebook with a cell for each text that was printed; the last has more outputs."""
    outputs = [[new_output("stream", text=text)] for text in texts]
    outputs[-1] += more
    count = 1 if executed else None
    cells = [new_code_cell("code", execution_count=count, outputs=each) for each in outputs]
    return new_notebook(cells=cells)


NOTEBOOKS = {
    "": notebook_of("x", CHECKED),
    "Only 2 of 3 checks passed.": notebook_of("checks passed: 2 of 3\n"),
    "The last cell printed no line 'checks": notebook_of("checks passed: 0 of 0\n"),
    "The last cell printed no line": notebook_of(CHECKED, "after\n"),
    "The last cell printed no": new_notebook(),
    "Code cell 1 was not executed.": notebook_of(CHECKED, executed=False),
    "Code cell 1 raised E: boom": notebook_of(CHECKED, more=[ERROR]),
    "The notebook did not write tables/t.csv, which": notebook_of(CHECKED, more=[TABLE]),
}


@pytest.mark.parametrize("failure", NOTEBOOKS)
def test_notebook_that_is_half_done_fails_with_its_reason(failure, tmp_path):
    notebook = NOTEBOOKS[failure]
    handed = write_report(small_job(tmp_path), notebook, find_failure(notebook))
    assert handed["failure"].startswith(failure) and bool(handed["failure"]) == bool(failure)
    assert handed["verdict"] == (f"Failed. {handed['failure']}" if failure else "")
