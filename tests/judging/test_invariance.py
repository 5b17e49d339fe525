"""Three properties over random competitions: added rows, columns and files of one team change nothing for others."""

from itertools import product

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.judging import judge
from tests.judging.small import DTYPES, problems, row, rules

DATASETS = ("formula", "select", "beyond", "noise_base", "noise_easy")
FILES = ("judging-2022", "competition-2022", "competition-2023", "proposal-2022")
VALUES = {
    "r2_test": st.sampled_from([-1.0, 0.0, 0.4, 0.9, 0.95, 1.0]),
    "complexity": st.sampled_from([1, 5, 25]),
    "solution": st.booleans(),
    "features_used": st.sampled_from(['["a"]', '["a", "c"]', "[]"]),
    "status": st.sampled_from(["ok", "ok", "ok", "failed"]),
}
CELLS = list(product("ABC", DATASETS, (1, 2)))


@st.composite
def competitions(draw):
    """Draw runs of three teams, two repetitions each, some of them absent."""
    kept = draw(st.lists(st.sampled_from(CELLS), min_size=12, unique=True))
    cells = sorted({*kept, *(("A", name, 1) for name in DATASETS)})
    return [row(*cell, **{name: draw(values) for name, values in VALUES.items()}) for cell in cells]


def judged(rows, name, **columns):
    block = rules(name, repetitions=2)
    table = pd.DataFrame(rows).astype(DTYPES).assign(**columns)
    return judge(table, problems(), block)


@settings(max_examples=10, deadline=None)
@given(rows=competitions(), name=st.sampled_from(FILES), data=st.data())
def test_what_is_not_the_organizers_changes_nothing(rows, name, data):
    """B sends runs on invented datasets and levels, more repetitions, rows that are invalid, and a column."""
    places = st.tuples(
        st.sampled_from([*DATASETS, "formula@0.1", "Formula", "new"]), st.integers(3, 9)
    )
    more = [
        row(
            "B",
            dataset,
            repetition,
            r2_test=data.draw(VALUES["r2_test"]),
            complexity=1,
            file="more.csv",
        )
        for dataset, repetition in data.draw(st.sets(places, min_size=1, max_size=6))
    ]
    more.append(row("B", "formula", -1, status="invalid"))
    before = judged(rows, name)
    after = judged([*rows, *more], name, score=1.0, rank=1)
    for table in ("ranking", "aspects", "datasets"):
        pd.testing.assert_frame_equal(getattr(after, table), getattr(before, table))
    assert after.counts["excluded"] == before.counts["excluded"] + len(more)


@settings(max_examples=10, deadline=None)
@given(rows=competitions(), data=st.data())
def test_filling_absent_repetitions_lowers_no_other_value(rows, data):
    """B makes runs that are no worse than the worst seen; what others reached on a dataset stays or rises."""
    keys = {(r["method"], r["dataset"], r["repetition"]) for r in rows}
    absent = [cell for cell in CELLS if cell[0] == "B" and cell not in keys]
    seen = {d: [r for r in rows if r["dataset"] == d and r["status"] == "ok"] for d in DATASETS}
    more = []
    for cell in absent:
        if seen[cell[1]]:
            like = data.draw(st.sampled_from(seen[cell[1]]))
            more.append(like | dict(zip(("method", "dataset", "repetition"), cell, strict=True)))
    tables = [judged(part, "judging-2022").aspects for part in (rows, [*rows, *more])]
    key = ["method", "dataset", "aspect"]
    both = tables[0].merge(tables[1], on=[*key, "direction"])
    both = both[both["method"] != "B"]
    worse = both["value_y"] < both["value_x"]
    worse = worse.where(both["direction"] == "higher", both["value_y"] > both["value_x"])
    assert not worse.any()


@settings(max_examples=10, deadline=None)
@given(rows=competitions(), name=st.sampled_from(FILES), data=st.data())
def test_order_and_files_do_not_matter(rows, name, data):
    """The same runs in another order and from other files."""
    shuffled = [
        r | {"file": "other.csv", "row": n} for n, r in enumerate(data.draw(st.permutations(rows)))
    ]
    before, after = judged(rows, name), judged(shuffled, name)
    for table in ("ranking", "aspects", "datasets"):
        pd.testing.assert_frame_equal(getattr(after, table), getattr(before, table))
