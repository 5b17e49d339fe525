"""`srlib report`: render a suite of notebooks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from srlib.rendering import Result


def report(
    suite: Annotated[
        str, typer.Argument(help="Suite file, or the bare name of a shipped one.", metavar="SUITE")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the pages; reports/SUITE otherwise.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Render this report alone; may be repeated.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Execute unchanged reports as well.")
    ] = False,
    bundle: Annotated[
        bool,
        typer.Option("--bundle", help="Write OUT/bundle, too: what renders the reports again."),
    ] = False,
) -> None:
    """Render a suite of notebooks into HTML reports with an index.

    Writes OUT/index.html, OUT/NAME.html, OUT/NAME.report.json and OUT/NAME/ with figures and tables. What is
    unchanged is not executed again. Each verdict is printed as soon as it is there. With --bundle the folder
    OUT/bundle has the runs, problems, rules, data, notebooks and versions that the reports were made from, and
    one command that renders them again.

    Exit code 1 when a report or one of its checks failed.

    Examples
    --------
    srlib report demo
    srlib report my-suite.yaml --bundle
    srlib report parameters/suites/demo.yaml --out reports/demo --only synthetic --force
    """
    from srlib.api.reporting import report as rendered

    found = rendered(suite, out, only=only or (), force=force, bundle=bundle, told=_told)
    typer.echo(f"Index: {found.index}")
    if bundle:
        typer.echo(
            f"Bundle: {found.index.parent / 'bundle'}; README.txt says how to render it again"
        )
    if found.failed:
        raise typer.Exit(1)


def _told(result: "Result") -> None:
    """Print the verdict of a report as soon as it is there."""
    from srlib.cli.colours import DOUBT, TROUBLE, say
    from srlib.cli.main import one_line
    from srlib.prose import first_of

    state, time = result.state, ""
    if state == "failed":
        state = typer.style(state, **TROUBLE)
    if state != "unchanged":
        time = f" in {result.seconds:.1f} s"
    name, verdict = one_line(result.name), one_line(result.handed["verdict"])
    say(f"{name}: {state}{time}. {verdict}")
    if result.edited:
        said = f"had been changed since {result.name} was rendered; written again"
        who = typer.style("srlib:", **DOUBT)
        say(f"{who} {one_line(f'{first_of(result.edited)} {said}')}", err=True)
