"""`srlib problems`: what can be made from a problem file."""

from pathlib import Path
from typing import Annotated

import typer

from srlib.cli.main import Command, help_text

EXAMPLE = "\b\nExample:\n  srlib problems generate synthetic-2022 --out data"
problems = typer.Typer(help=f"Make data from problem files.\n\n{EXAMPLE}", rich_markup_mode=None)


def generate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Problem file, or the name of a shipped one.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the CSV files and the manifest.")],
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seeds", min=0, help="Data seed, may be given several times [the file's]."),
    ] = None,
) -> None:
    """Write the data of every dataset and seed as CSV, and a problem file that points at them.

    Files are named SEED_DATASET_data_train.csv, SEED_DATASET_data_test.csv and, where a dataset has such
    rows, SEED_DATASET_data_extrapolation.csv.

    Examples
    --------
    srlib problems generate synthetic-2022 --out data --seeds 2082 --seeds 3946
    """
    from srlib.problems import load_problems
    from srlib.problems.export import generate as write

    typer.echo(
        f"written: {write(load_problems(file), out, seeds or ())} and the files that it names"
    )


def public(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Problem file, or the name of a shipped one.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Problem file to write, as public.yaml.")],
) -> None:
    """Write what participants may see: datasets and features, and the training rows in a folder beside the file.

    Truths, test rows, properties, relevant features and noise levels are left out, and so are recipes that make data
    and their seeds: files are numbered.

    Examples
    --------
    srlib problems public example-tasks --out public.yaml
    """
    from srlib.problems import load_problems
    from srlib.problems.export import write_public

    paths = write_public(load_problems(file), out)
    typer.echo(f"written: {paths[0]} and {len(paths) - 1} files of training rows")


problems.command("public", help=help_text(public), cls=Command)(public)
problems.command("generate", help=help_text(generate), cls=Command)(generate)
