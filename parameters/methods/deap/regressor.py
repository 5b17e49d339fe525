"""Genetic programming with deap and linear scaling, as a participant submits it.

deap gives the trees, their variation and the loop; what is here is the fitness. Operators are the plain ones:
a model that is undefined on a training row is the worst there is, not protected.
"""

import operator
import random
import re
from typing import Any, Self

import numpy as np

INFIX = {
    "add": ("+", operator.add),
    "sub": ("-", operator.sub),
    "mul": ("*", operator.mul),
    "div": ("/", np.divide),
}
FUNCTIONS = {"sqrt": np.sqrt, "log": np.log, "sin": np.sin}
WORST = 1e9


class DeapRegressor:
    """Trees of deap, evolved for 1 - r^2 (r: correlation with the target) plus a price per node.

    Parameters
    ----------
    population_size, generations : int
        At most population_size * (generations + 1) models are evaluated.
    max_length, max_height : int
        Limits of a tree; offspring beyond them is replaced by its parent.
    parsimony : float
        Price of a node, in units of 1 - r^2.
    random_state : int
        Seeds Python's generator, which deap draws from, while fitting.

    Attributes
    ----------
    program_ : str
        The best tree as infix text; features are ARG0, ARG1, ...
    intercept_, slope_ : float
        The linear scaling: the model is intercept_ + slope_ * program_ (least squares on the training rows).
    """

    def __init__(
        self,
        population_size: int = 500,
        generations: int = 30,
        max_length: int = 25,
        max_height: int = 8,
        parsimony: float = 0.0005,
        random_state: int = 0,
    ) -> None:
        self.population_size, self.generations, self.parsimony = (
            population_size,
            generations,
            parsimony,
        )
        self.max_length, self.max_height, self.random_state = max_length, max_height, random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Evolve on rows x features."""
        from deap import algorithms, base, gp, tools

        fitness = type("Fitness", (base.Fitness,), {"weights": (-1.0,)})
        self._primitives = _primitives(gp, X.shape[1])
        centred = y - np.mean(y)
        total = float(centred @ centred) or 1.0

        def evaluate(individual: Any) -> tuple[float]:
            values = self._values(str(individual), X)
            spread = values - np.mean(values)
            square = float(spread @ spread)
            if not np.isfinite(square):
                return (WORST,)
            explained = 0.0
            if square > 0:
                explained = float(spread @ centred) ** 2 / (square * total)
            return (1.0 - explained + self.parsimony * len(individual),)

        box: Any = base.Toolbox()
        box.register("grow", gp.genHalfAndHalf, pset=self._primitives, min_=1, max_=4)
        box.register("subtree", gp.genFull, pset=self._primitives, min_=0, max_=2)
        box.register("evaluate", evaluate)
        box.register("select", tools.selTournament, tournsize=5)
        box.register("mate", gp.cxOnePoint)
        box.register("mutate", gp.mutUniform, expr=box.subtree, pset=self._primitives)
        for name in ("mate", "mutate"):
            box.decorate(name, gp.staticLimit(len, self.max_length))
            box.decorate(name, gp.staticLimit(operator.attrgetter("height"), self.max_height))
        state = random.getstate()
        random.seed(self.random_state)
        best = tools.HallOfFame(1)
        with np.errstate(all="ignore"):
            try:
                population: list[Any] = [
                    gp.PrimitiveTree(box.grow()) for _ in range(self.population_size)
                ]
                for individual in population:
                    individual.fitness = fitness()
                algorithms.eaSimple(
                    population, box, 0.8, 0.2, self.generations, halloffame=best, verbose=False
                )
            finally:
                random.setstate(state)
        self.program_ = str(best[0])
        self._scale(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Give intercept_ + slope_ * program_, one value a row."""
        scaled = self.slope_ * self._values(self.program_, X) if self.slope_ else np.zeros(len(X))
        return self.intercept_ + scaled

    def _scale(self, X: np.ndarray, y: np.ndarray) -> None:
        values = self._values(self.program_, X)
        spread = values - np.mean(values)
        square = float(spread @ spread)
        self.slope_ = (
            float(spread @ (y - np.mean(y))) / square if np.isfinite(square) and square > 0 else 0.0
        )
        self.intercept_ = float(np.mean(y)) - (
            self.slope_ * float(np.mean(values)) if self.slope_ else 0.0
        )

    def _values(self, program: str, X: np.ndarray) -> np.ndarray:
        columns = {f"ARG{index}": X[:, index] for index in range(X.shape[1])}
        with np.errstate(all="ignore"):
            try:
                value = eval(program, {"__builtins__": {}} | FUNCTIONS, columns)
            except ArithmeticError:  # two constants of Python: 1/0
                value = np.nan
        return np.broadcast_to(np.asarray(value, dtype=float), (len(X),))


def _primitives(gp: Any, features: int) -> Any:
    """Operators, features and constants from -5 to 5, whose text is plain infix."""
    primitives = gp.PrimitiveSet("main", features)
    for name, (sign, function) in INFIX.items():
        primitives.addPrimitive(function, 2, name=name)
        primitives.mapping[name].seq = f"({{0}} {sign} {{1}})"
    for name, function in FUNCTIONS.items():
        primitives.addPrimitive(function, 1, name=name)
    primitives.addEphemeralConstant("constant", _constant)
    return primitives


def _constant() -> float:
    return random.uniform(-5.0, 5.0)


est = DeapRegressor()


def model(est, X):
    """Write the linear scaling and the tree."""
    program = re.sub(r"ARG(\d+)", lambda match: X.columns[int(match[1])], est.program_)
    scaled = f" + {est.slope_!r}*{program}" if est.slope_ else ""
    return f"{est.intercept_!r}{scaled}"


eval_kwargs = {"use_dataframe": False}
