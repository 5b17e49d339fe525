"""All verdicts on 2,913 real runs from the raw text, and what sympy's way takes for 40 of them, in CPU time.

With SRLIB_BENCH_SAMPLE=500 it is 500 of them, which takes an hour.
"""

import os
import time

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import compare, parse, to_sympy
from srlib.problems import domain_of, load_problems
from srlib.workers import bounded_map

SAMPLE = int(os.environ.get("SRLIB_BENCH_SAMPLE", "40"))
CAP, SEED, WORKERS = 60.0, 7, 2


@pytest.fixture(scope="module")
def cases(reference_data):
    """For every run: features, truth, model (the raw texts) and domain."""
    runs = pd.read_feather(reference_data / "srbench" / "runs" / "rils-rols.feather")
    problems = {p.dataset: p for p in load_problems(reference_data / "pmlb").problems}
    return [
        (problems[dataset].features, truth, model, domain_of(problems[dataset]))
        for dataset, truth, model in runs[["dataset", "true_model", "symbolic_model"]].to_numpy()
    ]


def judged(cases):
    """Verdicts on some cases, from text to verdict: how many, and CPU seconds."""
    features, truth, _, domain = cases[0]
    # imports before the clock starts
    compare(parse(truth, features), parse(f"0.5*({truth}) + 1e-9", features), domain)

    start = time.process_time()
    for features, truth, model, domain in cases:
        compare(parse(truth, features), parse(model, features), domain)
    return len(cases), time.process_time() - start


def by_sympy(case):
    """SRBench's way: round, simplify, simplify the difference, and the ratio if need be; CPU seconds."""
    import sympy

    features, truth, model, _ = case
    start = time.process_time()
    t, m = (to_sympy(parse(text, features)) for text in (truth, model))
    rounded = m.xreplace(
        {number: sympy.Float(round(number, 3), 3) for number in m.atoms(sympy.Float)}
    )
    simple = sympy.simplify(rounded, ratio=1)
    if sympy.simplify(t - simple, ratio=1).free_symbols:
        sympy.simplify(simple / t, ratio=1)
    return time.process_time() - start


def shared_out(function, items, timeout):
    """What bounded workers make of the items: values, and the seconds of those that were stopped."""
    outcomes = [
        o
        for _, o in bounded_map(function, items, timeout=timeout, jobs=WORKERS, preload=("sympy",))
    ]
    stopped = [outcome.seconds for outcome in outcomes if outcome.status != "ok"]
    return [outcome.value for outcome in outcomes if outcome.status == "ok"], stopped


def test_all_verdicts(benchmark, cases, capsys):
    shares = [cases[place::WORKERS] for place in range(WORKERS)]
    values, stopped = benchmark.pedantic(shared_out, args=(judged, shares, 600.0), rounds=1)
    assert not stopped
    assert sum(count for count, _ in values) == len(cases)
    chosen = np.random.default_rng(SEED).choice(len(cases), SAMPLE, replace=False)
    sample = [cases[place] for place in chosen]
    ours = judged(sample)[1]
    theirs, stopped = shared_out(by_sympy, sample, CAP)
    seconds = sum(theirs) + CAP * len(stopped)
    total = sum(cpu for _, cpu in values)
    benchmark.extra_info |= {
        "verdicts": len(cases),
        "cpu_seconds": round(total, 1),
        "sample": SAMPLE,
        "sample_cpu_seconds": round(ours, 3),
        "sympy_cpu_seconds": round(seconds, 1),
        "sympy_stopped_at_cap": len(stopped),
        "ratio_on_the_sample": round(seconds / ours),
        "ratio_per_model": round(seconds / SAMPLE / (total / len(cases))),
    }
    with capsys.disabled():
        print(f"\nverdicts: {benchmark.extra_info}")
