"""Pages for the browser: what the displays would show, put into a notebook by hand, and those of the demo suite."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from srlib.displays import Page, ScoresDisplay, aspect_table, best_models, final_ranking
from srlib.rendering import report
from srlib.rendering.page import write_index
from srlib.rendering.report_page import write_report
from srlib.rendering.suite import load_suite
from tests.builders import made_up_judgement, small_job
from tests.displays.conftest import keep_outputs

RENDERED = Path(__file__).parents[2] / "reports/demo"
DEMO = (*(r.name for r in load_suite("demo").reports if not r.for_each), "participants/deap")
INDEXES = ("index", "demo")
NAMES = ("good", "bad", *INDEXES, *DEMO)
WORDS = r"""# Who wins <small>?

Simplicity is $\mathrm{round}(-\log_b s, d)$.

## The ranking

### In detail

Text."""
VALUES = [10, -2, np.nan, 1, 20, 0.001, np.inf, 1e9, -1000.5, 0, np.nan, -np.inf, 1234, 9]
LONG = pd.DataFrame({"value": [*VALUES, *range(30, 36)]})
LONG.insert(0, "name", "row " + LONG.index.astype(str))


def shown_outputs(folder, monkeypatch):
    """Call the displays on the made-up judgement and keep what they would have shown."""
    outputs, judgement = keep_outputs(monkeypatch), made_up_judgement()
    page = Page({"output_dir": str(folder)})
    page.answer(judgement, "Who wins <small>?", certainty="A <b> wins 40%.")
    page.figure(ScoresDisplay.from_judgement(judgement), "scores", "Scores & ranks")
    for name, table, layout in (
        ("ranking", final_ranking(judgement), {}),
        ("aspects", aspect_table(judgement, "d1"), {"folded": True}),
        ("models", best_models(judgement, "d1"), {}),
        ("long", LONG, {"see": {"The ranking": "ranking"}}),
    ):
        page.table(table, name, name.title(), **layout)
    return outputs


def write_pages(out, monkeypatch):
    """Write a good report, a failed one, and an index that names a missing one, too."""
    new, names = out / "new", ("good", "bad", "missing")
    outputs = shown_outputs(new / "good", monkeypatch)
    shutil.copytree(new / "good", new / "bad")
    text = new_output("stream", name="stdout", text="passed: <all>\nchecks passed: 1 of 1\n")
    cells = [
        new_markdown_cell(WORDS),
        new_code_cell("import pandas as pd  # words"),
        new_code_cell('show("all")', outputs=[*outputs, text], execution_count=1),
    ]
    for name, failure in (("good", ""), ("bad", "Cell 2 raised <b>: x")):
        job = small_job(out, name, "Made up & tested")
        write_report(job, new_notebook(cells=cells), failure)
    reports = [
        SimpleNamespace(name=name, theme="", method="", notebook=Path(name)) for name in names
    ]
    suite = SimpleNamespace(title="Made up & tested", reports=reports, about={}, looks={})
    write_index(suite, new, {name: small_job(out, name).origin for name in names})
    return {name: new / f"{name}.html" for name in ("good", "bad", "index")}


def render_demo(out, **options):
    """Render the demo suite; take what `make report` rendered as far as it is up to date."""
    if RENDERED.is_dir():
        shutil.copytree(RENDERED, out, dirs_exist_ok=True)
    states = [
        (outcome.state, outcome.verdict) for outcome in report("demo", out, **options).outcomes
    ]
    assert {state for state, _ in states} <= {"executed", "unchanged"}, states
    return {"demo": out / "index.html", **{name: out / f"{name}.html" for name in DEMO}}
