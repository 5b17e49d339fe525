"""Functions for one model: parse it, evaluate it, and compare it with the truth."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError, SrlibError, require
from srlib.expressions import Expression, compare, count_text, evaluate, to_latex, to_text
from srlib.expressions import parse as parse_text
from srlib.expressions.equality import NAMED_NUMBERS
from srlib.expressions.evidence import SOLUTIONS, Equivalence
from srlib.expressions.operators import OPERATORS
from srlib.expressions.points import DEFAULT_RANGE, Ranges
from srlib.prose import state
from srlib.result import Result
from srlib.workers import bounded_map

SENTENCES = {
    "identical": "A solution, the truth itself: {detail}.",
    "offset": "A solution, the truth plus {constant:.6g}: {detail}.",
    "scale": "A solution, {constant:.6g} times the truth: {detail}.",
    "form": "A solution in form, {detail}.",
    "different": "No solution: {detail}.",
    "constant": "No solution: {detail}.",
    "unknown": "Not known: {detail}.",
}
UNPROVED = "A solution: {detail}."  # of identical models without a proof


@dataclass(frozen=True, repr=False)
class Model(Result):
    r"""A model that was parsed from a text; the text is never executed. Made by `parse`.

    Parameters
    ----------
    expression : Expression
        The model as a tree.
    columns : tuple of str, optional
        Names of the columns of arrays that `predict` is called with; None if `parse` was called without features.

    Examples
    --------
    >>> import srlib
    >>> model = srlib.parse("x1*x1 - 0.5*x0")
    >>> model
    Model: x1*x1 - 0.5*x0
    >>> model.features, model.size, model.latex
    (('x0', 'x1'), 7, 'x_{1} \\, x_{1} - 0.5 \\, x_{0}')
    """

    expression: Expression
    columns: tuple[str, ...] | None = None
    title = "Model"
    equations = ("model",)

    def __str__(self) -> str:
        """Return the model's text."""
        return self.text

    @property
    def text(self) -> str:
        """The model in srlib's notation, which `parse` accepts."""
        return to_text(self.expression)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features in the model, sorted."""
        return tuple(sorted(self.expression.features))

    @property
    def size(self) -> int:
        """Number of operators, features and constants in the model as written."""
        return count_text(self.expression)

    @property
    def latex(self) -> str:
        """LaTeX for mathematics mode."""
        return to_latex(self.expression)

    @property
    def sentences(self) -> list[str]:
        """The model's text, as a list of one sentence."""
        return [self.text]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """The model as an equation, with its size."""
        return {"Model": pd.DataFrame({"model": [self.text], "size": [self.size]})}

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"

    def predict(self, X: Any) -> np.ndarray:
        """Return the values of the model on data.

        Parameters
        ----------
        X : DataFrame, mapping of str to array, or array of shape (rows, features)
            Values of the features. The columns of an array are the `features` passed to `parse`, in that order. Columns
            that the model does not use are ignored.

        Returns
        -------
        ndarray of float64, shape (rows,)
            Values of the model; NaN where it is complex or undefined.

        Raises
        ------
        SrlibError
            When a feature of the model is missing or not numeric, or an array is given without `features` of `parse`.

        Examples
        --------
        >>> import srlib
        >>> srlib.parse("sqrt(a) + b").predict({"a": [4.0, -1.0], "b": [0.5, 0.5]})
        array([2.5, nan])
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


@dataclass(frozen=True, repr=False)
class Equivalent(Result):
    """Whether a model is the truth up to a constant, with the evidence. Made by `equivalent`.

    Parameters
    ----------
    equivalence : Equivalence
        The verdict and its evidence.
    domain : dict of str to (low, high)
        Range of each feature.

    Examples
    --------
    >>> import srlib
    >>> srlib.equivalent("x*y", "3.5*y*x")
    Equivalent: A solution, 3.5 times the truth: equal with the constants as they stand.
    """

    equivalence: Equivalence
    domain: Ranges
    title = "Is the model the truth?"

    @property
    def verdict(self) -> str:
        """'identical', 'offset', 'scale' or 'form' (solutions); 'different', 'constant' or 'unknown'."""
        return self.equivalence.kind

    @property
    def solution(self) -> bool | None:
        """Whether the model is a solution; None if unknown."""
        return None if self.verdict == "unknown" else self.verdict in SOLUTIONS

    @property
    def detail(self) -> str:
        """The evidence in words."""
        return self.equivalence.detail

    @property
    def evidence(self) -> dict[str, Any]:
        """What `srlib equivalent --json` prints: verdict, the fields of `Equivalence` except `detail`, and domain."""
        evidence = {"verdict": self.verdict, **asdict(self.equivalence), "domain": self.domain}
        del evidence["kind"], evidence["detail"]
        return evidence

    @property
    def sentences(self) -> list[str]:
        """A sentence with the verdict and its evidence; the constant of offset and scale is a fact of it."""
        template, constant = SENTENCES[self.verdict], self.equivalence.constant
        if self.verdict == "identical" and self.equivalence.proof != "symbolic":
            template = UNPROVED
        return [state("verdict", template, constant=constant, detail=self.detail)]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """The evidence as a table with a row for each item."""
        rows = [(name, str(value)) for name, value in self.evidence.items()]
        return {"Evidence": pd.DataFrame(rows, columns=["evidence", "value"])}


def parse(text: str, features: Sequence[str] | None = None, *, names: str | None = None) -> Model:
    """Return the model that a text in any known dialect means; the text is never executed.

    Parameters
    ----------
    text : str
        Text of the model.
    features : sequence of str, optional
        Names of the features, in order; by default any name is a feature.
    names : {'features', 'x0', 'x1'}, optional
        Whether features have their own names, or positional names such as x1 that count from 0 or 1. By default as the
        text tells: the only numbering that fits it, else the features' names if they fit; else it is refused.

    Returns
    -------
    Model
        The model with its text, size, LaTeX and values.

    Raises
    ------
    SrlibError
        When the text cannot be parsed; the message has the excerpt and the position.

    Examples
    --------
    >>> import srlib
    >>> model = srlib.parse("mul(add(X0, -0.5), X1)", features=["a", "b"])
    >>> model.text, model.size, model.predict([[1.0, 2.0]])
    ('(a + (-0.5))*b', 5, array([1.]))
    """
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
    """Return whether a model is the truth up to a constant, found in a process with limits of time and memory.

    Parameters
    ----------
    truth, model : str or Model
        Formulas in the same features.
    domain : mapping of str to (low, high), optional
        Range of each feature; by default (1, 5). Features that neither formula uses are allowed. ``E`` and ``e`` are
        features only if they are stated here or in `free`, else Euler's number.
    constants : str
        How constants are compared: 'decimals:N', 'significant:N', 'srbench' or 'free'.
    free : collection of str
        Constants of the truth that may have any value; required with `constants='free'`, not allowed otherwise.
    timeout : float
        Seconds that the comparison may take; after that the verdict is 'unknown'.

    Returns
    -------
    Equivalent
        The verdict, with its evidence in words and as a dictionary.

    Raises
    ------
    InputError
        When a formula cannot be parsed, or another argument is not as described.

    Examples
    --------
    >>> import srlib
    >>> result = srlib.equivalent("2*x*y", "2.0001*y*x + 0.3")
    >>> result.verdict, result.solution, round(result.evidence["constant"], 6)
    ('offset', True, 0.3)
    """
    names = check_names(free, "free")
    require(
        (constants == "free") == bool(names),
        "constants free and free names such as c0,c1 go together",
    )
    ranges = check_domain(domain)
    request = text_of(truth, "truth"), text_of(model), ranges, constants, names
    [(_, outcome)] = bounded_map(
        compare_texts, [request], timeout=timeout, jobs=1, preload=("srlib.expressions",)
    )
    if isinstance(outcome.value, str):
        raise InputError(outcome.value)
    if outcome.value:
        return Equivalent(*outcome.value)
    reason = f"no verdict: {outcome.detail or outcome.status}"
    return Equivalent(Equivalence("unknown", constants=constants, detail=reason), ranges)


def check_names(names: Collection[str], subject: str) -> tuple[str, ...]:
    """Return names as a tuple; raise InputError for a single text, because its letters would be read as names."""
    require(not isinstance(names, str), f"{subject}: a list of names was expected, got {names!r}")
    return tuple(names)


def text_of(model: Any, subject: str = "model") -> str:
    """Return the text of a formula or of a parsed model.

    Raises
    ------
    InputError
        When it is neither of both.
    """
    require(
        isinstance(model, str | Model),
        f"{subject}: a formula's text was expected, got {type(model).__name__}",
    )
    return str(model)


def compare_texts(
    request: tuple[str, str, Ranges, str, tuple[str, ...]],
) -> tuple[Equivalence, Ranges] | str:
    """Compare two texts in a worker, and return the evidence and the domain, or a sentence if the input is wrong."""
    truth_text, model_text, ranges, constants, free = request
    try:
        euler: dict[Any, Any] = dict.fromkeys({"E", "e"} - {*ranges, *free}, OPERATORS["E"])
        truth, model = parse_text(truth_text), parse_text(model_text)
        truth = Expression(tuple(euler.get(item, item) for item in truth.tape))
        for name in free:
            require(
                name in truth.features - model.features,
                f"free: a name of the truth that is not in the model was expected, got {name!r}",
            )
        numbers = NAMED_NUMBERS - truth.features - ranges.keys()
        features = sorted((truth.features | model.features).difference(free, numbers))
        domain = dict.fromkeys(features, DEFAULT_RANGE) | ranges
        return compare(truth, model, domain, constants=constants, free=free), domain
    except (SrlibError, ValueError) as error:
        return str(error)


def check_domain(domain: Any) -> Ranges:
    """Return the range of each feature as floats.

    Raises
    ------
    InputError
        When a range is not a pair of numbers in ascending order.
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
