"""Assess a million runs whose answers are in the cache; print time and peak memory of the command.

    python -m tests.benchmarks.million FOLDER                        50 methods, 200 datasets, 100 repetitions
    python -m tests.benchmarks.million FOLDER --repetitions 10       a tenth of it

The runs have 10 texts for each dataset, 2,000 in all. A first command measures each of them once into FOLDER/cache
(minutes); a second command assesses all runs from there. `--csv` has the runs in a CSV file instead of Parquet.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.problems import load_problems
from srlib.table_files import write_frame
from tests.benchmarks.large import model_text, write
from tests.benchmarks.memory import PEAK


def make_runs(
    folder: Path, methods: int, repetitions: int, texts: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the runs, and those of them that hold each text of a dataset once."""
    random = np.random.default_rng(3)
    problems = load_problems(folder / "problems.yaml").problems
    pool = pd.DataFrame(
        [
            (problem.dataset, number, model_text(str(problem.truth), number / texts, random))
            for problem in problems
            for number in range(texts)
        ],
        columns=["dataset", "number", "model"],
    )
    cells = pd.MultiIndex.from_product(
        [
            [f"Method{n:02d}" for n in range(methods)],
            range(len(problems)),
            range(1, repetitions + 1),
        ],
        names=["method", "problem", "repetition"],
    ).to_frame(index=False)
    choice = cells["problem"] * texts + random.integers(texts, size=len(cells))
    runs = pool.iloc[choice].reset_index(drop=True)
    seconds = random.gamma(2, 10, len(cells)).round(3)
    runs = runs.assign(
        method=cells["method"], repetition=cells["repetition"], training_time_s=seconds, status="ok"
    )
    return runs.drop(columns="number"), runs.drop_duplicates(["dataset", "model"])


def assess(folder: Path, runs: str, out: str) -> None:
    """Assess a table as the command line does, with the cache of the folder, and print time and memory."""
    code = PEAK + (
        "import sys\nfrom srlib.cli.main import main\ncode = main(sys.argv[1:])\n"
        "print(f'peak memory {peak_mib():,.0f} MiB')\nsys.exit(code)"
    )
    files = {"--problems": "problems.yaml", "--rules": "rules.yaml", "--out": out}
    options = [text for key, name in files.items() for text in (key, str(folder / name))]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code, "assess", str(folder / runs), *options],
        check=True,
        env=os.environ | {"SRLIB_CACHE": str(folder / "cache")},
    )
    print(f"{time.perf_counter() - start:,.0f} s", flush=True)


def main() -> None:
    """Make the runs and assess them as the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    sizes = {"methods": 50, "datasets": 200, "repetitions": 100, "texts": 10}
    for name, value in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    folder, suffix = options.folder, "csv" if options.csv else "parquet"
    write(folder, methods=1, datasets=options.datasets, repetitions=1)
    runs, distinct = make_runs(folder, options.methods, options.repetitions, options.texts)
    write_frame(runs, folder / f"million.{suffix}")
    write_frame(distinct, folder / "distinct.parquet")
    print(f"{len(distinct):,} different texts:", flush=True)
    del runs
    assess(folder, "distinct.parquet", "first.parquet")
    print("all runs:", flush=True)
    assess(folder, f"million.{suffix}", "assessments.parquet")


if __name__ == "__main__":
    main()
