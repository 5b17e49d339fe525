"""The page of formulas names every metric, score, combination and task, with direction and floor, and no other."""

import re
from pathlib import Path

import numpy as np
import pytest

from srlib.judging.properties import PROPERTY_SCORES
from srlib.judging.scoring import COMBINATIONS
from srlib.metrics import METRICS
from srlib.rules import JudgeRules, MeasureRules
from srlib.tools.inference.tasks import TASKS

PAGE = (Path(__file__).resolve().parents[2] / "docs/numbers.md").read_text()
CELLS = re.compile(r"(?<!\\)\|")


def rows(*headers):
    """The table whose first columns are called so."""
    start = PAGE.index(f"| {' | '.join(headers)} |")
    lines = PAGE[start:].partition("\n\n")[0].splitlines()
    names, _, *body = [[cell.strip() for cell in CELLS.split(line)[1:-1]] for line in lines]
    return [dict(zip(names, cells, strict=True)) for cells in body]


MEASURES = {
    name: row
    for row in rows("measure", "what it is")
    for name in re.findall(r"`(\w+)`", row["measure"])
}


def test_page_has_every_metric_and_no_other():
    assert set(MEASURES) == set(METRICS)
    assert "edit_distance" in MEASURES


@pytest.mark.parametrize("name", METRICS)
def test_metric_has_its_direction_floor_unit_and_source(name):
    row, metric = MEASURES[name], METRICS[name]
    floor = "the worst seen" if np.isnan(metric.floor) else f"{metric.floor:g}"
    assert (row["better"], row["floor"]) == (metric.direction, floor)
    assert metric.rate == (row["unit"] == "share of the runs")
    assert row["unit"] and row["source"] and row["what it is"]


def test_score_of_a_property_is_there_with_its_direction_and_floor():
    scores = {}
    for row in rows("property", "score"):
        key = (row["property"].strip("`"), row["value of the switch"].strip("`"))
        scores[key] = (row["better"], row["an absent run counts as"].endswith("0"))
    assert scores == {
        key: (direction, floor == 0) for key, (_, direction, floor) in PROPERTY_SCORES.items()
    }


def test_page_has_every_combination_and_inference_task():
    names = [row["value of `combine`"].strip("`") for row in rows("value of `combine`")]
    assert names == list(COMBINATIONS)
    assert all(task in PAGE.partition("## Inference")[2] for task in TASKS)


def test_switches_in_brackets_exist():
    known = {*MeasureRules.model_fields, *JudgeRules.model_fields}
    named = [text for group in re.findall(r"[(;] ?((?:`[\w.]+`(?:, )?)+)\)", PAGE)
             for text in re.findall(r"`([\w.]+)`", group)]  # fmt: skip
    assert len(named) > 12
    assert [name for name in named if name.split(".")[0] not in known] == []
