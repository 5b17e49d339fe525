"""`srlib equivalent`: whether a model is the truth up to a constant, and the evidence."""

from typing import Annotated, Any

import typer


def equivalent(
    truth: Annotated[str, typer.Option(help="The true formula.")],
    model: Annotated[str, typer.Option(help="The model, in the same features.")],
    domain: Annotated[
        list[str] | None,
        typer.Option(help="Range of a feature, NAME=LOW:HIGH; [1, 5] where none is given."),
    ] = None,
    constants: Annotated[
        str,
        typer.Option(help="How constants count: decimals:N, significant:N, srbench or free."),
    ] = "decimals:3",
    free: Annotated[
        str, typer.Option(help="Constants of the truth that may have any value, as in c0,c1.")
    ] = "",
    timeout: Annotated[float, typer.Option(help="Seconds that the comparison may take.")] = 60.0,
) -> None:
    """Compare a model with the truth and print the verdict with its evidence as JSON.

    The verdict is identical, offset, scale, form (these are solutions; form: with the values of the free
    constants that `free` lists), different, constant or unknown. A sentence on stderr says more: which
    constants differ and by how much, whether it holds outside the domain too. It has a process of its own with
    the time and memory limits of `srlib assess`: beyond them the verdict is unknown.

    Example: srlib equivalent --truth "2*x*y" --model "2.0001*y*x + 0.3" --domain x=1:5 --domain y=0:3
    """
    import json

    from srlib.errors import InputError
    from srlib.workers import bounded_map

    given = dict(_range(text) for text in domain or ())
    by, names = _constants(constants, free)
    task = (truth, model, given, by, names)
    limits: Any = {"timeout": timeout, "jobs": 1, "preload": ("srlib.expressions",)}
    outcome = next(bounded_map(_compared, [task], **limits))[1]
    if outcome.status == "ok" and isinstance(outcome.value, str):
        raise InputError(outcome.value)
    nothing = {name: None for name in EVIDENCE} | {"points": 0, "digits": 0, "moved": []}
    nothing |= {"constants": by, "free": {}}
    found, detail = outcome.value or (
        {"verdict": "unknown", **nothing, "domain": given},
        f"no verdict: {outcome.detail or outcome.status}",
    )
    typer.echo(json.dumps(found, allow_nan=False))
    typer.echo(f"srlib: {detail}", err=True)


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


def _compared(task: tuple[str, str, dict[str, tuple[float, float]], str, tuple[str, ...]]) -> Any:
    """Compare in a worker: what is printed, or why the texts cannot be read."""
    from srlib.errors import SrlibError
    from srlib.expressions import compare, parse
    from srlib.expressions.truth.sampling import DEFAULT_RANGE

    truth, model, given, constants, free = task
    try:
        left, right = parse(truth), parse(model)
        names = sorted((left.features | right.features) - set(free))
        ranges = {name: given.get(name, DEFAULT_RANGE) for name in names} | given
        if strange := [name for name in free if name not in left.features]:
            return f"--free: {strange[0]!r} does not stand in the truth"
        if used := [name for name in free if name in right.features]:
            return f"--free: {used[0]!r} stands in the model, too; a free constant belongs to the truth"
        found = compare(left, right, ranges, constants=constants, free=free)
    except SrlibError as error:
        return str(error)
    evidence = {name: getattr(found, name) for name in EVIDENCE}
    return {"verdict": found.kind, **evidence, "domain": ranges}, found.detail


def _constants(text: str, free: str) -> tuple[str, tuple[str, ...]]:
    from srlib.errors import InputError
    from srlib.rules.constants import Constants

    names = tuple(name.strip() for name in free.split(",") if name.strip())
    try:
        by = str(Constants.read(text))
    except ValueError as error:
        raise InputError(f"--constants: {error}") from error
    if (by == "free") != bool(names):
        raise InputError("--constants free and --free c0,c1 go together")
    return by, names


def _range(text: str) -> tuple[str, tuple[float, float]]:
    import math

    from srlib.errors import InputError

    name, _, bounds = text.partition("=")
    try:
        low, high = map(float, bounds.split(":"))
    except ValueError:
        low = high = math.nan
    if not (name and math.isfinite(high - low) and low < high):
        raise InputError(f"--domain: NAME=LOW:HIGH with LOW < HIGH was expected, got {text!r}")
    return name, (low, high)
