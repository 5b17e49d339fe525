"""Anybody's estimator in a run of its own: imported there, seeded where it takes a seed."""

import inspect
from typing import Any, Self

import numpy as np

from srlib.recording.methods import Method, find


class Participant:
    """The estimator MODULE:CLASS with its defaults; modules of the current folder can be imported, too.

    Parameters
    ----------
    reference : str
        MODULE:CLASS with scikit-learn's fit and predict.
    random_state : int
        Handed on where the class has a parameter of that name.
    """

    def __init__(self, reference: str, random_state: int) -> None:
        made = find(reference)
        seeded = "random_state" in inspect.signature(made).parameters
        self.estimator = made(random_state=random_state) if seeded else made()

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit the estimator itself."""
        self.estimator.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> Any:
        """Give what the estimator gives, unchecked."""
        return self.estimator.predict(X)

    @property
    def text(self) -> str | None:
        """Text of the model where the estimator has an attribute `model` that is one, else None."""
        found = getattr(self.estimator, "model", None)
        if isinstance(found, str) and found.strip():
            return found
        return None


def participant(reference: str, taken: str) -> Method:
    """Make the method of an estimator, named after its class, or after all of `reference` if that is `taken`.

    Examples
    --------
    >>> participant("sklearn.linear_model:Lasso", "LinearRegression").name
    'Lasso'
    """
    name = reference.rpartition(":")[2]
    entry = {
        "name": reference if name == taken else name,
        "estimator": "srlib.recording.participant:Participant",
        "parameters": {"reference": reference},
        "seed_parameter": "random_state",
        "model": {"text": "participant"},
        "package": reference.replace(":", ".").split(".")[0],
    }
    return Method.model_validate(entry)
