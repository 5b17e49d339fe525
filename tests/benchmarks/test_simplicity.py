"""Exact shortcuts against plain `sympy.simplify` on a few models; simplicity.py measures as many as there are hours."""

from tests.benchmarks.simplicity import measured, summary

SAMPLE, WORK = 20, 20_000  # models of the feather and the field, and objects for each


def test_simplicity(benchmark, reference_data, tmp_path, say):
    table = benchmark.pedantic(measured, (SAMPLE, 1, tmp_path / "rows.csv", WORK), rounds=1)
    ended = table[table["count_plain"].notna()]
    assert len(ended) > SAMPLE / 2
    assert (ended["count_plain"] == ended["count_ours"]).all()
    say(summary(table))
