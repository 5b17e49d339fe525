"""The canonical count against sympy's on a few models; canonical.py takes as many as there are hours."""

from tests.benchmarks.canonical import measured, shares
from tests.benchmarks.simplicity import models

SAMPLE = 40


def test_the_canonical_count(benchmark, reference_data, say):
    found, unanswered = benchmark.pedantic(measured, (models()[:SAMPLE], SAMPLE, 1), rounds=1)
    assert not unanswered
    assert (found["canonical"] <= found["written"]).all()
    ones = found.dropna(subset=["sympy"])
    sums = ones[["written", "canonical", "sympy"]].sum().astype(int).to_dict()
    canonical, sympy = ones["canonical_s"].sum(), ones["sympy_s"].sum()
    say(
        f"{len(ones)} models, canonical against sympy: {shares(ones)}; nodes of all {sums}; "
        f"CPU {canonical:.1f} s canonical, {sympy:.1f} s sympy"
    )
