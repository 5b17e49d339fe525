"""One model: read it, evaluate it, and compare it with the truth."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError, SrlibError, require
from srlib.expressions import Expression, compare, count_text, evaluate, to_latex, to_text
from srlib.expressions import parse as parse_text
from srlib.expressions.evidence import SOLUTIONS, Equivalence
from srlib.expressions.names import NAMES
from srlib.expressions.points import DEFAULT_RANGE
from srlib.result import Result
from srlib.workers import bounded_map

OPENINGS = {
    "identical": "A solution, the truth itself:",
    "offset": "A solution, the truth plus {:.6g}:",
    "scale": "A solution, {:.6g} times the truth:",
    "form": "A solution in form,",
    "different": "No solution:",
    "constant": "No solution:",
    "unknown": "Not known:",
}


class Model(Result):
    """A model that was read from its text; nothing of the text is executed.

    Attributes
    ----------
    text : str
        The model in srlib's notation, which `parse` reads back.
    features : tuple of str
        Names of the features in it, sorted.
    size : int
        Operators, features and constants, as they are written.
    latex : str
        LaTeX for mathematics mode.
    """

    title = "Model"
    equations = ("model",)

    def __init__(self, expression: Expression, columns: list[str] | None = None) -> None:
        self.expression = expression
        self.columns = columns
        self.text = to_text(expression)
        self.features = tuple(sorted(expression.features))
        self.size = count_text(expression)
        self.latex = to_latex(expression)

    def __str__(self) -> str:
        """Give the model's text."""
        return self.text

    @property
    def sentences(self) -> list[str]:
        """The text itself."""
        return [self.text]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The model as an equation, with its size."""
        return {"Model": pd.DataFrame({"model": [self.text], "size": [self.size]})}

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"

    def predict(self, X: Any) -> np.ndarray:
        """Evaluate the model.

        Parameters
        ----------
        X : DataFrame, mapping of str to array, or array of shape (rows, features)
            Of an array the columns are the `features` that `parse` was given, in that order. Columns that the model
            does not use are not looked at.

        Returns
        -------
        ndarray of float64, shape (rows,)
            NaN where the model is complex or undefined.

        Raises
        ------
        SrlibError
            When a feature of the model is missing, or is no column of numbers.
        """
        is_named = isinstance(X, pd.DataFrame | Mapping)
        require(
            is_named or self.columns is not None,
            "predict: columns of an array have no names: give a DataFrame, or parse with features",
        )
        try:
            table = pd.DataFrame(X, columns=None if is_named else self.columns)
            require(table.columns.is_unique, "predict: two columns have the same name")
            used = table.columns.intersection(list(self.features))
            columns = {name: np.asarray(table[name], dtype=float) for name in used}
        except (TypeError, ValueError) as error:
            raise InputError(f"predict: a table of numbers was expected ({error})") from error
        return evaluate(self.expression, columns, len(table))


class Equivalent(Result):
    """Whether a model is the truth up to a constant, and the evidence.

    Attributes
    ----------
    verdict : str
        identical, offset, scale or form (solutions); different, constant or unknown.
    solution : bool or None
        Whether it is a solution; None: not known.
    evidence : dict
        verdict, constant, proof, points, digits, witness, moved, constants, free, domain: what
        `srlib equivalent --json` prints.
    detail : str
        The evidence in words.
    """

    title = "Is the model the truth?"

    def __init__(self, result: Equivalence, domain: dict[str, tuple[float, float]]) -> None:
        evidence = asdict(result)
        self.verdict: str = evidence.pop("kind")
        self.detail: str = evidence.pop("detail")
        self.evidence = {"verdict": self.verdict, **evidence, "domain": domain}
        self.solution = None if self.verdict == "unknown" else self.verdict in SOLUTIONS

    @property
    def sentences(self) -> list[str]:
        """The verdict and its evidence."""
        constant = self.evidence["constant"] or 0.0
        return [f"{OPENINGS[self.verdict].format(constant)} {self.detail}."]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The evidence, a row each."""
        rows = [(name, str(value)) for name, value in self.evidence.items()]
        return {"Evidence": pd.DataFrame(rows, columns=["evidence", "value"])}


def parse(text: str, features: Sequence[str] | None = None, *, names: str = "auto") -> Model:
    """Read a model's text in any known dialect; nothing of it is executed.

    Parameters
    ----------
    text : str
        The model.
    features : sequence of str, optional
        The features in order; without them any name is a feature.
    names : {'auto', 'auto-x1', 'features', 'x0', 'x1'}
        How positional names are read: from 0, from 1, or not at all. Under 'auto' the text tells, and where it does
        not they count from 0; under 'auto-x1' from 1.

    Raises
    ------
    SrlibError
        When the text cannot be read; with the excerpt and the position.

    Examples
    --------
    >>> import srlib
    >>> model = srlib.parse("mul(add(X0, -0.5), X1)", features=["a", "b"])
    >>> model.text, model.size, model.predict([[1.0, 2.0]])
    ('(a + (-0.5))*b', 5, array([1.]))
    """
    require(names in NAMES, f"names: one of {', '.join(NAMES)} was expected, got {names!r}")
    columns = None if features is None else check_names(features, "features")
    return Model(parse_text(text_of(text), columns, names=names), columns)


def equivalent(
    truth: str | Model,
    model: str | Model,
    *,
    domain: Mapping[str, tuple[float, float]] | None = None,
    constants: str = "decimals:3",
    free: Collection[str] = (),
    timeout: float = 60.0,
) -> Equivalent:
    """Compare a model with the truth, in a process of its own with time and memory limits.

    Parameters
    ----------
    truth, model : str or Model
        Formulas in the same features.
    domain : mapping of str to (low, high), optional
        Range of each feature; (1, 5) where none is given. It may name features that neither formula uses.
    constants : str
        How constants count: decimals:N, significant:N, srbench or free.
    free : collection of str
        Constants of the truth that may have any value, under free.
    timeout : float
        Seconds that the comparison may take; beyond them the verdict is unknown.

    Examples
    --------
    >>> import srlib
    >>> result = srlib.equivalent("2*x*y", "2.0001*y*x + 0.3")
    >>> result.verdict, result.solution, round(result.evidence["constant"], 6)
    ('offset', True, 0.3)
    """
    free = check_names(free, "free")
    require(
        (constants == "free") == bool(free),
        "constants free and free names such as c0,c1 go together",
    )
    ranges = check_domain(domain)
    task = (text_of(truth, "truth"), text_of(model), ranges, constants, free)
    outcomes = bounded_map(
        compare_texts, [task], timeout=timeout, jobs=1, preload=("srlib.expressions",)
    )
    [(_, outcome)] = outcomes
    if outcome.status == "ok" and isinstance(outcome.value, str):
        raise InputError(outcome.value)
    if outcome.status == "ok":
        return Equivalent(*outcome.value)
    reason = f"no verdict: {outcome.detail or outcome.status}"
    return Equivalent(Equivalence("unknown", constants=constants, detail=reason), ranges)


def check_names(names: Collection[str], subject: str) -> list[str]:
    """Return names as a list; a single text is refused, because its letters would be read as names."""
    require(not isinstance(names, str), f"{subject}: a list of names was expected, got {names!r}")
    return list(names)


def text_of(model: Any, subject: str = "model") -> str:
    """Return the text of a formula or of a parsed model.

    Raises
    ------
    InputError
        When it is neither.
    """
    require(
        isinstance(model, str | Model),
        f"{subject}: a formula's text was expected, got {type(model).__name__}",
    )
    return str(model)


def compare_texts(
    task: tuple[str, str, dict[str, tuple[float, float]], str, list[str]],
) -> tuple[Equivalence, dict[str, tuple[float, float]]] | str:
    """Compare in a worker: the evidence and the domain, or why the call is wrong."""
    truth_text, model_text, ranges, constants, free = task
    try:
        truth, model = parse_text(truth_text), parse_text(model_text)
        for name in free:
            require(
                name in truth.features - model.features,
                f"free: a name of the truth that is not in the model was expected, got {name!r}",
            )
        features = sorted((truth.features | model.features) - set(free))
        domain = dict.fromkeys(features, DEFAULT_RANGE) | ranges
        return compare(truth, model, domain, constants=constants, free=free), domain
    except (SrlibError, ValueError) as error:
        return str(error)


def check_domain(domain: Any) -> dict[str, tuple[float, float]]:
    """Return the range of each feature as floats.

    Raises
    ------
    InputError
        When it is no pair of numbers in ascending order.
    """
    message = f"domain: {{NAME: (LOW, HIGH)}} with LOW < HIGH was expected, got {domain!r}"
    try:
        ranges = {
            str(name): (float(low), float(high)) for name, (low, high) in dict(domain or {}).items()
        }
    except (TypeError, ValueError) as error:
        raise InputError(message) from error
    for name, (low, high) in ranges.items():
        require(bool(name) and 0 < high - low < np.inf, message)
    return ranges
