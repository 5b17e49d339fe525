"""What a worker does for an assessment: one operation on one model, nothing shared.

Each operation is a function of a task's arguments; the parent names a task by the content that its result
depends on (ARCHITECTURE.md, Cache).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from srlib.assessing.dust import swept
from srlib.assessing.showing import shown
from srlib.expressions import (
    Expression,
    compare,
    count_sympy,
    evaluate,
    parse,
    r2_score,
    simplify,
    to_sympy,
    to_text,
)
from srlib.expressions.canonical import canonical
from srlib.expressions.evaluate import reset_arithmetic
from srlib.expressions.gathered import gathered
from srlib.expressions.simplify import in_a_sentence, round_constants
from srlib.expressions.verdict import DECIMALS
from srlib.expressions.work import OutOfWorkError, limited_work
from srlib.problems import Problem, partitions
from srlib.problems.data import Partition, Partitions

VERSION = 8
OBJECTS_A_SECOND = 2_000  # a tenth of what a slow machine makes
MATCH_TOLERANCE = 1e-6
EVIDENCE = ("proof", "points", "digits", "witness", "everywhere", "moved", "deviation")


@dataclass(frozen=True)
class Task:
    """One bounded piece of work.

    Parameters
    ----------
    operation : str
        A key of `OPERATIONS`.
    expression : Expression
        The model.
    arguments : dict
        What else the operation takes.
    """

    operation: str
    expression: Expression
    arguments: dict[str, Any]


def carry_out(task: Task) -> dict[str, Any]:
    """Run a task's operation; called in a worker, which is as it was before its first task."""
    reset_arithmetic()
    gathered.cache_clear()
    return OPERATIONS[task.operation](task.expression, **task.arguments)


def seconds_apart(task: Task) -> float | None:
    """Seconds of computing of a task that is counted in work, so that only a broken machine needs them; else None."""
    work = task.arguments.get("work")
    return work and work / OBJECTS_A_SECOND


def forks_itself(task: Task) -> bool:
    """Whether a task leaves sympy as it was, as it has no need of it or lets a fork ask it."""
    return task.operation == "compare" or "rewrites" in task.arguments


def simplified(expression: Expression, **settings: Any) -> dict[str, Any]:
    """Simplify as the rules say; count what results and list the features that are left.

    Where that takes more work than they allow, `beyond` says so.
    """
    try:
        result = simplify(expression, **settings)
    except OutOfWorkError as error:
        return {"beyond": str(error)}
    return {
        "text": result.text,
        "complexity": result.complexity,
        "features": sorted(result.features_used),
        "work": result.work,
    }


def shortest(expression: Expression, *, rewrites: int, **rounding: Any) -> dict[str, Any]:
    """Write a model as short as exact rewrites can (`canonical`); after rounding where the rules round last."""
    found = canonical(expression)
    if rounding:
        found = canonical(round_constants(found.expression, **rounding))
    return {
        "text": found.text,
        "complexity": found.complexity,
        "features": list(found.features_used),
    }


def counted(
    expression: Expression, apply_calls: tuple[str, ...] = (), work: int | None = None
) -> dict[str, Any]:
    """Count the nodes of the tree that sympy makes of the text, not simplified beyond that; calls are carried out.

    As `sympy.sympify` makes it, but for a factor of 1.0, which vanishes.
    """
    try:
        with in_a_sentence(), limited_work(work):
            made = to_sympy(expression, apply_calls=apply_calls, real=None)
            return {"complexity": count_sympy(made)}
    except OutOfWorkError as error:
        return {"beyond": str(error)}


def scored_on_data(
    expression: Expression, problem: Problem, data_seed: int | None, sweep: bool = False
) -> dict[str, Any]:
    """R2 on every partition, recomputed from the text; `bad` counts predictions that are not finite.

    To `sweep` is to list the terms that are `dust`, if any, and to give the `rest` of the model.
    """
    data = _data(problem, data_seed)
    result: dict[str, Any] = {"bad": 0}
    parts = []
    for name in ("train", "test", "extrapolation"):
        part = getattr(data, name)
        if part is not None:
            parts.append((dict(zip(data.features, part.X.T, strict=True)), len(part.y)))
            prediction = evaluate(expression, *parts[-1])
            result["bad"] += int((~np.isfinite(prediction)).sum())
            value = r2_score(part.y, prediction)
            result[name] = value if np.isfinite(value) else None
    rest, dust = swept(expression, parts) if sweep else (expression, [])
    return result | (
        {"dust": [to_text(term) for term in dust], "rest": to_text(rest)} if dust else {}
    )


def compared(
    expression: Expression,
    truth: str,
    features: tuple[str, ...] | None,
    domain: dict[str, Any],
    constants: str = DECIMALS,
    free: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Compare with the truth: verdict, constant, and evidence, which says so where not 3 decimals were asked for."""
    known = features and (*features, *free)
    verdict = compare(parse(truth, known), expression, domain, constants=constants, free=free)
    evidence = {name: getattr(verdict, name) for name in EVIDENCE}
    if verdict.constants != DECIMALS:
        evidence |= {"constants": verdict.constants, "free": verdict.free}
    return {"kind": verdict.kind, "constant": verdict.constant, "evidence": evidence}


def matched(
    expression: Expression, problem: Problem, data_seed: int | None, path: str
) -> dict[str, Any]:
    """Whether the text reproduces the predictions that the run stored, to 1e-6 relative; and R2 of those stored.

    Where none are stored, there is nothing to say.
    """
    data = _data(problem, data_seed)
    matches, r2 = None, {}
    with np.load(Path(path), allow_pickle=False) as stored:
        for name in ("train", "test", "extrapolation"):
            part = getattr(data, name)
            if name in stored and part is not None and stored[name].size:
                prediction = _predict(expression, data, part)
                expected = np.asarray(stored[name], dtype=float)
                if prediction.shape != expected.shape:
                    return {"matches": False, "r2": {}}
                value = r2_score(part.y, expected)
                r2[name] = value if np.isfinite(value) else None
                scale = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
                close = np.isclose(
                    prediction,
                    expected,
                    rtol=MATCH_TOLERANCE,
                    atol=MATCH_TOLERANCE * scale,
                    equal_nan=True,
                )
                matches = matches is not False and bool(close.all())
    return {"matches": matches, "r2": r2}


def displayed(
    expression: Expression,
    simplified: str | None,
    problem: Problem,
    data_seed: int | None,
    domain: dict[str, Any],
    **settings: Any,
) -> dict[str, Any]:
    """Choose the text that is shown of the model, and its form (see `shown`)."""
    simple = None
    if simplified is not None:
        simple = parse(simplified, problem.features)
    data = partitions(problem, data_seed)
    text, form = shown(expression, simple, data, domain, **settings)
    return {"text": text, "form": form}


OPERATIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "simplify": simplified,
    "canonical": shortest,
    "count": counted,
    "r2": scored_on_data,
    "compare": compared,
    "match": matched,
    "show": displayed,
}


def _data(problem: Problem, data_seed: int | None) -> Partitions:
    data = partitions(problem, data_seed)
    if data is None:
        raise ValueError(f"problem {problem.dataset} has no data")
    return data


def _predict(expression: Expression, data: Partitions, part: Partition) -> np.ndarray:
    columns = {name: part.X[:, index] for index, name in enumerate(data.features)}
    return evaluate(expression, columns, len(part.y))
