"""Noise: the answer over many groups of datasets, its page, and what the figure marks."""

from dataclasses import replace

import pandas as pd
import pytest

from srlib import displays
from srlib.judging.noise import TRUTH, sensitivity
from srlib.rules import load_rules
from tests.gauntlet.pages import undrawn
from tests.rendering.test_property_notebooks import execute

GROUPS, METHODS, LEVELS = 8, 15, (0.0, 0.1)


def away(method, group):
    """Method m00 is the closest on average; m01 is closer in the last two groups, the more in the very last."""
    if group >= GROUPS - 2:
        return {0: 0.02 * (group - 4), 1: 0.0}.get(method, 0.5)
    return {0: 0.0, 1: 0.2}.get(method, 0.01 * method)


@pytest.fixture(name="result", scope="module")
def result_fixture():
    rows = [
        (f"m{m:02}", g, n, 1 - n - away(m, g))
        for m in range(METHODS)
        for g in range(GROUPS)
        for n in LEVELS
    ]
    rows += [(TRUTH, g, n, 1 - n) for g in range(GROUPS) for n in LEVELS]
    table = pd.DataFrame(rows, columns=["method", "group", "noise_level", "value"])
    table["group"] = "g" + table["group"].astype(str)
    table = table.assign(
        dataset=table["group"] + "@" + table["noise_level"].astype(str), series=table["group"]
    )
    judge = load_rules("judging-2022").judge.model_copy(update={"repetitions": 1})
    return sensitivity(table.assign(aspect="r2_test", repetition=1), judge)


def test_the_answer_names_the_closest_over_all_groups(result):
    sentence, ranking = displays.noise_answer(result, "flag")
    assert sentence.startswith("m00: closest to what the truth itself reaches, 0.013 away")
    assert ranking["method"][0] == "m00"


def test_the_page_of_many_groups_has_one_figure_and_all_tables(tmp_path, monkeypatch):
    undrawn(monkeypatch)
    lines = [
        "algorithm,dataset,target_noise,data_group,symbolic_solution_rate_(%),accuracy_solution"
    ]
    lines += [f"m{m:02},d{g},{n},g{g},{max(0, 90 - 400 * n - m - 7 * (m + g) % 5)},{1 - n}"
              for m in range(METHODS) for g in range(GROUPS) for n in LEVELS]  # fmt: skip
    (tmp_path / "groundtruth.csv").write_text("\n".join(lines))
    cell, space = execute(
        "noise", tmp_path, runs=str(tmp_path / "groundtruth.csv"), metric="solution"
    )
    exec(cell, dict(space))
    tables = tmp_path / "out" / "tables"
    assert [path.name for path in tables.glob("*-numbers.csv")] == [
        "solution-all-groups-numbers.csv"
    ]
    assert len(list(tables.glob("levels-g*.csv"))) == GROUPS
    assert "nobody, all 15 methods share the place" in space["sentence"]


def test_failed_runs_and_values_below_the_panel_are_marked(result):
    shown = displays.NoiseDisplay.from_sensitivity(result)
    first = shown.numbers["method"] == shown.methods[0]
    numbers = shown.numbers.assign(runs=shown.numbers["runs"] - first)
    numbers["value"] = numbers["value"].mask(first, -9.0)
    axes = replace(shown, numbers=numbers).plot().ax_
    crosses = [line for line in axes[0].lines if line.get_marker() == "x"]
    assert crosses[0].get_ydata().tolist() == [-0.25] * len(LEVELS)
    assert "−0.25 or below" in axes[0].get_ylabel().replace("-", "−").replace("\n", " ")
    assert not [
        line for line in axes[1].lines if line.get_marker() == "x" and len(line.get_xdata())
    ]
