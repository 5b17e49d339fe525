"""FFX without its clock, as a participant submits it: the same model again, however busy the machine."""

import warnings
from typing import Any, Self

import numpy as np


class UntimedFFX:
    """ffx.FFXRegressor whose regularisation steps are not stopped after 5 s of wall-clock time.

    FFX returns a front of models, from a constant to the most accurate on the training rows; its own regressor
    takes the last of them. Here the last with at most `max_bases` bases is taken.

    Parameters
    ----------
    max_bases : int
        Largest number of terms above and below the fraction line together.
    alphas, iterations : int
        Steps of a whole regularisation path, and the most iterations of a step; FFX's own are 1000 and 5000.

    Attributes
    ----------
    model_ : ffx.core.models.FFXModel or ConstantModel
        FFX rounds its coefficients (not its thresholds) to three digits, here as everywhere.
    """

    def __init__(self, max_bases: int = 15, alphas: int = 1000, iterations: int = 5000) -> None:
        self.max_bases, self.alphas, self.iterations = max_bases, alphas, iterations

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit on rows x features."""
        import ffx
        from ffx.core import model_factories

        model_factories.ElasticNetWithTimeout = self._elastic_net
        model_factories.FFXBuildStrategy = self._strategy
        names = [f"x{index}" for index in range(X.shape[1])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # most steps end before they converge
            front: list[Any] = ffx.run(X, y, X, y, names)
        self.model_ = [model for model in front if model.numBases() <= self.max_bases][-1]
        return self

    def _elastic_net(self, **settings: Any) -> Any:
        from sklearn.linear_model import ElasticNet

        return ElasticNet(**{**settings, "max_iter": self.iterations})

    def _strategy(self, approach: Any) -> Any:
        from ffx.core.build_strategy import FFXBuildStrategy

        strategy = FFXBuildStrategy(approach)
        strategy._num_alphas = self.alphas
        return strategy

    def predict(self, X: np.ndarray) -> np.ndarray:
        """One value a row."""
        return self.model_.predict(X)


est = UntimedFFX()


def model(est, X):
    """Write a model with all digits of its thresholds (its own text has three)."""
    model, features = est.model_, list(X.columns)
    if not hasattr(model, "bases_n"):
        return repr(float(model.constant))
    above = _write_sum(model.coefs_n[0], model.coefs_n[1:], model.bases_n, features)
    if model.bases_d:
        return f"({above})/({_write_sum(1.0, model.coefs_d, model.bases_d, features)})"
    return above


def _write_sum(intercept, coefficients, bases, features):
    pieces = [repr(float(intercept))]
    for coefficient, base in zip(coefficients, bases, strict=True):
        if coefficient != 0:
            sign = "-" if coefficient < 0 else "+"
            pieces.append(f"{sign} {abs(float(coefficient))!r}*{_write_base(base, features)}")
    return " ".join(pieces)


def _write_base(base, features):
    """Write a basis function: a power of a feature, an operator on one, or the product of two such."""
    if hasattr(base, "base1"):
        return f"{_write_base(base.base1, features)}*{_write_base(base.base2, features)}"
    if hasattr(base, "simple_base"):
        inner, threshold = _write_base(base.simple_base, features), repr(float(base.thr or 0.0))
        forms = (f"abs({inner})", f"max(0, {inner})", f"min(0, {inner})", f"log10({inner})",
                 f"max(0, {threshold} - {inner})", f"max(0, {inner} - {threshold})")  # fmt: skip
        return forms[base.nonlin_op - 1]
    name = features[int(base.var)]
    if base.exponent == 1:
        return name
    return f"{name}^({base.exponent!r})"


eval_kwargs = {"use_dataframe": False}
