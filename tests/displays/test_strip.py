"""The strip of final scores: everybody is on it, with a point or with a reason, on light and on dark ground."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text

from srlib.displays import Page, StripDisplay
from srlib.displays.styling import DARK, GREY, Style
from srlib.judging.robustness import certainty
from tests.builders import SPRINGS, each, judge_competition, spring_runs

REASONS = {"gplearn": "not qualified", "LinearRegression": "baseline of the qualification"}
ROWS = {"method": ["a", "b"], "value": [1, np.nan], "reason": ["", "why"], "low": 0.5, "high": 2.0}
STRIP = StripDisplay(numbers=pd.DataFrame(ROWS))


def points(strip):
    """Rows of the methods that have a point."""
    return sorted(line.get_ydata()[0] for line in strip.ax_.get_lines())


def letters(strip):
    texts = [text for text in strip.figure_.findobj(Text) if text.get_visible()]
    return {text.get_text(): text for text in texts}


@pytest.mark.slow
def test_everybody_is_on_the_strip_with_a_range_or_a_reason():
    """Places are counted again from the draws."""
    demo = judge_competition(qualified="demo")
    sure = certainty(demo, draws=300)
    strip, table = StripDisplay.from_judgement(demo, sure), sure.places
    numbers = strip.numbers.set_index("method")
    assert numbers["reason"].loc[lambda reason: reason != ""].to_dict() == REASONS
    ranked = numbers[numbers["reason"] == ""]
    assert [*ranked.index] == demo.ranking.dropna(subset="rank")["method"].tolist()
    assert ranked["value"].between(ranked["low"], ranked["high"]).all()
    place = sure.scores.rank(axis=1, method="min", ascending=False)
    share = (place == table.set_index("method")["rank"]).mean()
    readings = table.set_index("method")[["reading_low", "reading_high"]].nunique(axis=1)
    undecided = [
        n for n, name in enumerate(ranked.index, 1) if share[name] < 0.95 or readings[name] > 1
    ]
    assert strip.open_places == undecided
    assert strip.finding.startswith("sparse-polynomial leads; open places: ")
    assert points(strip.plot()) == [0, 1, 2, 3] and "gplearn not qualified" in strip.alt


def test_without_redraws_there_is_no_range_and_no_word_of_one(tmp_path):
    """Of three methods one has no usable run."""
    (tmp_path / "springs.yaml").write_text(SPRINGS)
    strip = StripDisplay.from_judgement(
        judge_competition(spring_runs(), tmp_path / "springs.yaml")
    ).plot()
    reasons = ["", "", "no usable run"]
    assert strip.numbers["reason"].tolist() == reasons and strip.finding == "Exact leads."
    assert points(strip) == [0, 1] and "draw" not in strip.alt + strip.ax_.get_xlabel()
    assert to_hex(letters(strip)["Broken"].get_color()) == GREY
    assert letters(strip)["Exact"].get_color() == "black"


@each(
    "scores open_places finding",
    """
2 1 |     | a leads; every place is decided.
2 1 | 2   | a leads; open places: 2.
1 1 | 1 2 | a and b lead; open places: 1 and 2.
1   | 1   | a leads.
""",
)
def test_finding_names_leaders_and_open_places(scores, open_places, finding):
    values = [float(score) for score in scores.split()]
    table = pd.DataFrame({"method": list("ab")[: len(values)], "value": values, "reason": ""})
    strip = StripDisplay(numbers=table, open_places=[int(place) for place in open_places.split()])
    assert strip.finding == finding


def test_page_has_a_dark_version(tmp_path, outputs):
    Page({"output_dir": str(tmp_path)}).figure(STRIP, "strip", "Scores.")
    dark = {f"figures/strip-dark.{end}" for end in ("pdf", "svg", "png")}
    assert dark < {*outputs[0]["metadata"]["srlib"]["files"]}
    assert all((tmp_path / file).stat().st_size > 1000 for file in dark)


@pytest.mark.parametrize("colour", ["#000000", "#0072b2", "#ffffff"])
def test_everything_shows_on_dark_ground(colour, monkeypatch):
    monkeypatch.setattr(Style, "current", Style(colours={"a": colour}))
    with mpl.rc_context(DARK):
        strip = STRIP.plot()
    colours = [text.get_color() for text in letters(strip).values() if text.get_text()]
    colours += [line.get_markeredgecolor() for line in strip.ax_.get_lines()]
    colours += [many.get_color()[0] for many in strip.ax_.collections]
    ground = np.mean(to_rgb(strip.figure_.get_facecolor()))
    assert ground < 0.1 and all(np.mean(to_rgb(colour)) > ground + 0.3 for colour in colours)
