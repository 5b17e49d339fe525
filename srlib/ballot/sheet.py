"""One sheet of the packet: a model in nobody's style, its numbers, and how it predicts."""

import base64
import io
from itertools import chain
from typing import Any

from srlib.assessing.names import as_written
from srlib.assessing.run import data_seed
from srlib.assessing.showing import likeness_to
from srlib.displays.styling import style
from srlib.displays.tables.equations import equation
from srlib.displays.tables.sheet import SheetDisplay
from srlib.expressions import Expression, parse, to_text
from srlib.expressions.operators import Operator
from srlib.expressions.tree import Item
from srlib.problems import Problem, domain_of, partitions


def plain(model: Expression) -> Expression:
    """Write a model in operators that every method has and every expert knows.

    Protected operators become what they protect, for the eye only: predictions are made from the model itself.

    Examples
    --------
    >>> to_text(plain(parse("gplearn_div(0.12345*x, gplearn_log(y))")))
    '0.12345*x/log(abs(y))'
    """
    stack: list[tuple[Item, ...]] = []
    for item in model.tape:
        if not isinstance(item, Operator):
            stack.append((item,))
            continue
        arguments = stack[len(stack) - item.arity :]
        del stack[len(stack) - item.arity :]
        if not item.meaning:
            stack.append((*chain.from_iterable(arguments), item))
            continue
        values = dict(zip("ab", arguments, strict=False))
        pieces = (values.get(part, (part,)) for part in parse(item.plain or item.meaning).tape)  # type: ignore[arg-type]
        stack.append(tuple(chain.from_iterable(pieces)))
    return Expression(stack[0])


def make_sheet(code: str, row: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """Gather what the page shows of one model.

    Parameters
    ----------
    code : str
        All that names the model.
    row : dict
        Of `srlib.judging.real_world`.
    problem : Problem
        What is predicted.
    """
    model = parse(row["shown_model"], problem.features)
    seed = data_seed(int(row["repetition"]), problem)
    display = SheetDisplay.from_model(as_written(row, problem), problem, seed)
    written = plain(model)
    alike = likeness_to(model, partitions(problem, seed), domain_of(problem))(written)
    sheet = {
        "code": code,
        "row": row,
        "equation": equation(to_text(written)),
        "alike": alike,
        "png": "",
        "alt": "",
    }
    if display is not None:
        buffer = io.BytesIO()
        figure = display.plot().figure_
        with style():
            figure.savefig(buffer, format="png", dpi=130, metadata={"Software": None})  # type: ignore[union-attr]
        sheet |= {"png": base64.b64encode(buffer.getvalue()).decode(), "alt": display.alt}
    return sheet


def name_twins(sheets: list[dict[str, Any]]) -> None:
    """Say on each sheet of a dataset which others, of other models, have the same equation.

    They are the same model to the reader, so that they have the same number of components: the smallest.
    """
    for sheet in sheets:
        same = [s for s in sheets if s["equation"] == sheet["equation"]]
        others = {s["row"]["method"] for s in same} - {sheet["row"]["method"]}
        sheet["twins"] = [s["code"] for s in same if s["row"]["method"] in others]
        if others:
            least = min(int(s["row"]["complexity"]) for s in same)
            sheet["components"] = least
        else:
            sheet["components"] = sheet["row"]["complexity"]
