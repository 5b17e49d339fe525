"""`srlib equivalent`: whether a model is the truth up to a constant, and the evidence."""

from typing import Annotated

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
        typer.Option(
            help="How constants are compared: decimals:N, significant:N, srbench or free."
        ),
    ] = "decimals:3",
    free: Annotated[
        str, typer.Option(help="Constants of the truth that may have any value, as in c0,c1.")
    ] = "",
    timeout: Annotated[float, typer.Option(help="Seconds that the comparison may take.")] = 60.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the verdict and all of its evidence as JSON.")
    ] = False,
) -> None:
    """Compare a model with the truth: say whether it is a solution, and why.

    The sentence says which constants differ and by how much, and whether it holds outside the domain too. In the
    JSON the verdict is identical, offset, scale, form (these are solutions; form: with the values of the free
    constants in `free`), different, constant or unknown. The comparison has a process of its own with the time
    and memory limits of `srlib assess`: beyond them the verdict is unknown.

    Example: srlib equivalent --truth "2*x*y" --model "2.0001*y*x + 0.3" --domain x=1:5 --domain y=0:3
    """
    import json

    from srlib.api.models import equivalent as compared

    ranges = dict(_range(text) for text in domain or ())
    names = [name.strip() for name in free.split(",") if name.strip()]
    found = compared(truth, model, domain=ranges, constants=constants, free=names, timeout=timeout)
    if as_json:
        typer.echo(json.dumps(found.evidence, allow_nan=False))
    typer.echo(found.sentences[0], err=as_json)


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
