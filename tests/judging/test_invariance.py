"""Two properties over random competitions: added rows, columns and files of one team change nothing for others."""

from itertools import product

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from srlib.judging import judge
from tests.builders import examples
from tests.judging.small import frame, problems, row, rules

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
    cells = draw(st.lists(st.sampled_from(CELLS), min_size=12, unique=True))
    cells = sorted({*cells, ("B", "formula", 1), *(("A", name, 1) for name in DATASETS)})
    return [row(*cell) | draw(st.fixed_dictionaries(VALUES)) for cell in cells]


def judged(rows, name, **columns):
    chosen = rules(name, repetitions=2)
    return judge(frame(rows).assign(**columns), problems(), chosen)


@examples(20)
@given(rows=competitions(), name=st.sampled_from(FILES), data=st.data())
def test_what_is_not_the_organizers_changes_nothing(rows, name, data):
    """B sends runs on invented datasets and levels, more repetitions, an invalid row, a column; in any order."""
    names = st.sampled_from([*DATASETS, "formula@0.1", "Formula", "new"])
    cells = data.draw(st.sets(st.tuples(names, st.integers(3, 9)), min_size=1, max_size=6))
    more = [row("B", *cell, r2_test=1.0, complexity=1) for cell in cells]
    more.append(row("B", "formula", -1, status="invalid"))
    shuffled = data.draw(st.permutations([*rows, *more]))
    moved = [r | {"file": "other.csv", "row": n} for n, r in enumerate(shuffled)]
    before, after = judged(rows, name), judged(moved, name, score=1.0, rank=1)
    for table in ("ranking", "aspects", "datasets"):
        pd.testing.assert_frame_equal(getattr(after, table), getattr(before, table))
    assert after.counts["excluded"] == before.counts["excluded"] + len(more)


@examples(20)
@given(rows=competitions(), name=st.sampled_from(FILES), data=st.data())
def test_nobody_moves_the_values_of_another(rows, name, data):
    """B sends whatever it likes on the datasets of the others: absurd values, other sizes, fewer runs or none."""
    absurd = st.sampled_from([-1e60, -1e9, -0.5, 0.99, 1.0])
    sent = []
    for cell in (r for r in rows if r["method"] == "B"):
        if data.draw(st.booleans()):
            size = data.draw(st.sampled_from([1, 10**6]))
            sent.append(cell | {"r2_test": data.draw(absurd), "complexity": size})
    others = [r for r in rows if r["method"] != "B"]
    before, after = (judged([*others, *part], name) for part in ([], sent))
    tables = [verdict.aspects.query("method != 'B'") for verdict in (before, after)]
    keys = ["method", "dataset", "aspect"]
    both = tables[0].merge(tables[1], on=keys, suffixes=("", " after"))
    for column in ("value", "value_rounded", "n_runs"):
        np.testing.assert_allclose(both[column], both[f"{column} after"], rtol=1e-12)
