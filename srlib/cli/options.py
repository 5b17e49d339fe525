"""Options that several commands share, so that they mean the same everywhere."""

from typing import Annotated

import typer

Tables = Annotated[
    list[str],
    typer.Argument(
        help="Run tables or assessments: files, folders of them or of `srlib run`, or 'demo'."
    ),
]
ProblemFile = Annotated[
    str, typer.Option("--problems", help="Problem file, a PMLB folder, or a shipped name.")
]
Layout = Annotated[str | None, typer.Option(help="Layout of RUNS, where it is not recognised.")]
Names = Annotated[
    list[str] | None,
    typer.Option(help="METHOD=features, x0 or x1: how its texts name the features; repeatable."),
]
Timeout = Annotated[
    float, typer.Option(help="CPU seconds that one step on one model may take.", min=0.1)
]
Jobs = Annotated[
    int | None, typer.Option(help="Worker processes; default: all usable cores.", min=1)
]
TimeLimit = Annotated[
    float, typer.Option("--time-limit", min=0.1, help="Seconds that one run may take.")
]
Memory = Annotated[
    float, typer.Option("--memory", min=0.1, help="Gigabytes of memory that one run may take.")
]
