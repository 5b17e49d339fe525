"""Measure srlib beside what it replaces, and how long users wait; `make bench` runs it, in minutes.

Ratios are of CPU time in one process each. The reference data are $SRLIB_REFERENCE_DATA, or shared/data
beside the checkout. With OLD, the folder of another checkout with its own .venv, assessing is measured in both, by
turns.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import sympy
from sympy.parsing.sympy_parser import parse_expr

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.competition import Competition
from srlib.expressions import compare, parse, to_sympy
from srlib.files import DEMO
from srlib.judging.robustness import resample
from srlib.problems import domain_of, load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules
from srlib.workers import bounded_map

DATA = Path(os.environ.get("SRLIB_REFERENCE_DATA") or Path(__file__).parents[2] / "shared" / "data")
SAMPLE, SEED = 100, 11  # verdicts that SRBench's way gives; a few of them take minutes
# runs that are assessed, by where they come from, in blocks that checkouts assess by turns
ASSESSED, BLOCK = {"demo": 100, "RILS-ROLS": 200, "PhySO": 100}, 50
LIMIT_S = 100  # then SRBench's way is stopped, and counted as that long
SRLIB = [sys.executable, "-c", "import sys; from srlib.cli.main import main; sys.exit(main())"]


def cpu_seconds(function, *arguments) -> float:
    """Return the CPU seconds of the second call: the first one imports and fills caches."""
    function(*arguments)
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def srlib_verdict(case):
    """Compare a model with its truth."""
    features, truth, model, domain = case
    return compare(parse(truth, features), parse(model, features), domain)


def srbench_seconds(case) -> float:
    """Return the seconds of SRBench's check: round and simplify, simplify the difference and perhaps the ratio."""
    features, truth, model, _ = case
    start = time.process_time()
    signal.alarm(LIMIT_S)
    try:
        t, m = (to_sympy(parse(text, features)) for text in (truth, model))
        rounded = m.xreplace({n: sympy.Float(round(n, 3), 3) for n in m.atoms(sympy.Float)})
        simple = sympy.simplify(rounded, ratio=1)
        if sympy.simplify(t - simple, ratio=1).free_symbols:
            sympy.simplify(simple / t, ratio=1)
    except TimeoutError:
        return LIMIT_S
    finally:
        signal.alarm(0)
    return time.process_time() - start


def stop(*_) -> None:
    """End what takes longer than the limit."""
    raise TimeoutError


def reading_seconds(cases) -> tuple[float, float]:
    """Return the CPU seconds in which srlib and sympy's parser read the models once."""
    start = time.process_time()
    for features, _, model, _ in cases:
        parse(model, features)
    middle = time.process_time()
    for _, _, model, _ in cases:
        parse_expr(model.replace("^", "**"))
    return middle - start, time.process_time() - middle


def measure_models() -> None:
    """Print verdicts beside SRBench's check, and reading beside sympy's parser, on 2,913 recorded runs."""
    runs = pd.read_feather(DATA / "srbench" / "runs" / "rils-rols.feather")
    problems = {p.dataset: p for p in load_problems(DATA / "pmlb").problems}
    cases = [
        (problems[dataset].features, truth, model, domain_of(problems[dataset]))
        for dataset, truth, model in runs[["dataset", "true_model", "symbolic_model"]].to_numpy()
    ]
    sample = [
        cases[i] for i in np.random.default_rng(SEED).choice(len(cases), SAMPLE, replace=False)
    ]
    ours = cpu_seconds(lambda: [srlib_verdict(case) for case in sample])
    theirs = sum(srbench_seconds(case) for case in sample)
    print(f"{SAMPLE} verdicts: {ours:.2f} s; SRBench's check {theirs:.0f} s")
    reading_seconds(cases[15::30])  # imports, and sympy's caches
    ours, theirs = reading_seconds(cases[::30])
    print(f"{len(cases[::30])} new texts read: {ours:.4f} s; sympy's parser {theirs:.2f} s")


def measure_folder(folder: Path, files: int = 10_000) -> None:
    """Print reading a folder of SRBench's JSON files beside a plain loop over them."""
    examples = sorted((DATA / "srbench" / "json").rglob("*.json"))
    for number in range(files):
        path = examples[number % len(examples)]
        content = json.loads(path.read_text())
        old = content["random_state"]
        seed = old + 100_000 * (number // len(examples))
        out = folder / content["dataset"] / path.name.replace(str(old), str(seed))
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(content | {"random_state": seed}))
    ours = cpu_seconds(read_runs, folder)
    loop = cpu_seconds(
        lambda: pd.DataFrame([json.loads(p.read_text()) for p in folder.glob("*/*.json")])
    )
    print(f"{files} JSON files: {ours:.2f} s; a loop {loop:.2f} s")


def measure_commands(folder: Path) -> None:
    """Print the start of a command, ten thousand resamples, and a million runs from a warm cache."""
    start = time.perf_counter()
    subprocess.run([*SRLIB, "judge", "--help"], check=True, capture_output=True)
    print(f"srlib judge --help: {time.perf_counter() - start:.2f} s")
    judgement = Competition.read("demo", "synthetic-2022").judge()
    print(f"10,000 resamples of the demo: {cpu_seconds(resample, judgement, 10_000):.1f} s")
    demo = pd.read_parquet(DEMO / "runs.parquet")
    copies = [
        demo.assign(method=demo["method"] + f" {i}") for i in range(1_000_000 // len(demo) + 1)
    ]
    pd.concat(copies).to_parquet(folder / "runs.parquet", index=False)
    for runs in (DEMO / "runs.parquet", folder / "runs.parquet"):
        start = time.perf_counter()
        subprocess.run(
            [*SRLIB, "assess", runs, "--problems", "synthetic-2022", "--out", folder / "a.parquet"],
            env=os.environ | {"SRLIB_CACHE": str(folder / "cache")},
            check=True,
            capture_output=True,
        )
    print(f"a million runs, warm cache: {time.perf_counter() - start:.0f} s")


def read_sample(name: str) -> tuple[pd.DataFrame, str | Path]:
    """Return runs drawn with a seed, and their problems; noise levels of a recorded dataset are one dataset."""
    recorded = {"RILS-ROLS": "srbench/runs/rils-rols.feather", "PhySO": "field/physo"}
    if name not in recorded:
        runs = pd.read_parquet(DEMO / "runs.parquet").sample(ASSESSED[name], random_state=SEED)
        return runs.reset_index(drop=True), "synthetic-2022"
    runs = read_runs(DATA / recorded[name]).frame
    runs["dataset"] = runs["dataset"].str.split("@").str[0]
    known = {problem.dataset for problem in load_problems(DATA / "pmlb").problems}
    runs = runs[runs["dataset"].isin(known) & runs["model"].notna()]
    runs = runs.sample(ASSESSED[name], random_state=SEED).sort_index()
    runs["repetition"] = runs.groupby(["method", "dataset"]).cumcount() + 1
    columns = ["method", "dataset", "repetition", "model", "status", "r2_test"]
    return runs[columns].reset_index(drop=True), DATA / "pmlb"


def worker_seconds() -> float:
    """Return the CPU seconds of the processes that this one has started, and of those that they forked."""
    return sum(sum(process.cpu_times()[:4]) for process in psutil.Process().children())


def print_block(name: str, start: str) -> None:
    """Assess a block of a sample with one process and no cache; print CPU seconds by part, and counts, as JSON."""
    seconds = Counter()

    def timed_map(function, items, **limits):
        before = worker_seconds()
        yield from bounded_map(function, items, **limits)
        seconds[items[0].part] += worker_seconds() - before

    runs, problems = read_sample(name)
    options = {"cache": Cache(None), "jobs": 1, "timeout": 20.0}
    measuring = load_problems(problems), load_rules("judging-2022").measure
    assess(runs[:1], *measuring, **options)  # starts the server
    import_module("srlib.assessing.assess").bounded_map = timed_map
    block = runs[int(start) : int(start) + BLOCK].reset_index(drop=True)
    table = assess(block, *measuring, **options | {"cache": Cache(None)})
    columns = ["complexity", "simplify_status", "features_used", "solution_kind"]
    print(json.dumps([seconds, table[columns].astype("str").to_numpy().tolist()]))


def measure_assessing() -> None:
    """Print CPU seconds a run by part, in this checkout and perhaps in OLD, and how many results differ."""
    checkouts = [Path(__file__).parents[1], *map(Path, filter(None, [os.environ.get("OLD")]))]
    for name, count in ASSESSED.items():
        totals, differences = [Counter() for _ in checkouts], []
        for start in range(0, count, BLOCK):
            results = []
            for checkout, total in zip(checkouts, totals, strict=True):
                command = [checkout / ".venv/bin/python", __file__, name, str(start)]
                output = subprocess.check_output(command, cwd=checkout, text=True)
                seconds, rows = json.loads(output.splitlines()[-1])
                total.update(seconds)
                results.append(rows)
            differences += [pair for pair in zip(*results, strict=True) if pair[0] != pair[-1]]
        for checkout, total in zip(checkouts, totals, strict=True):
            parts = ", ".join(f"{part} {total[part] / count:.3f}" for part in total)
            print(f"{name}, CPU s a run in {checkout.name}: {total.total() / count:.3f} ({parts})")
        print(f"{name}: {len(differences)} of {count} results differ {differences or ''}")


if __name__ == "__main__":
    if sys.argv[1:]:
        print_block(*sys.argv[1:])
        sys.exit()
    signal.signal(signal.SIGALRM, stop)
    measure_assessing()
    with tempfile.TemporaryDirectory() as place:
        measure_models()
        measure_folder(Path(place) / "json")
        measure_commands(Path(place))
