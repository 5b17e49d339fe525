"""Pages for the browser: what the displays would show, put into a notebook by hand, and those of the demo suite."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from srlib.displays import (
    DotsDisplay,
    ScoresDisplay,
    aspect_table,
    best_models,
    final_ranking,
    show_verdict,
)
from srlib.displays import show as module
from srlib.rendering import render_suite
from srlib.rendering.page import write_index
from srlib.rendering.report_page import write_report
from srlib.rendering.suite import load_suite
from tests.displays.conftest import keep_outputs
from tests.displays.made_up import made_up_judgement
from tests.rendering.small import small_job

RENDERED = Path(__file__).parents[2] / "reports" / "demo"
DEMO = (*(r.name for r in load_suite("demo").reports if not r.for_each), "participants/deap")
SMALL = ("good", "bad", "index")
INDEXES = ("index", "demo")
NAMES = (*SMALL, "demo", *DEMO)
WORDS = r"""# Who wins <small>?

Simplicity is $\mathrm{round}(-\log_b s, d)$.

## The ranking

### In detail

Text."""


def shown_outputs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list:
    """Call the displays on the made-up judgement and keep what they would have shown."""
    outputs = keep_outputs(monkeypatch)
    judgement = made_up_judgement()
    ranking = final_ranking(judgement)
    sure = "A <b> wins 40%."
    show_verdict(judgement, "Who wins <small>?", certainty=sure)
    module.show_table(ranking, folder, name="ranking", caption="Ranking", row_headers=2, marked=[0])
    module.show_figure(
        ScoresDisplay.from_judgement(judgement), folder, name="scores", caption="Scores & ranks"
    )
    module.show_figure(
        DotsDisplay.from_values(
            {"score": {"": judgement.datasets.pivot_table("score", "dataset", "method")}}
        ),
        folder,
        name="curve",
        caption="Curve",
    )
    module.show_table(
        aspect_table(judgement, "d1"), folder, name="aspects", caption="d1", marked=[0], folded=True
    )
    module.show_table(
        best_models(judgement, "d1"), folder, name="models", caption="Models", equations=["model"]
    )
    values = [10, -2, np.nan, 1, 20, 0.001, np.inf, 1e9, -1000.5, 0, np.nan, -np.inf, 1234, 9]
    values += range(30, 36)
    long = pd.DataFrame({"name": [f"row {i}" for i in range(20)], "value": values})
    module.show_table(
        long,
        folder,
        name="long",
        caption="Long",
        see={"The ranking": "ranking"},
    )
    return outputs


def write_pages(out: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Write a good report, a failed one, and their index."""
    new = out / "new"
    outputs = shown_outputs(new / "good", monkeypatch)
    shutil.copytree(new / "good", new / "bad")
    for name, failure in (
        ("good", ""),
        ("bad", "Cell 2 raised <b>: x"),
    ):
        text = new_output("stream", name="stdout", text="passed: <all>\nchecks passed: 1 of 1\n")
        cells = [new_markdown_cell(WORDS), new_code_cell("import pandas as pd  # words")]
        cells.append(new_code_cell('show("all")', outputs=[*outputs, text], execution_count=1))
        job = small_job(out, name, "Made up & tested")
        write_report(job, new_notebook(cells=cells), failure)
    reports = tuple(
        SimpleNamespace(name=name, theme="", method="", notebook=Path(name))
        for name in ("good", "bad", "missing")
    )
    suite = {"title": "Made up & tested", "reports": reports, "about": {}}
    origins = {name: small_job(out, name).origin for name in ("good", "bad", "missing")}
    write_index(SimpleNamespace(**suite), new, origins)
    return {name: new / f"{name}.html" for name in SMALL}


def render_demo(out: Path) -> dict[str, Path]:
    """Render the demo suite, or take what `make report` rendered as far as it is up to date."""
    shutil.copytree(RENDERED, out, dirs_exist_ok=True) if RENDERED.is_dir() else None
    results = render_suite("demo", out)
    assert {result.state for result in results} <= {"executed", "unchanged"}, [
        r.handed["verdict"] for r in results
    ]
    return {"demo": out / "index.html", **{name: out / f"{name}.html" for name in DEMO}}
