"""Small models made up for tests, and inference by listing all assignments."""

import itertools

import numpy as np

from srlib.tools.inference import score_answers
from srlib.tools.inference.uai_files import load_problem

PAIR = "MARKOV\n2\n2 3\n2\n1 0\n2 0 1\n2\n 0.4 0.6\n6\n 1 2 3\n 4 5 0\n"  # x0 alone, and x0 with x1


def listed(model, evidence):
    """All assignments that agree with the evidence, and their likelihoods, multiplied one by one."""
    ranges = [
        [evidence[v]] if v in evidence else range(n) for v, n in enumerate(model.cardinalities)
    ]
    states = np.array(list(itertools.product(*ranges)))
    likelihood = np.ones(len(states))
    for scope, table in model.functions:
        likelihood *= [table[tuple(row[list(scope)])] for row in states]
    return states, likelihood


def stored(folder, text=PAIR, **beside):
    """Write a model, and the files named by their suffix, and read them."""
    path = folder / "small.uai"
    path.write_text(text)
    for kind, content in beside.items():
        (folder / f"small.uai.{kind}").write_text(content)
    return load_problem(path)


def scored(folder, answers, *options, **beside):
    """Write answers to the small model, by their path, and score them."""
    for name, text in answers.items():
        path = folder / "answers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    return score_answers(stored(folder, **beside), folder / "answers", *options)
