"""A competition of many methods and datasets: a summary first, whole tables beside the page, medians in sight."""

import pandas as pd
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

from srlib import displays
from srlib.displays import show
from srlib.displays.tables import aspects
from srlib.judging import judge_runs
from tests.displays import large
from tests.gauntlet import pages


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("large")
    large.write(path, methods=4, datasets=10, repetitions=2)
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


def test_of_a_long_table_the_page_has_the_first_rows_and_the_csv_all(tmp_path, published):
    rows = [f"=cmd({i}) <b>" for i in range(show.MOST_ROWS + 1)]
    displays.show_table(pd.DataFrame({"method": rows}), tmp_path, name="all", caption="All")
    page = published[0]["data"]["text/html"]
    assert page.count("<tr>") == show.MOST_ROWS + 1
    assert f"the first {show.MOST_ROWS} of {len(rows):,} rows" in page
    assert len(pd.read_csv(tmp_path / "tables" / "all.csv")) == len(rows)
    assert (tmp_path / "tables" / "all.tex").read_text().count("=cmd") == show.MOST_ROWS


def test_tables_of_all_datasets_hold_what_those_of_each_do(judgement):
    for make in (displays.aspect_table, displays.best_models):
        whole = make(judgement)
        for dataset, part in whole.groupby("dataset"):
            one = make(judgement, dataset)
            pd.testing.assert_frame_equal(
                part[one.columns].reset_index(drop=True), one, check_dtype=False
            )
    evidence = displays.evidence_table(judgement)
    assert len(evidence) == judgement.assessments["solution"][
        judgement.assessments["dataset"].isin(set(judgement.datasets["dataset"]))
    ].sum()  # fmt: skip


def test_of_many_datasets_one_is_shown_in_full(judgement, monkeypatch):
    assert len(displays.in_full(judgement)) == 10
    monkeypatch.setattr(aspects, "CELLS", 39)
    assert displays.in_full(judgement) == displays.in_turn(judgement)["dataset"].tolist()[:1]
    assert displays.in_full(judgement, "solut_005") == ["solut_005"]


@pytest.mark.slow
def test_the_page_of_many_datasets_passes_its_checks(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(aspects, "CELLS", 1)
    pages.undrawn(monkeypatch)
    given = {"runs": str(folder / "assessments.parquet"), "output_dir": str(tmp_path)}
    _, said = pages.execute("synthetic", folder, **given)
    assert pages.passed(said)
    made = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert {"aspects-of-all", "evidence"} <= made
    assert len([name for name in made if name.startswith("aspects-")]) == 2
