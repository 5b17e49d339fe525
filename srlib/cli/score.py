"""`srlib score`: from runs to ranking.csv, aspects.csv, datasets.csv and ledger.csv."""

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from srlib.cli.colours import placed, say
from srlib.cli.main import escaped
from srlib.cli.options import Jobs, Layout, Names, ProblemFile, Tables, Timeout

if TYPE_CHECKING:
    import pandas as pd

    from srlib.api.judging import Judged
    from srlib.judging import Judgement
    from srlib.readers import RunTable


def score(
    runs: Tables,
    problems: ProblemFile,
    out: Annotated[Path, typer.Option(help="Folder for the tables.")],
    rules: Annotated[
        list[str] | None,
        typer.Option(help="Rules file or shipped name; may be given several times."),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            help="Method whose place is explained: datasets won and lost, what did not count, what would gain a place."
        ),
    ] = None,
    against: Annotated[
        str, typer.Option(help="With --explain: the method beside it; the winner where not given.")
    ] = "",
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="With --explain: trace the scores on this dataset step by step; may be repeated."
        ),
    ] = None,
    qualified: Annotated[
        str,
        typer.Option(
            help="Table of the qualification (qualification.csv or verdicts.csv), or 'demo': "
            "who did not qualify is ranked below a line."
        ),
    ] = "",
    names: Names = None,
    layout: Layout = None,
    timeout: Timeout = 10.0,
    jobs: Jobs = None,
) -> None:
    """Score runs by rules and write ranking, aspects, datasets and ledger as CSV.

    With several --rules, each gets a folder OUT/RULES_NAME, and OUT/side-by-side.csv has one line a method.

    Examples
    --------
    srlib score demo --problems synthetic-2022 --out scores
    srlib score team-a.csv team-b.parquet more-teams/ --problems my-problems.yaml --out scores
    srlib score demo --problems synthetic-2022 --rules judging-2022 --rules competition-2023 --out scores
    """
    from srlib.api.judging import Judged, judge
    from srlib.api.runs import table_of
    from srlib.errors import InputError, NothingScoredError
    from srlib.folders import result_folder
    from srlib.problems import load_problems
    from srlib.rules import load_rules
    from srlib.table_files import write_frame

    chosen = [load_rules(name) for name in rules or ["judging-2022"]]
    given = [one.name for one in chosen]
    if len(set(given)) < len(given):
        raise InputError(
            f"--rules: every rules file needs a name of its own, got {', '.join(given)}"
        )
    for name in filter(os.path.isdir, runs):
        if out.resolve().is_relative_to(Path(name).resolve()):
            raise InputError(
                f"--out: a folder outside of the runs in {name} was expected, got {out}"
            )
    known = load_problems(problems)
    how: dict[str, Any] = {"qualified": qualified, "timeout": timeout}
    judgements: list[Judged] = []
    table = table_of(runs, layout, names or [])
    for one in chosen:
        try:
            judgements.append(judge(table, known, one, jobs=jobs, **how))
        except NothingScoredError as nothing:  # the ledger that says why is written all the same
            judgements.append(Judged(nothing.judgement))
    judgements = [Judged(_with_unread(judged.judgement, table.unread)) for judged in judgements]
    if explain is None and (against or dataset):
        raise InputError("--against and --dataset go with --explain METHOD")
    explained = [_explained(one, explain, against, dataset or []) for one in judgements]
    several = len(judgements) > 1
    with result_folder(out, "score") if several else nullcontext(out) as new:
        for judgement in judgements:
            judgement.write(new / judgement.rules.name if several else new)
        if several:
            write_frame(side_by_side(judgements), new / "side-by-side.csv")
    for judgement, lines in zip(judgements, explained, strict=True):
        folder = out / judgement.rules.name if several else out
        say(_summary(judgement, table, folder))
        for line in lines:
            typer.echo(escaped(line))
    if several:
        together = side_by_side(judgements)
        text = together.to_string(index=False, na_rep="", float_format="{:.3f}".format)
        typer.echo("\n".join(escaped(line) for line in f"\n{text}".split("\n")))
    if table.unread or any(judged.judgement.nothing for judged in judgements):
        raise typer.Exit(1)


def _with_unread(judgement: "Judgement", unread: tuple[str, ...]) -> "Judgement":
    """Add a line to the ledger for each file that could not be read."""
    import pandas as pd

    from srlib.ledger import entry, to_frame

    lines = [
        entry("read", "unread_file", "excluded", text, level="file", file=text.partition(": ")[0])
        for text in unread
    ]
    if not lines:
        return judgement
    ledger = pd.concat([to_frame(lines), judgement.ledger], ignore_index=True)
    return replace(judgement, ledger=ledger)


def _explained(
    judgement: "Judged", method: str | None, rival: str, datasets: list[str]
) -> list[str]:
    """Explain a method's place in a screen of lines, or its scores on some datasets step by step."""
    from srlib.judging import trace
    from srlib.judging.robustness.standing import on_a_screen, standing, without_place

    if method is None or judgement.judgement.nothing:
        return []
    if not datasets and (said := without_place(judgement.judgement, method)):
        return ["", *said]
    if not datasets:
        said = on_a_screen(standing(judgement.judgement, method, rival))
        return ["", *said, "--dataset NAME traces the scores on one dataset step by step."]
    lines = []
    for name in datasets:
        steps = trace(judgement.judgement, method, name)
        steps["repetition"] = (
            steps["repetition"].astype("str").where(steps["repetition"].notna(), "")
        )
        lines += ["", name, *steps.to_string(index=False, na_rep="").split("\n")]
    return lines


def side_by_side(judgements: "list[Judged]") -> "pd.DataFrame":
    """Rank and score of every method under several rules, in the order of the first."""
    import pandas as pd

    parts = [
        judgement.ranking.set_index("method")[["rank", "score"]]
        .astype({"rank": "Int64"})
        .add_prefix(f"{name} ")
        for judgement in judgements
        if (name := judgement.rules.name)
    ]
    return pd.concat(parts, axis=1).rename_axis("method").reset_index()


def _summary(judgement: "Judged", table: "RunTable", folder: Path) -> str:
    lines = [judgement.counted]
    digest = judgement.rules.measure.digest
    if table.assessed:
        again = int((table.frame["measure_digest"] != digest).sum())
        other = "as these rules measure otherwise than the table's assessments"
        lines += [f"  {again} runs assessed again, {other}"] * (again > 0)
    said = (judgement.ledger["action"] != "noted") | (
        judgement.ledger["code"] == "prediction_mismatch"
    )
    excluded = judgement.ledger[said & (judgement.ledger["level"] != "file")]
    for (level, action, code), group in excluded.groupby(["level", "action", "code"]):
        first = group.iloc[0]
        where = ""
        if isinstance(first["file"], str):
            where = f"{first['file']} row {first['row']}, "
        plural = "s" * (len(group) > 1)
        lines.append(
            f"  {len(group)} {level}{plural} {action}: {code}; first: {where}method {first['method']}, "
            f"dataset {first['dataset']}: {first['detail']}"
        )
    lines += judgement.notices
    if nothing := judgement.judgement.nothing:
        return "\n".join(map(escaped, [*lines, nothing, f"written to {folder}"]))
    lines.append(f"written to {folder}")
    has_place = judgement.ranking["rank"].notna()
    width = max(map(len, map(escaped, judgement.ranking["method"])))
    lines = [*map(escaped, lines)]
    for row in judgement.ranking[has_place].itertuples():
        line = f"{row.rank:>3}. {escaped(str(row.method)):<{width}}  {row.score:>7.3f}"
        lines.append(placed(line, row.rank))
    below = [(method, "no usable run") for method in judgement.ranking["method"][~has_place]]
    if judgement.everyone is not None:
        out = judgement.everyone[~judgement.everyone["qualified"]]
        for method, score, rank in zip(out["method"], out["score"], out["rank"], strict=True):
            place = ""
            if score == score:
                place = f"; place {rank} with {score:.3f} if all had"
            below.append((method, f"not qualified{place}"))
    if below:
        width = max(len(escaped(method)) for method, _ in below)
        lines.append("  -- below the line")
        lines += [f"     {escaped(method):<{width}}  {why}" for method, why in below]
    return "\n".join(lines)
