"""A Parquet table of any number of assessments, written method by method, of few different texts.

python -m tests.benchmarks.many FILE METHODS DATASETS REPETITIONS
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tests.benchmarks.test_scoring import FEATURES, RULES, problems_of

TEXTS = ("0.4*x1*x2 - 1.5*x1", "x1 + x2", "sin(x3)")
SAME = {"status": "ok", "parse_status": "ok", "r2_source": "recomputed", "simplify_status": "ok", "model_id": "m",
        "solution_kind": "different", "simplified_model": "x1", "measure_digest": RULES.measure.digest,
        "names_read": "features", "names_evidence": "own"}  # fmt: skip


def coded(values: list[str], codes: np.ndarray) -> pa.Array:
    """Texts of which each is held once."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values))


def write(path: Path, methods: int, datasets: int, repetitions: int) -> None:
    """Write a row group a method."""
    random, problems = np.random.default_rng(1), problems_of(datasets).problems
    rows = datasets * repetitions
    one, dataset = np.zeros(rows, dtype=int), np.repeat(np.arange(datasets), repetitions)
    absent, nan = pa.nulls(rows, pa.string()), pa.array(np.full(rows, np.nan))
    writer = None
    for method in range(methods):
        nodes, name = random.integers(1, 90, rows), f"method_{method:03d}"
        columns = {
            "method": coded([name], one),
            "dataset": coded([problem.dataset for problem in problems], dataset),
            "problem_digest": coded([problem.digest for problem in problems], dataset),
            "repetition": pa.array(np.tile(np.arange(repetitions), datasets)),
            "model": coded(list(TEXTS), random.integers(0, len(TEXTS), rows)),
            "features_used": coded(list(FEATURES), random.integers(0, len(FEATURES), rows)),
            "r2_test": pa.array(np.round(1 - random.exponential(0.2, rows), 4)),
            "complexity_raw": pa.array(nodes),
            "complexity": pa.array(nodes),
            "solution": pa.array(random.random(rows) < 0.3),
            "bad_predictions": pa.array(one),
            "text_matches_predictions": pa.array(one == 0),
            **dict.fromkeys(("r2_train", "r2_extrapolation", "solution_constant"), nan),
            **dict.fromkeys(("solution_evidence", "detail"), absent),
            **{column: coded([value], one) for column, value in SAME.items()},
        }
        table = pa.table(columns)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
