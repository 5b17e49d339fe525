"""Open brackets of the parser, and what their commas and closings put on the tape."""

from typing import Any

from srlib.expressions.calls import Call
from srlib.expressions.operators import OPERATORS
from srlib.expressions.tree import Item

_ADD, _DIV = OPERATORS["add"], OPERATORS["div"]


class RefusalError(Exception):
    """Why a text cannot be read: what, at which token, and the parse status."""

    def __init__(self, message: str, index: int, kind: str = "unparsed") -> None:
        self.message, self.index, self.kind = message, index, kind


class Group:
    """An open bracket: what it belongs to, how many arguments are complete, and its pairs in Piecewise."""

    __slots__ = ("call", "count", "kind", "name", "opener", "pairs", "start", "true_last")

    def __init__(self, opener: str, kind: str, call: Call | None = None, name: str = "") -> None:
        self.opener, self.kind, self.call, self.name = opener, kind, call, name
        self.count = self.pairs = self.start = 0
        self.true_last = False


def comma(group: Group, tape: list[Item], i: int) -> None:
    """Finish an argument that is not the last of its bracket."""
    group.count += 1
    if group.kind == "call" and group.call is not None:
        if group.call.fold:
            if group.count > 1:
                tape.extend(group.call.items)
        elif group.count == 2 and group.call.between:
            tape.extend(group.call.between)
        elif group.count >= group.call.arity:
            if group.name != "log" or group.count > 1:
                raise RefusalError(f"{group.name} takes {group.call.arity} argument(s)", i)
            tape.extend(group.call.items)
    elif group.kind == "list":
        if group.count > 1:
            tape.append(_ADD)
    elif group.kind == "pair" and group.count == 1:
        group.start = len(tape)
    elif group.kind != "piecewise":
        raise RefusalError("a comma outside of a call or list (decimals have a point)", i)


def close(group: Group, outer: Any, tape: list[Item], i: int, true_at: int) -> None:
    """Finish a bracket; `outer` is what waits before it, `true_at` where the last ``True`` is on the tape."""
    if group.kind == "call" and group.call is not None:
        missing = group.call.arity - group.count - 1
        if missing > 0 and not (group.call.fold and group.count == 0):
            raise RefusalError(
                f"{group.name} takes {group.call.arity} argument(s), got {group.count + 1}", i
            )
        if missing <= 0 and (group.count or not group.call.fold):
            tape.extend(group.call.items)
        if group.name == "log" and group.count == 1:
            tape.append(_DIV)
        if group.call.last:
            tape.extend((group.count + 1, *group.call.last))
    elif group.kind == "list" and group.count:
        tape.append(_ADD)
    elif group.kind == "bars":
        tape.append(OPERATORS["abs"])
    elif group.kind == "pair":
        if group.count != 1 or not (isinstance(outer, Group) and outer.kind == "piecewise"):
            raise RefusalError("a (value, condition) pair belongs in Piecewise", i)
        outer.pairs += 1
        outer.true_last = true_at == group.start == len(tape) - 1
    elif group.kind == "piecewise":
        if group.true_last:
            tape.pop()
        else:
            tape.append(OPERATORS["only"])
        tape.extend([OPERATORS["where"]] * group.count)
