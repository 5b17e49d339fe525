"""Make the inference demo again: `python -m tests.inference.make_demo FOLDER` writes problems/, answers/, reference/.

Models are drawn from SEED; the solvers are real and spend a budget of sweeps over all variables. A time limit of t
seconds in the demo stands for a budget of SWEEPS x t sweeps, so that anybody gets the same answers again.

exact        bucket elimination (no budget)
mean-field   coordinate ascent on independent distributions; PR: its lower bound
gibbs        Gibbs sampling; PR: none; MPE, MMAP: the most frequent or best state visited
icm          iterated conditional modes from several starts; MPE and MMAP only
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from srlib.files import write_atomically
from srlib.inference import Model, load_problems, log10_likelihood, most_probable, posterior
from srlib.inference.answers import answer_text
from srlib.inference.cases import Case
from srlib.inference.elimination import sliced
from srlib.inference.reference import exact as exact_reference
from srlib.inference.reference import write_reference
from srlib.inference.scoring import cases_by_file
from tests.inference.small import model_of, written

SEED, SWEEPS, LIMITS = 20220812, 8, (1, 10, 100)


def edges(family: str, rng: np.random.Generator) -> tuple[list[int], list[tuple[int, ...]]]:
    """Cardinalities, and the pairs of variables that a function joins."""
    if family == "grid":
        side = int(rng.integers(4, 7))
        at = np.arange(side * side).reshape(side, side)
        pairs = [
            *zip(at[:, :-1].flat, at[:, 1:].flat, strict=True),
            *zip(at[:-1].flat, at[1:].flat, strict=True),
        ]
        return [2] * side**2, [(int(a), int(b)) for a, b in pairs]
    count = int(rng.integers(12, 25))
    parents = [k - 1 if family == "chain" else int(rng.integers(0, k)) for k in range(1, count)]
    return rng.integers(2, 4, size=count).tolist(), [
        (parent, k) for k, parent in enumerate(parents, start=1)
    ]


def problem_files(family: str, rng: np.random.Generator) -> dict[str, str]:
    """One problem: its files by suffix."""
    cardinalities, pairs = edges(family, rng)
    count = len(cardinalities)
    strength = rng.uniform(1.0, 2.5)
    scopes = [(v,) for v in range(count)] + pairs
    tables = [np.round(np.exp(rng.normal(0, 0.4, cardinalities[v])), 4) for v in range(count)]
    tables += [
        np.round(np.exp(rng.normal(0, strength, (cardinalities[a], cardinalities[b]))), 4)
        for a, b in pairs
    ]
    observed, query, hidden = np.split(
        rng.permutation(count), [count // 8, count // 8 + count // 4]
    )

    def listing(names: np.ndarray) -> str:
        return " ".join(map(str, [len(names), *sorted(names.tolist())]))

    def pairs_of(names: np.ndarray) -> str:
        return " ".join(f"{v} {rng.integers(cardinalities[v])}" for v in sorted(names.tolist()))

    files = {
        "uai": written(model_of(cardinalities, scopes, tables)),
        "uai.evid": f"{len(observed)} {pairs_of(observed)}\n".replace(" \n", "\n"),
        "uai.query": listing(query) + "\n",
    }
    if family == "grid":
        lines = "\n".join(pairs_of(observed) for _ in range(3))
        files["uai.test"] = (
            f"{count}\n{listing(observed)}\n{listing(query)}\n{listing(hidden)}\n3\n{lines}\n"
        )
    return files


class Neighbourhood:
    """The functions around each variable of a case, for solvers that change one variable at a time."""

    def __init__(self, case: Case) -> None:
        self.model: Model = case.problem.model
        self.factors = sliced(self.model, case.evidence)
        self.free = [v for v in range(len(self.model.cardinalities)) if v not in case.evidence]
        self.near: dict[int, list] = {v: [] for v in self.free}
        for scope, table in self.factors:
            for place, v in enumerate(scope):
                self.near[v].append(
                    (scope[:place] + scope[place + 1 :], np.moveaxis(table, place, -1))
                )

    def conditional(self, variable: int, states: dict[int, int]) -> np.ndarray:
        """Unnormalised log probabilities of a variable's states given all others."""
        return sum(table[tuple(states[v] for v in others)] for others, table in self.near[variable])

    def start(self, case: Case, rng: np.random.Generator) -> dict[int, int]:
        """Evidence, and random states of the others."""
        sizes = self.model.cardinalities
        return {v: case.evidence.get(v, int(rng.integers(n))) for v, n in enumerate(sizes)}


def exact(case: Case, sweeps: int, rng: np.random.Generator):
    """Bucket elimination."""
    if case.query:
        return most_probable(case.problem.model, case.evidence, case.query)[1]
    value, rows = posterior(case.problem.model, case.evidence)
    return value if case.task == "PR" else np.concatenate(rows)


def mean_field(case: Case, sweeps: int, rng: np.random.Generator):
    """Coordinate ascent on the evidence lower bound."""
    around, model = Neighbourhood(case), case.problem.model
    rows = [np.eye(n)[case.evidence[v]] if v in case.evidence else rng.dirichlet(np.ones(n))
            for v, n in enumerate(model.cardinalities)]  # fmt: skip
    for _ in range(min(sweeps, 200)):
        for v in around.free:
            field = sum(
                expected(table, [rows[u] for u in others]) for others, table in around.near[v]
            )
            weights = np.exp(field - field.max())
            rows[v] = weights / weights.sum()
    if case.task == "MAR":
        return np.concatenate(rows)
    if case.task == "PR":
        energy = sum(
            float(expected(table, [rows[u] for u in scope])) for scope, table in around.factors
        )
        entropy = -sum(
            float((rows[v] * np.log(np.maximum(rows[v], 1e-300))).sum()) for v in around.free
        )
        return (energy + entropy) / np.log(10)
    return {v: int(np.argmax(rows[v])) for v in case.query}


def expected(table: np.ndarray, rows: list[np.ndarray]) -> np.ndarray:
    """Mean of a table over independent distributions of its leading axes."""
    for row in rows:
        table = np.tensordot(row, table, axes=1)
    return table


def gibbs(case: Case, sweeps: int, rng: np.random.Generator):
    """Gibbs sampling from one random start; the first quarter is not counted."""
    around = Neighbourhood(case)
    states, visited = around.start(case, rng), []
    for _ in range(sweeps):
        for v in around.free:
            weights = np.exp(around.conditional(v, states) - around.conditional(v, states).max())
            states[v] = int(
                np.searchsorted(np.cumsum(weights / weights.sum()), rng.random()).clip(
                    0, len(weights) - 1
                )
            )
        visited.append([states[v] for v in sorted(states)])
    samples = np.array(visited[len(visited) // 4 :])
    if case.task == "MAR":
        sizes = case.problem.model.cardinalities
        return np.concatenate(
            [np.bincount(samples[:, v], minlength=n) / len(samples) for v, n in enumerate(sizes)]
        )
    if case.task == "MPE":
        return dict(
            enumerate(
                map(int, visited[int(np.argmax(log10_likelihood(case.problem.model, visited)))])
            )
        )
    found, counts = np.unique(samples[:, list(case.query)], axis=0, return_counts=True)
    return dict(zip(case.query, found[np.argmax(counts)].tolist(), strict=True))


def icm(case: Case, sweeps: int, rng: np.random.Generator):
    """Iterated conditional modes, started again until the budget is spent; the best end."""
    around, best, spent = Neighbourhood(case), (-np.inf, {}), 0
    while spent < sweeps:
        states, changed = around.start(case, rng), True
        while changed and spent < sweeps:
            changed, spent = False, spent + 1
            for v in around.free:
                better = int(np.argmax(around.conditional(v, states)))
                changed, states[v] = changed or better != states[v], better
        value = float(log10_likelihood(case.problem.model, [states[v] for v in sorted(states)]))
        best = max(best, (value, states), key=lambda pair: pair[0])
    return {v: best[1][v] for v in case.query}


SOLVERS = {
    "exact": (exact, ("PR", "MAR", "MPE", "MMAP", "MLC"), (None,)),
    "mean-field": (mean_field, ("PR", "MAR", "MPE", "MMAP", "MLC"), LIMITS),
    "gibbs": (gibbs, ("MAR", "MPE", "MMAP", "MLC"), LIMITS),
    "icm": (icm, ("MPE", "MMAP", "MLC"), LIMITS),
    "trivial": (
        lambda case, sweeps, rng: case.row.trivial(case),
        ("PR", "MAR", "MPE", "MMAP", "MLC"),
        (None,),
    ),
}


def answer_files(problems, only: tuple[str, ...] = tuple(SOLVERS)) -> Iterator[tuple[str, str]]:
    """All answers: path below answers/, and text."""
    for solver in only:
        solve, tasks, limits = SOLVERS[solver]
        for (task, stem), cases in cases_by_file(problems).items():
            for limit in limits if task in tasks else ():
                rng = np.random.default_rng([SEED, *f"{solver} {stem} {task}".encode()])
                values = [solve(case, SWEEPS * (limit or 0), rng) for case in cases]
                folder = solver if limit is None else f"{solver}/{limit}"
                yield f"{folder}/{stem}.uai.{task}", answer_text(cases, values)


def main(folder: Path) -> None:
    """Write problems and answers."""
    rng = np.random.default_rng(SEED)
    for family in ("chain", "grid", "tree"):
        for number in range(1, 4):
            for suffix, text in problem_files(family, rng).items():
                write_atomically(folder / "problems" / f"{family}_{number}.{suffix}", text)
    problems = load_problems(folder / "problems")
    for path, text in answer_files(problems):
        write_atomically(folder / "answers" / path, text)
    for problem in problems:
        write_reference(problem, exact_reference(problem), folder / "reference")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
