"""Measures of whole fronts by hand, and what never changes them."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.assessing.fronts import FRONT, judged, one_a_run, with_fronts

KEY = ["method", "dataset", "repetition"]
RULES = ("chosen", "best_on_test", "any")


def fronts(*runs):
    """Each run is a list of (R2 or None, size, solution), in its method's order."""
    rows = [
        {"method": "A", "dataset": "d", "repetition": run, "candidate": place, "r2_test": r2,
         "complexity": size, "solution": solution, "parse_status": "ok" if r2 is not None else "unparsed"}
        for run, models in enumerate(runs)
        for place, (r2, size, solution) in enumerate(models, start=1)
    ]  # fmt: skip
    table = pd.DataFrame(rows).astype(
        {"r2_test": float, "complexity": "Int64", "candidate": "Int64", "solution": "boolean"}
    )
    kind = table["solution"].map({True: "identical", False: "different"})
    return table.assign(
        solution_kind=kind.astype("str"), status="ok", complexity_raw=table["complexity"]
    )


def test_by_hand():
    table = fronts(
        [(0.75, 10, False), (0.5, 1, False), (0.9, 31, False), (1.0, 10, True), (0.4, 2, False)]
    )
    row = with_fronts(table).iloc[0]
    assert row["front_solution"] == 1
    assert row["front_place"] == 4
    assert row["front_regret_r2"] == 0.25
    assert row["front_regret_size"] == 0
    assert row["front_size"] == 2
    # 0.5 at size 1, where log(1) = 0, and the rest of the error at size 10, a third of the way to 1000
    assert row["front_hypervolume"] == pytest.approx(0.5 * 1 + 0.5 * (1 - 1 / 3))
    smaller = fronts([(0.9, 20, False), (0.9, 8, False)])
    assert with_fronts(smaller)["front_regret_size"].tolist() == [12, 12]


def test_the_ends_of_the_hypervolume():
    table = fronts([(1.0, 1, False)], [(0.0, 1, False)], [(-9.0, 3, False)], [(1.0, 5000, False)])
    assert with_fronts(table)["front_hypervolume"].tolist() == [1, 0, 0, 0]


def test_a_chosen_model_that_cannot_be_read_has_no_regret_and_the_front_still_counts():
    row = with_fronts(fronts([(None, None, None), (0.5, 3, True)])).iloc[0]
    assert math.isnan(row["front_regret_r2"]) and math.isnan(row["front_regret_size"])
    assert (row["front_solution"], row["front_place"], row["front_size"]) == (1, 1, 1)
    nothing = with_fronts(fronts([(None, None, None)])).iloc[0]
    assert nothing[["front_solution", "front_place", "front_hypervolume"]].isna().all()


def test_which_model_counts():
    table = fronts(
        [(0.5, 3, False), (0.9, 9, True), (0.9, 7, False), (0.9, 7, True)],
        [(None, None, None), (0.2, 4, False)],
    )
    picked = {how: np.flatnonzero(judged(table, how)).tolist() for how in RULES}
    assert picked == {"chosen": [0, 4], "best_on_test": [2, 5], "any": [1, 4]}


MODEL = st.tuples(
    st.one_of(st.none(), st.sampled_from([-3.0, 0.0, 0.2, 0.5, 0.9, 1.0])),
    st.integers(1, 40),
    st.booleans(),
)
RUNS = st.lists(st.lists(MODEL, min_size=1, max_size=5), min_size=1, max_size=3)


@settings(max_examples=30, deadline=None)
@given(RUNS, st.randoms(use_true_random=False))
def test_what_never_changes(runs, random):
    table = with_fronts(fronts(*runs))
    by_rule = {how: one_a_run(table, how).set_index("repetition") for how in RULES}
    # the order of rows
    order = list(range(len(table)))
    random.shuffle(order)
    mixed = with_fronts(fronts(*runs).iloc[order].reset_index(drop=True))
    for how in RULES:
        again = one_a_run(mixed, how).set_index("repetition").sort_index()
        pd.testing.assert_frame_equal(again, by_rule[how].sort_index())
    # a rule that may look further finds no less
    usable = {how: found["r2_test"].notna() for how, found in by_rule.items()}
    solved = {how: found["solution"].fillna(False) & usable[how] for how, found in by_rule.items()}
    assert (solved["any"] >= solved["chosen"]).all()
    assert (solved["any"] == (by_rule["any"]["front_solution"] == 1)).all()
    r2 = {how: found["r2_test"].fillna(-np.inf) for how, found in by_rule.items()}
    assert (r2["best_on_test"] >= r2["chosen"]).all()
    regret = table.dropna(subset="front_regret_r2")
    assert (regret[["front_regret_r2", "front_regret_size"]] >= 0).all(axis=None)
    assert table["front_hypervolume"].dropna().between(0, 1).all()
    # a model behind the others that cannot be read, or that another one dominates
    r2_0, size_0, _ = runs[0][0]
    worse = (None, 1, False) if r2_0 is None else (r2_0 - 1, size_0 + 1, False)
    longer = with_fronts(fronts([*runs[0], worse], *runs[1:]))
    kept = longer.drop(index=len(runs[0])).reset_index(drop=True)
    pd.testing.assert_frame_equal(kept[list(FRONT)], table[list(FRONT)])
    for how in RULES:
        picked = one_a_run(longer, how).reset_index(drop=True)
        pd.testing.assert_frame_equal(picked, by_rule[how].reset_index()[picked.columns])


@settings(max_examples=15, deadline=None)
@given(RUNS)
def test_one_model_each_is_the_table_without_numbers(runs):
    table = fronts(*[models[:1] for models in runs])
    for how in RULES:
        assert judged(table, how).all()
    plain = with_fronts(table.drop(columns="candidate"))
    pd.testing.assert_frame_equal(with_fronts(table)[plain.columns], plain)
    assert plain["front_regret_r2"].dropna().eq(0).all()
