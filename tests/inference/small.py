"""Small models made up for tests, and inference by listing all assignments."""

import itertools
from pathlib import Path

import numpy as np

from srlib.inference.uai_files import Model, load_problem

PAIR = "MARKOV\n2\n2 3\n2\n1 0\n2 0 1\n2\n 0.4 0.6\n6\n 1 2 3\n 4 5 0\n"  # x0 alone, and x0 with x1


def model_of(cardinalities, scopes, tables) -> Model:
    """A model from nested tables."""
    arrays = tuple(np.asarray(table, dtype=float) for table in tables)
    return Model(tuple(cardinalities), tuple(zip(map(tuple, scopes), arrays, strict=True)))


def written(model: Model) -> str:
    """The model as a .uai file."""
    scopes = "\n".join(" ".join(map(str, [len(scope), *scope])) for scope, _ in model.functions)
    rows = [table.ravel().tolist() for _, table in model.functions]
    text = "\n".join(f"{len(row)}\n{' '.join(map(repr, row))}" for row in rows)
    sizes = " ".join(map(str, model.cardinalities))
    return f"MARKOV\n{len(model.cardinalities)}\n{sizes}\n{len(model.scopes)}\n{scopes}\n{text}\n"


def listed(model: Model, evidence):
    """All assignments that agree with the evidence, and their likelihoods, multiplied one by one."""
    ranges = [
        [evidence[v]] if v in evidence else range(n) for v, n in enumerate(model.cardinalities)
    ]
    states = np.array(list(itertools.product(*ranges)))
    likelihood = np.ones(len(states))
    for scope, table in model.functions:
        likelihood *= [table[tuple(row[list(scope)])] for row in states]
    return states, likelihood


def stored(folder: Path, text: str = PAIR, **beside: str):
    """Write a model, and the files named by their suffix, and read them."""
    path = folder / "small.uai"
    path.write_text(text)
    for kind, content in beside.items():
        (folder / f"small.uai.{kind}").write_text(content)
    return load_problem(path)
