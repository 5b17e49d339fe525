"""CPU seconds that `srlib assess` takes for a real model, of all its processes, with an empty cache.

`python -m tests.benchmarks.assessing --models 300 900 --rules judging-2026`: with two numbers the slope between them
is what a further model costs, without the start of Python and of its workers.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from srlib.readers import read_runs
from srlib.workers.strays import adopt

DATA = Path(__file__).parents[3] / "shared" / "data"
SOURCES = ("srbench/runs/rils-rols.feather", "field/physo", "field/tpsr")


def models() -> pd.DataFrame:
    """Every distinct model and dataset of the feather and of the field, in a seeded order."""
    found = []
    for source in SOURCES:
        path = DATA / source
        for file in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            found.append(read_runs(file).frame[["dataset", "model"]])
    distinct = pd.concat(found).dropna().drop_duplicates().sample(frac=1, random_state=7)
    return distinct.assign(method="M", repetition=range(1, len(distinct) + 1))


def seconds(runs: pd.DataFrame, rules: str, jobs: int) -> float:
    """CPU seconds of assessing runs in a new cache: the command's and those of all that it starts."""
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder) / "runs.parquet", Path(folder) / "out.parquet"
        runs.to_parquet(table, index=False)
        call = [sys.executable, "-m", "srlib.cli.main", "assess", table]
        call += ["--problems", DATA / "pmlb", "--rules", rules, "--out", out, "--jobs", str(jobs)]
        environment = os.environ | {"SRLIB_CACHE": str(Path(folder) / "cache")}
        before = _of_children()
        process = subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL)
        try:
            while True:  # the servers of workers, which nobody else waits for, are ours
                ended, status = os.wait()
                if ended == process.pid and status:
                    raise SystemExit("srlib assess failed")
        except ChildProcessError:
            return _of_children() - before


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print CPU seconds by number of models, and what a further model costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, nargs="+", default=[300, 900])
    parser.add_argument("--rules", default="judging-2026")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    adopt()
    runs, found = models(), []
    for count in options.models:
        found.append((count, seconds(runs[:count], options.rules, options.jobs)))
        print(
            f"{count} models: {found[-1][1]:.1f} CPU s, load {os.getloadavg()[0]:.1f}", flush=True
        )
    (few, less), (many, more) = found[0], found[-1]
    each = less / few
    if many > few:
        each = (more - less) / (many - few)
    print(f"a model {1000 * each:.0f} ms: {each * 100_000 / 3600:.2f} core-hours per 100,000")


if __name__ == "__main__":
    main()
