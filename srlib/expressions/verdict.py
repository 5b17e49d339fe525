"""A verdict on two functions, with its evidence."""

from dataclasses import dataclass, field
from typing import Any

KINDS = ("identical", "offset", "scale")
SOLUTIONS = (*KINDS, "form")
DECIMALS = "3 decimals"  # how constants are compared where nothing else is said


@dataclass(frozen=True)
class Equivalence:
    """A verdict and its evidence.

    Parameters
    ----------
    kind : {'identical', 'offset', 'scale', 'form', 'different', 'constant', 'unknown'}
        The first four are solutions; form: with the values in `free`.
    constant : float or None
        The additive (offset) or multiplicative (scale) constant: model = truth + constant, model = constant *
        truth.
    proof : {'symbolic', 'symbolic after moving constants', 'numerical', 'witness'} or None
        sympy reduced the difference, of the two as they stand or with the constants in `moved`; agreement at
        points; a point that refutes. None where a form was not found: no point refutes all values.
    points : int
        Number of points at which both were compared.
    digits : int
        Significant digits: to which both agree (solutions), or certain digits of the witness's values.
    witness : dict or None
        ``{"point": {feature: value}, "truth": value, "model": value, "difference": value}`` where they differ
        most, confirmed with 60 digits; the model's value is None where it is undefined.
    everywhere : bool or None
        Whether the equality also holds at points far outside the domain, wherever both are defined there; for
        a refuted model only True is ever said, where being undefined is all that is wrong with it.
    detail : str
        For the reader: which constants moved, where the model is undefined, how far the two are apart.
    moved : list of dict
        Of solutions: ``{"constant": which, "truth": value, "model": value, "percent": of the truth's}`` of each
        constant in which the two differ.
    deviation : float or None
        Of solutions: the largest deviation on the domain of the two as they stand, but for the constant between
        them, in shares of the truth's range there.
    constants : str
        Under which reading of equal constants the verdict is given.
    free : dict of str to float
        Under `free`, the values of the constants that may have any, with which the truth comes nearest.
    """

    kind: str
    constant: float | None
    proof: str | None
    points: int
    digits: int
    witness: dict[str, Any] | None
    everywhere: bool | None
    detail: str
    moved: list[dict[str, Any]] = field(default_factory=list)
    deviation: float | None = None
    constants: str = DECIMALS
    free: dict[str, float] = field(default_factory=dict)
