"""A competition of many methods and datasets: a summary first, whole tables beside the page, medians in sight."""

import base64
import re
from copy import copy

import numpy as np
import pandas as pd
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_code_cell, new_notebook, new_output

from srlib import displays
from srlib.displays import show
from srlib.displays.bundles import TABLE
from srlib.displays.figures.scores import ScoresDisplay
from srlib.displays.tables import many
from srlib.displays.tables.aspects import dataset_titles
from srlib.judging import judge_runs
from srlib.rendering.html import frame_side_pages, table_html
from tests.benchmarks import large
from tests.gauntlet import pages


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("large")
    large.write(path, methods=4, datasets=10, repetitions=2, known=True)
    return path


@pytest.fixture(scope="module")
def judgement(folder):
    return judge_runs(
        folder / "assessments.parquet", folder / "problems.yaml", folder / "rules.yaml"
    )


@pytest.fixture()
def published(monkeypatch):
    publisher = CapturingDisplayPublisher()
    monkeypatch.setattr(InteractiveShell, "initialized", classmethod(lambda cls: True))
    monkeypatch.setattr(
        InteractiveShell,
        "instance",
        classmethod(lambda cls: type("S", (), {"display_pub": publisher})),
    )
    return publisher.outputs


def test_a_long_table_shows_its_first_rows_and_has_all_in_a_page_beside(tmp_path, published):
    rows = [f"=cmd({i}) <b>" for i in range(show.LONG + 1)]
    out = tmp_path / "r"
    displays.show_table(pd.DataFrame({"method": rows}), out, name="all", caption="All & every")
    data = published[0]["data"]
    assert data["text/html"].count("<tr>") == show.SHOWN + 1
    assert f"the first {show.SHOWN} of {show.LONG + 1:,} rows" in data["text/html"]
    assert len(pd.read_csv(out / "tables" / "all.csv")) == len(rows)
    assert (out / "tables" / "all.tex").read_text().count("=cmd") == show.SHOWN
    cell = new_code_cell(outputs=[new_output("display_data", data=data)])
    frame_side_pages(new_notebook(cells=[cell]), "r", out)
    aside = (out / "tables" / "all.html").read_text()
    assert aside.count('<th scope="row"') == len(rows) and "<b>" not in aside
    assert 'href="../../r.html#table-all"' in aside and "default-src 'none'" in aside
    held = re.search(r'href="data:text/csv;charset=utf-8;base64,([^"]+)"', aside)
    assert base64.b64decode(held[1]).decode().splitlines()[1].startswith("'=cmd(0)")
    shown = table_html(data[TABLE], data["text/html"], out)
    assert 'href="r/tables/all.html"' in shown and "data:" not in shown


def test_a_table_that_is_not_long_stands_whole_on_the_page(tmp_path, published):
    frame = pd.DataFrame({"n": range(show.LONG)})
    displays.show_table(frame, tmp_path, name="all", caption="All")
    assert published[0]["data"]["text/html"].count("<tr>") == show.LONG + 1
    assert not (tmp_path / "tables" / "all.html").exists()


@pytest.mark.parametrize(
    ("rows", "folded", "shown"), [(300, True, 60), (300, False, 300), (50, True, 50)]
)
def test_a_folded_matrix_of_very_many_cells_shows_its_first_rows(
    rows, folded, shown, tmp_path, published
):
    frame = pd.DataFrame({f"m{i}": np.zeros(rows) for i in range(show.CELLS // rows + 1)})
    frame.insert(0, "dataset", [f"d{i}" for i in range(rows)])
    displays.show_matrix(frame, tmp_path, name="all", caption="All", folded=folded)
    data = published[0]["data"]
    assert data["text/html"].count("<tr>") == shown + 1
    assert data[TABLE]["folded"] is folded
    assert (tmp_path / "tables" / "all.html").exists() == (shown < rows)


def test_tables_of_all_datasets_hold_what_those_of_each_do(judgement):
    for make in (displays.aspect_table, displays.best_models):
        whole = make(judgement)
        for dataset, part in whole.groupby("dataset"):
            one = make(judgement, dataset)
            pd.testing.assert_frame_equal(
                part[one.columns].reset_index(drop=True), one, check_dtype=False
            )
    lines = displays.trace_lines(judgement)
    for method, part in lines.groupby("method"):
        one = displays.trace_lines(judgement, method)
        pd.testing.assert_frame_equal(
            part[one.columns].reset_index(drop=True), one, check_dtype=False
        )
    evidence = displays.evidence_table(judgement)
    assert len(evidence) == judgement.assessments["solution"][
        judgement.assessments["dataset"].isin(set(judgement.datasets["dataset"]))
    ].sum()  # fmt: skip


def test_the_summary_says_who_leads_and_what_is_solved(judgement):
    short = displays.datasets_in_short(judgement).set_index("dataset")
    assert list(short.index) == list(displays.in_turn(judgement))
    assert len(short) == judgement.datasets["dataset"].nunique() == 10
    for dataset, row in short.iterrows():
        scores = judgement.datasets[judgement.datasets["dataset"] == dataset].set_index("method")[
            "score"
        ]
        assert row["leads"].split(", ")[0].split(" and ")[0] == min(
            scores.index[scores == scores.max()]
        )
        assert row["best score"] == scores.max() and row["median score"] == scores.median()
        runs = judgement.assessments.query("solution").query(f"dataset == {dataset!r}")
        assert row["solved by"] == runs["method"].nunique()


def test_of_many_datasets_one_is_shown_in_full(judgement, monkeypatch):
    assert len(displays.in_full(judgement)) == 10
    monkeypatch.setattr(many, "CELLS", 39)
    assert displays.in_full(judgement) == list(displays.in_turn(judgement))[:1]
    assert displays.in_full(judgement, "solut_005") == ["solut_005"]


def test_the_page_of_many_datasets_passes_its_checks(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(many, "CELLS", 1)
    pages.undrawn(monkeypatch)
    given = {"runs": str(folder / "assessments.parquet"), "output_dir": str(tmp_path)}
    _, said = pages.execute("synthetic", folder, **given)
    assert pages.passed(said)
    made = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert {
        "datasets-in-short",
        "aspects-of-all",
        "models-of-all",
        "evidence-of-all",
        "trace-of-all",
    } <= made
    assert len([name for name in made if name.startswith("aspects-")]) == 2


def test_many_dots_stand_behind_the_median():
    values = np.random.default_rng(3).uniform(0, 3, 300)
    ranking = pd.DataFrame({"method": ["A"], "score": [1.0], "rank": [1]})
    for n, behind in ((300, True), (30, False)):
        numbers = pd.DataFrame({"method": "A", "dataset": range(n), "score": values[:n]})
        axes = ScoresDisplay(numbers, ranking).plot().ax_[0]
        dots = next(line for line in axes.lines if len(line.get_xdata()) == n)
        middle = next(
            line for line in axes.lines if set(line.get_xdata()) == {np.median(values[:n])}
        )
        assert (dots.get_zorder() < middle.get_zorder()) is behind
        assert (dots.get_alpha() < 0.5) is behind


def test_a_figure_of_very_many_panels_draws_the_first_and_says_so(tmp_path, published):
    names = [f"d{i:02d}" for i in range(30)]
    rows = [
        {"dataset": d, "method": m, "runs": 2, "x1": 1.0, "x2": 0.5} for d in names for m in "AB"
    ]
    use = displays.FeatureUseDisplay(pd.DataFrame(rows), {d: frozenset({"x1"}) for d in names})
    drawn = [t for axes in use.plot().figure_.axes if (t := axes.get_title("left"))]
    assert drawn == names[:12]
    said = "Only the first 12 of 30 datasets are drawn; the tables have the numbers of all."
    assert use.alt.endswith(said) and "d11" in use.alt and "d12 " not in use.alt
    displays.show_figure(use, tmp_path, name="use", caption="Use.")
    assert published[0]["data"]["text/plain"].startswith(f"Use. {said}\n")
    assert len(pd.read_csv(tmp_path / "tables" / "use-numbers.csv")) == 60
    few = displays.FeatureUseDisplay(pd.DataFrame(rows[:24]), use.relevant)
    assert (
        few.left_out == ""
        and len([a for a in few.plot().figure_.axes if a.get_title("left")]) == 12
    )


def test_where_all_are_tied_nobody_leads(judgement):
    first = str(judgement.datasets["dataset"].iloc[0])
    level = judgement.datasets.assign(score=1.0)
    tied, led = copy(judgement), copy(judgement)
    vars(tied)["datasets"] = level
    assert dataset_titles(tied)[first].endswith(": all tied at 1.00")
    assert set(displays.datasets_in_short(tied)["leads"]) == {"all tied"}
    alone = level.assign(
        score=level["score"].where(level["method"] != level["method"].iloc[0], 2.0)
    )
    vars(led)["datasets"] = alone
    assert dataset_titles(led)[first].endswith(f": {level['method'].iloc[0]} leads with 2.00")
