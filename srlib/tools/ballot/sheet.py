"""Sheet of a packet: a model in neutral notation, its numbers, and a figure of its predictions."""

from itertools import chain
from typing import Any

from srlib.assessing.forms import likeness_test, pop_arguments
from srlib.displays.figures.model_sheet import SheetDisplay
from srlib.displays.tables.equations import equation
from srlib.expressions import Expression, parse, to_text
from srlib.expressions.operators import Item, Operator
from srlib.problems import Problem, domain_of, partitions

Sheet = dict[str, Any]


def make_sheet(task: tuple[dict[str, Any], Problem]) -> Sheet:
    """Return the content of the sheet about one model.

    Parameters
    ----------
    task : tuple of dict and Problem
        The model's row from `srlib.judging.real_world` with its `code`, and the problem.

    Returns
    -------
    dict
        `code`, `row`, `task` (of the dataset), `equation` (HTML), `alike` (whether the equation has the model's values
        on all data), and `picture` (HTML; empty without data).
    """
    row, problem = task
    model = parse(row["shown_model"], problem.features)
    seed = problem.data_seed(int(row["repetition"]))
    plain_model = write_plainly(model)
    alike = likeness_test(model, partitions(problem, seed), domain_of(problem))(plain_model)
    display = SheetDisplay.from_run(row, problem)
    return {
        "code": row["code"],
        "row": row,
        "task": problem.task or "",
        "equation": equation(to_text(plain_model)),
        "alike": alike,
        "picture": "" if display is None else display.to_image(),
    }


def write_plainly(model: Expression) -> Expression:
    """Return a model in common operators, which experts know and which do not reveal the method.

    Protected operators are replaced by the plain ones. This is for display only: predictions use the model itself.

    Examples
    --------
    >>> to_text(write_plainly(parse("gplearn_div(0.12345*x, gplearn_log(y))")))
    '0.12345*x/log(abs(y))'
    """
    stack: list[tuple[Item, ...]] = []
    for item in model.tape:
        pieces: Any = [(item,)]
        if isinstance(item, Operator):
            arguments = pop_arguments(stack, item)
            pieces = [*arguments, (item,)]
            if item.meaning:
                values = dict(zip("ab", arguments, strict=False))
                tape: Any = parse(item.plain or item.meaning).tape
                pieces = [values.get(part, (part,)) for part in tape]
        stack.append(tuple(chain.from_iterable(pieces)))
    return Expression(stack[0])


def name_twins(sheets: list[Sheet]) -> list[Sheet]:
    """Return the sheets of a dataset with `twins`, codes of other sheets with the same equation, and `components`.

    Readers take twins for the same model, so each gets the smallest number of components among them.
    """
    completed = []
    for sheet in sheets:
        same_equation = [other for other in sheets if other["equation"] == sheet["equation"]]
        twins = [other["code"] for other in same_equation if other is not sheet]
        components = min(other["row"]["complexity"] for other in same_equation)
        completed.append(sheet | {"twins": twins, "components": components})
    return completed
