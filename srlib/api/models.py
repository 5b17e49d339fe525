"""One model: read it, evaluate it, and compare it with the truth."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from srlib.api.arguments import allowed, listed, numbers, ranges, seconds
from srlib.api.shown import Shown
from srlib.errors import InputError, SrlibError
from srlib.expressions import Expression, compare, count_text, evaluate, to_latex, to_text
from srlib.expressions import parse as parse_text
from srlib.expressions.evidence import SOLUTIONS
from srlib.expressions.names import NAMES
from srlib.expressions.points import DEFAULT_RANGE
from srlib.rules.constants import Constants
from srlib.workers import bounded_map

EVIDENCE = (
    "constant",
    "proof",
    "points",
    "digits",
    "witness",
    "moved",
    "deviation",
    "constants",
    "free",
)
SAID = {
    "identical": "A solution, the truth itself:",
    "offset": "A solution, the truth plus {:.6g}:",
    "scale": "A solution, {:.6g} times the truth:",
    "form": "A solution in form,",
    "different": "No solution:",
    "constant": "No solution:",
    "unknown": "Not known:",
}


class Model(Shown):
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
        For mathematics mode.
    """

    title = "Model"
    equations = ("model",)

    def __init__(self, expression: Expression, columns: Sequence[str] | None = None) -> None:
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
        given = self._columns_of(X)
        used = {
            name: numbers(given[name], f"predict: column {name!r}")
            for name in self.features
            if name in given
        }
        rows = {len(values) for values in used.values()}
        if len(rows) > 1:
            lengths = ", ".join(f"{name} has {len(values)}" for name, values in used.items())
            raise InputError(f"predict: columns of one length were expected, but {lengths}")
        if not rows:
            rows = {max((len(np.atleast_1d(values)) for values in given.values()), default=1)}
        return evaluate(self.expression, given | used, rows.pop())

    def _columns_of(self, X: Any) -> dict[str, Any]:
        """Columns by name, as they were given."""
        if isinstance(X, pd.DataFrame):
            if X.columns.has_duplicates:
                twice = X.columns[X.columns.duplicated()][0]
                raise InputError(f"predict: there are two columns {str(twice)!r}")
            return {str(name): X[name] for name in X}
        if isinstance(X, Mapping):
            return {str(name): values for name, values in X.items()}
        if self.columns is None:
            raise InputError(
                "predict: columns of an array have no names: give a DataFrame, or parse with features"
            )
        array = np.asarray(X)
        if array.ndim != 2 or array.shape[1] != len(self.columns):
            shape = f"(rows, {len(self.columns)})"
            raise InputError(f"predict: an array of shape {shape} was expected, got {array.shape}")
        return dict(zip(self.columns, array.T, strict=True))


class Equivalent(Shown):
    """Whether a model is the truth up to a constant, and the evidence.

    Attributes
    ----------
    verdict : str
        identical, offset, scale or form (solutions); different, constant or unknown.
    solution : bool or None
        Whether it is a solution; None: not known.
    evidence : dict
        verdict, constant, proof, points, digits, witness, moved, deviation, constants, free, domain: what
        `srlib equivalent --json` prints.
    detail : str
        The same in words.
    """

    title = "Is the model the truth?"

    def __init__(self, evidence: dict[str, Any], detail: str) -> None:
        self.evidence = evidence
        self.detail = detail
        self.verdict: str = evidence["verdict"]
        self.solution = None if self.verdict == "unknown" else self.verdict in SOLUTIONS

    @property
    def sentences(self) -> list[str]:
        """The verdict and what it rests on."""
        constant = self.evidence["constant"] or 0.0
        return [f"{SAID[self.verdict].format(constant)} {self.detail}."]

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
    allowed(names, "names", NAMES)
    columns = None if features is None else list(listed(features))
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
    >>> found = srlib.equivalent("2*x*y", "2.0001*y*x + 0.3")
    >>> found.verdict, found.solution, round(found.evidence["constant"], 6)
    ('offset', True, 0.3)
    """
    given = ranges(domain)
    by, names = _constants(constants, free)
    task = (text_of(truth, "truth"), text_of(model), given, by, names)
    limits: Any = {"timeout": seconds(timeout), "jobs": 1, "preload": ("srlib.expressions",)}
    outcome = next(bounded_map(_compared, [task], **limits))[1]
    if outcome.status == "ok" and isinstance(outcome.value, str):
        raise InputError(outcome.value)
    nothing = {name: None for name in EVIDENCE} | {"points": 0, "digits": 0, "moved": []}
    nothing |= {"constants": by, "free": {}}
    found, detail = outcome.value or (
        {"verdict": "unknown", **nothing, "domain": given},
        f"no verdict: {outcome.detail or outcome.status}",
    )
    return Equivalent(found, detail)


def text_of(given: Any, what: str = "model") -> str:
    """Get a formula's text, also that of a parsed model.

    Raises
    ------
    InputError
        When it is neither.
    """
    if isinstance(given, str | Model):
        return str(given)
    raise InputError(f"{what}: a formula's text was expected, got {type(given).__name__}")


def _compared(task: tuple[str, str, dict[str, tuple[float, float]], str, tuple[str, ...]]) -> Any:
    """Compare in a worker: what is found, or why the texts cannot be read."""
    truth, model, given, constants, free = task
    try:
        left, right = parse_text(truth), parse_text(model)
        names = sorted((left.features | right.features) - set(free))
        ranges = {name: given.get(name, DEFAULT_RANGE) for name in names} | given
        if strange := [name for name in free if name not in left.features]:
            return f"free: {strange[0]!r} is not in the truth"
        if used := [name for name in free if name in right.features]:
            return f"free: {used[0]!r} is in the model, too; a free constant belongs to the truth"
        found = compare(left, right, ranges, constants=constants, free=free)
    except SrlibError as error:
        return str(error)
    evidence = {name: getattr(found, name) for name in EVIDENCE}
    return {"verdict": found.kind, **evidence, "domain": ranges}, found.detail


def _constants(text: str, free: Collection[str]) -> tuple[str, tuple[str, ...]]:
    names = listed(free)
    try:
        by = str(Constants.read(text))
    except ValueError as error:
        raise InputError(f"constants: {error}") from error
    if (by == "free") != bool(names):
        raise InputError("constants free and free names such as c0,c1 go together")
    return by, names
