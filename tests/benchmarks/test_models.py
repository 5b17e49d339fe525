"""Models: reading beside sympy's parser, verdicts beside SRBench's check, a million runs from a warm cache.

Ratios are of CPU time in one process each; SRLIB_BENCH_SAMPLE sets how many verdicts SRBench's way gives (40).
"""

import os
import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import compare, parse, to_sympy
from srlib.files import DEMO
from srlib.problems import domain_of, load_problems
from srlib.workers import bounded_map

SAMPLE = int(os.environ.get("SRLIB_BENCH_SAMPLE", "40"))
LIMIT_S = (
    300.0  # after which SRBench's way, which has no limit, is stopped and counted as that long
)
COMMAND = "import sys; from srlib.cli.main import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def cases(reference_data):
    """Features, truth, model and domain of 2,913 runs."""
    runs = pd.read_feather(reference_data / "srbench" / "runs" / "rils-rols.feather")
    problems = {p.dataset: p for p in load_problems(reference_data / "pmlb").problems}
    return [
        (problems[dataset].features, truth, model, domain_of(problems[dataset]))
        for dataset, truth, model in runs[["dataset", "true_model", "symbolic_model"]].to_numpy()
    ]


def cpu_seconds(function, items) -> float:
    """CPU seconds of a function over items, after one call that is not counted."""
    function(items[0])
    start = time.process_time()
    for item in items:
        function(item)
    return time.process_time() - start


def our_verdict(case):
    features, truth, model, domain = case
    return compare(parse(truth, features), parse(model, features), domain)


def srbench_verdict_seconds(case) -> float:
    """Round and simplify the model, simplify the difference and, if need be, the ratio."""
    import sympy

    features, truth, model, _ = case
    start = time.process_time()
    t, m = (to_sympy(parse(text, features)) for text in (truth, model))
    rounded = m.xreplace({n: sympy.Float(round(n, 3), 3) for n in m.atoms(sympy.Float)})
    simple = sympy.simplify(rounded, ratio=1)
    if sympy.simplify(t - simple, ratio=1).free_symbols:
        sympy.simplify(simple / t, ratio=1)
    return time.process_time() - start


def test_verdicts_beside_srbench(benchmark, cases, say):
    chosen = np.random.default_rng(7).choice(len(cases), SAMPLE, replace=False)
    sample = [cases[place] for place in chosen]
    ours = benchmark.pedantic(cpu_seconds, args=(our_verdict, sample), rounds=1)
    everything = cpu_seconds(our_verdict, cases)
    outcomes = [
        outcome for _, outcome in bounded_map(srbench_verdict_seconds, sample, timeout=LIMIT_S)
    ]
    theirs = sum(o.value if o.status == "ok" else LIMIT_S for o in outcomes)
    stopped = sum(o.status != "ok" for o in outcomes)
    each = everything / len(cases)
    say(
        f"{len(cases)} verdicts {everything:.1f} s; {SAMPLE} of them {ours:.2f} s, SRBench's way {theirs:.0f} s"
    )
    say(f"({stopped} stopped): {theirs / ours:.0f} times, {theirs / SAMPLE / each:.0f} per model")


def test_reading_beside_sympy(benchmark, cases, say):
    from sympy.parsing.sympy_parser import parse_expr

    texts = [(model, features) for features, _, model, _ in cases[::30]]
    ours = benchmark.pedantic(cpu_seconds, args=(lambda item: parse(*item), texts), rounds=1)
    theirs = cpu_seconds(lambda item: parse_expr(item[0].replace("^", "**")), texts)
    say(
        f"{len(texts)} texts: {ours:.3f} s, sympy.parse_expr {theirs:.2f} s: {theirs / ours:.0f} times"
    )


def test_a_million_runs_from_a_warm_cache(benchmark, tmp_path, say):
    demo = pd.read_parquet(DEMO / "runs.parquet")
    call = [sys.executable, "-c", COMMAND, "assess"]
    options = ["--problems", "synthetic-2022", "--out"]
    environment = os.environ | {"SRLIB_CACHE": str(tmp_path / "cache")}
    run = {"check": True, "capture_output": True, "env": environment}
    subprocess.run([*call, DEMO / "runs.parquet", *options, tmp_path / "demo.parquet"], **run)
    copies = [
        demo.assign(method=demo["method"] + f" {i}") for i in range(1_000_000 // len(demo) + 1)
    ]
    pd.concat(copies).to_parquet(tmp_path / "runs.parquet", index=False)
    call += [tmp_path / "runs.parquet", *options, tmp_path / "out.parquet"]
    start = time.perf_counter()
    benchmark.pedantic(subprocess.run, args=(call,), kwargs=run, rounds=1)
    seconds = time.perf_counter() - start
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    say(f"{len(demo) * len(copies)} runs: {seconds:.0f} s, largest process {largest:.0f} MB")
