"""Pages of participants without a kernel: a made-up competition of odd names, and what the renderer makes of it."""

from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_notebook, new_output

from srlib.displays import final_ranking, score_matrix
from srlib.displays import show as tables
from srlib.displays.participants import show as module
from srlib.displays.participants.show import page_names, show_participants
from srlib.judging import judge
from srlib.judging.robustness import certainty
from srlib.rendering.execute import write_page
from srlib.rendering.provenance import Provenance
from srlib.rendering.publish import publish, rendering_lock, staging_folder
from tests.judging.small import problems, rules, runs

ODD = ["Ana", "../<b>&", "ana ", "CON", "x_y.1", "a\u202eb", "z" * 70]
ORIGIN = Provenance((("runs: r.csv", "ab" * 32),), {"python": "3"}, {"runs": "r.csv"}, "f")


def competition(methods=ODD, idle=(), barred=()):
    """Each method is worse than the one before it on formula and better on beyond; noise ties them all."""
    table = {}
    for i, name in enumerate(methods):
        table[name, "formula"] = {
            "r2_test": [0.9 - 0.1 * i],
            "complexity": [3 + i],
            "model": ["a + b"],
        }
        table[name, "beyond"] = {"r2_test": [0.3 + 0.05 * i], "model": ["2*a"]}
    lost = {"model": [None], "status": ["failed"], "reason": ["x"]}
    table |= {(name, "formula"): lost for name in idle}
    frame = runs(table, 1)
    return judge(frame, problems(), rules("judging-2022", repetitions=1), frozenset(barred))


def shown(judgement, folder, monkeypatch):
    """Write the pages, and give them with the outputs that a notebook would keep."""
    outputs = []

    def keep(data, metadata=None, raw=False):
        outputs.append(new_output("display_data", data, metadata=metadata or {}))

    monkeypatch.setattr(module, "display", keep)
    monkeypatch.setattr(tables, "display", keep)
    tables.show_table(
        final_ranking(judgement), folder, name="final-ranking", caption="Ranking", row_headers=2
    )
    show_participants(judgement, folder, certainty(judgement))
    scores = score_matrix(judgement)
    leads = ["final-ranking"] * len(scores)
    facts = ["property", "difficulty"]
    tables.show_matrix(
        scores, folder, name="score-of-each", caption="Scores", facts=facts, leads=leads
    )
    names = page_names([*judgement.ranking["method"], *sorted(judgement.screened.barred)])
    pages = {
        name: BeautifulSoup(
            (folder / "participants" / f"{file}.html").read_text(encoding="utf-8"), "html.parser"
        )
        for name, file in names.items()
    }
    return pages, outputs


def rendered(judgement, out, monkeypatch, failure=None, people="participants"):
    """Publish the report `r` with the pages of its participants."""
    job = {"name": "r", "suite_title": "Odd & own", "people": people, "links": {}}
    with rendering_lock(out), staging_folder(out, "r") as staging:
        _, outputs = shown(judgement, staging / "new" / "r", monkeypatch)
        cell = new_code_cell("x", execution_count=1, outputs=outputs)
        write_page(staging, job, new_notebook(cells=[cell]), ORIGIN, failure)
        publish(out, staging, "r")
    return out
