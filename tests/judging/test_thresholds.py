"""Numbers and signs of the scorer that a single letter could change: each by a table to redo by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from srlib.judging import judge
from srlib.judging.real_world import representatives
from srlib.judging.robustness.examination import Resampling
from srlib.judging.robustness.readings import score_readings
from srlib.judging.scoring import score
from srlib.problems import load_problems
from tests.judging.robustness.cases import judged
from tests.judging.small import DTYPES, row, rules
from tests.judging.test_scoring import design


@pytest.mark.parametrize(
    ("noisy", "clean", "flagged"),
    [(0.4, 0.4, True), (0.4, 0.6, False), (0.6, 0.4, False), (0.6, 0.6, False), (0.5, 0.5, False)],
)
def test_the_guard_asks_for_both_noise_levels(noisy: float, clean: float, flagged: bool) -> None:
    """Good on one level is enough: who falls from .6 to .4 is sensitive, and is said to be so."""
    plan = design(3, 2, reference=np.array([1, -1]), gap=np.array([0.1, np.nan]))
    values = np.array([[[noisy], [clean]], [[0.0], [0.0]], [[0.0], [0.0]]])[..., None]
    judge = rules("judging-2022", repetitions=1).judge
    assert score(values, plan, judge).guarded.tolist() == [[flagged], [False]]


def test_the_noise_that_is_divided_by_is_the_difference_of_both_levels(tmp_path) -> None:
    """From .05 to .15 it grows by .1: R2 falls from .9 to .7, and 2 is the sensitivity, not .2/.15."""
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: p\ndefaults: {track: synthetic, target: y, features: [a]}\nproblems:\n"
        "  - {dataset: less, noise_level: 0.05, scored: false}\n"
        "  - {dataset: more, property: noise_sensitivity, noise_level: 0.15, noise_reference: less}\n",
        encoding="utf-8",
    )
    rows = [row("A", "less", n, r2_test=0.9) for n in (1, 2)]
    rows += [row("A", "more", n, r2_test=0.7) for n in (1, 2)]
    found = judge(
        pd.DataFrame(rows).astype(DTYPES),
        load_problems(tmp_path / "p.yaml"),
        rules("judging-2022", repetitions=2),
    ).aspects.set_index("aspect")
    assert found.loc["property", "value"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("values", "failed", "chosen"),
    [
        ([0.1, 0.2, 0.3], 0, 0.2),
        ([0.1, 0.2, 0.3, 0.4], 0, 0.3),
        ([0.1, 0.2], 0, 0.2),
        ([0.5], 0, 0.5),
        ([0.2, 0.3, 0.4], 1, 0.3),  # the failed one stands below .2
        ([0.3, 0.4], 3, 0.3),
    ],
)
def test_the_median_model_is_the_better_of_the_two_in_the_middle(
    tmp_path, values: list[float], failed: int, chosen: float
) -> None:
    """Two runs are expected; all that a folder has count, those that failed at the end of the order."""
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: p\nproblems:\n  - {dataset: d, track: real-world, features: [a]}\n",
        encoding="utf-8",
    )
    made = [row("A", "d", n, r2_test=r2) for n, r2 in enumerate(values)]
    made += [row("A", "d", 10 + n, status="failed", r2_test=None) for n in range(failed)]
    block = rules("judging-2022", repetitions=min(2, len(values))).judge
    block = block.model_copy(
        update={"real_world": block.real_world.model_copy(update={"representative": "median"})}
    )
    frame = pd.DataFrame(made).astype(DTYPES)
    folder = replace(load_problems(tmp_path / "p.yaml"), path=tmp_path)
    found, _, _ = representatives(frame, folder, block)
    assert found["r2_test"].tolist() == [chosen]


def test_of_equally_accurate_models_experts_see_the_simpler(tmp_path) -> None:
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: p\nproblems:\n  - {dataset: d, track: real-world, features: [a]}\n",
        encoding="utf-8",
    )
    sizes = {1: 9, 2: 3, 3: 5}
    made = [row("A", "d", n, r2_test=0.5, complexity=size) for n, size in sizes.items()]
    frame, block = pd.DataFrame(made).astype(DTYPES), rules("judging-2022", repetitions=3).judge
    found, _, _ = representatives(frame, load_problems(tmp_path / "p.yaml"), block)
    assert found["repetition"].tolist() == [2]


@pytest.mark.parametrize(("often", "low", "high"), [(2, 1, 1), (3, 1, 2), (97, 1, 2), (98, 2, 2)])
def test_the_interval_of_ranks_has_95_percent(often: int, low: int, high: int) -> None:
    """Of 100 competitions B wins `often`: the 2.5 worst and the 2.5 best of A's ranks are left out."""
    a, b = np.ones(100), np.zeros(100)
    b[:often] = 2.0
    table = Resampling(("A", "B"), np.column_stack([a, b])).table
    first = table[table["method"] == "A"].iloc[0]
    assert (first["rank_low"], first["rank_high"]) == (low, high)


def test_the_worst_possible_rank_is_a_reading(tmp_path) -> None:
    """From 0, a single last place makes a harmonic mean 0; no document says where ranks begin."""
    board = score_readings(judged({("A", "d1"): [0.9, 0.9], ("B", "d1"): [0.8, 0.8]}, tmp_path))
    assert board.choices["rank_start"] == ("1", "0")
