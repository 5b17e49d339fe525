"""Parts of functions, as steps that compute the values of all of them together."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srlib.expressions.expression import Item
from srlib.expressions.operators import SYMPY_CALLS, Operator

LINEAR = {"add", "sub", "neg", "mul"} | set(SYMPY_CALLS)
COMPARING = {"lt", "le", "gt", "ge", "eq", "ne", "max", "min"}
POWERS = {
    "sqrt": 0.5,
    "cbrt": 1 / 3,
    "square": 2.0,
    "cube": 3.0,
    "inv": -1.0,
    "neg": 1.0,
    "abs": 1.0,
}


class Parts:
    """Parts of some tapes whose extremes and signs tell where they may be narrow, and the steps that compute them.

    They are the arguments of operators that are not linear, the difference of what is compared, and the logarithm of
    the size of products, which does not underflow where their values do. What occurs twice is computed once, and
    nothing but what is asked for. `found` are the steps of all parts, in order.
    """

    def __init__(self, tapes: Sequence[Sequence[Item]]) -> None:
        self.steps: list[tuple[Any, tuple[int, ...]]] = []
        self.moving: list[bool] = []
        self.found: list[int] = []
        self._known: dict[Any, int] = {}
        self._orders: dict[tuple[int, ...], list[tuple[int, list[int], list[int]]]] = {}
        for tape in tapes:
            self._read(tape)

    def _read(self, tape: Sequence[Item]) -> None:
        stack: list[tuple[int, int]] = []
        for item in tape:
            if not isinstance(item, Operator):
                value = self._step(item) if isinstance(item, str) else self._constant(item)
                stack.append((value, self._log_of(value)))
                continue
            arguments = stack[len(stack) - item.arity :]
            del stack[len(stack) - item.arity :]
            values = [value for value, _ in arguments]
            moving = [value for value in values if self.moving[value]]
            if item.name not in LINEAR:
                self.found += moving
            if item.name in COMPARING and moving:
                self.found.append(self._step(np.subtract, *values))
            value = self._step(item.numpy, *values) if values else self._constant(item.numpy())
            size = self._log_size(item, arguments, value)
            if item.name in ("mul", "div") and len(moving) == 2:
                self.found.append(size)
            stack.append((value, size))

    def _step(self, function: Any, *arguments: int) -> int:
        """Note a feature, or a function of earlier steps, once."""
        known = self._known.setdefault((function, arguments), len(self.steps))
        if known == len(self.steps):
            self.steps.append((function, arguments))
            self.moving.append(isinstance(function, str) or any(self.moving[a] for a in arguments))
        return known

    def _constant(self, number: Any) -> int:
        number = np.float64(number)
        known = self._known.setdefault(repr(number), len(self.steps))
        if known == len(self.steps):
            self.steps.append((number, ()))
            self.moving.append(False)
        return known

    def _log_of(self, value: int) -> int:
        return self._step(np.log, self._step(np.abs, value))

    def _log_size(self, item: Operator, arguments: list[tuple[int, int]], value: int) -> int:
        """Logarithm of the size of a value, from those of the arguments where the value may underflow."""
        if item.name == "exp":
            return arguments[0][0]
        if item.name in POWERS:
            return self._step(np.multiply, self._constant(POWERS[item.name]), arguments[0][1])
        if item.name == "mul":
            return self._step(np.add, arguments[0][1], arguments[1][1])
        if item.name == "div":
            return self._step(np.subtract, arguments[0][1], arguments[1][1])
        if item.name == "pow":
            return self._step(np.multiply, arguments[0][1], arguments[1][0])
        return self._log_of(value)

    def at(
        self, x: np.ndarray, names: Sequence[str], asked: Sequence[int]
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Values, shape (points,), of the parts asked for, with their numbers; `x` has shape (points, features)."""
        values: dict[int, Any] = {}
        for step, parts, over in self._order(tuple(asked)):
            function, arguments = self.steps[step]
            if arguments:
                values[step] = function(*[values[a] for a in arguments])
            elif isinstance(function, str):
                values[step] = x[:, names.index(function)]
            else:
                values[step] = function
            for part in parts:
                yield part, values[step]
            for a in over:
                del values[a]

    def _order(self, asked: tuple[int, ...]) -> list[tuple[int, list[int], list[int]]]:
        """Order the steps that are needed, each with the parts that it gives and with what nobody needs any more."""
        if asked not in self._orders:
            parts: dict[int, list[int]] = {}
            for part in asked:
                parts.setdefault(self.found[part], []).append(part)
            used: set[int] = set()
            order: list[tuple[int, list[int], list[int]]] = []
            for step in range(len(self.steps) - 1, -1, -1):
                if step in used or step in parts:
                    # who is met here first, on the way back, is used here last
                    over = {*self.steps[step][1], step} - used
                    used |= over
                    order.append((step, parts.get(step, []), [*over]))
            self._orders[asked] = order[::-1]
        return self._orders[asked]
