"""The answer to a report's question, with the numbers and rules that the report and the index state beside it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import display

from srlib.files import sha256
from srlib.judging import Judgement
from srlib.prose import counted, html_text, minus_signs
from srlib.readers.row_checks import NAMELESS
from srlib.rules import departure, written
from srlib.table_files import write_frame

COLUMNS = ["block", "switch", "value", "says", "meaning", "source"]
PAGE_SECTIONS = {
    "qualification": {
        "The stage": ("qualification",),
        "Absent runs": ("incomplete", "missing"),
        "Ranks": ("ties",),
    },
    "real_world": {"The experts": ("real_world", "ties", "missing")},
}  # switches that each section of a page explains, but for the page about the ranking (`Rules.sections`)


def show_answer(
    *,
    title: str,
    sentence: str,
    ranking: pd.DataFrame | None = None,
    rows: Mapping[str, Any] | None = None,
    inputs: Iterable[str | Path] = (),
    rules: Any = None,
    details: Sequence[str] = (),
    notices: Sequence[str] = (),
    certainty: str = "",
    scope: str = "",
    output: Path | None = None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Show the answer to a report's question, and pass it to the report and the index as metadata of the output.

    Parameters
    ----------
    title : str
        Title of the report; plain text.
    sentence : str
        The answer, for the head of the page and the index; plain text.
    ranking : pandas.DataFrame, optional
        `method`, `score` (in any direction; NaN is passed on as null) and `rank` (1 is best).
    rows : mapping, optional
        Numbers of distinct runs: `read`, `scored` and `excluded`; `read` is the sum of the others.
    inputs : iterable of str or Path
        Files, or folders of files, that no parameter of the notebook names; the page states their SHA-256.
    rules : srlib.rules.Rules, optional
        Rules by which the numbers were computed.
    details : sequence of str
        Sentences below the answer; plain text. Empty ones are left out.
    notices : sequence of str
        Sentences that a reader has to know before reading the ranking; plain text, above the details.
    certainty : str
        Sentence about the certainty of the answer; plain text, above the notices.
    scope : str
        Name of the problems, and numbers of judged datasets and methods; plain text, above the answer.
    output : Path, optional
        Output folder; tables/verdict.csv is written there, with columns `name` and `value` and a line for the verdict,
        each count and each method's score. The last cell of a notebook checks these.
    more : mapping, optional
        Further lines of verdict.csv, as {name: value}.

    Raises
    ------
    ValueError
        When the number of runs read is not the sum of those scored and excluded.

    Examples
    --------
    >>> show_answer(title="Is it fair?", sentence="It is.", rows={"read": 3, "scored": 2, "excluded": 0})
    Traceback (most recent call last):
    ValueError: runs read are not the sum of runs scored and excluded: 3 read, 2 scored, 0 excluded
    """
    counts = dict(rows or {})
    if counts and counts["read"] != counts["scored"] + counts["excluded"]:
        raise ValueError("runs read are not the sum of runs scored and excluded: {read} read, {scored} scored, "
                         "{excluded} excluded".format(**counts))  # fmt: skip
    departures = [] if rules is None else [departure(rules)]
    lines = [line for line in (*departures, *notices, *map(minus_signs, details)) if line]
    answer = {
        "kind": "answer",
        "title": title,
        "verdict": sentence,
        "scope": scope,
        "rows": counts,
        "ranking": [] if ranking is None else places_of(ranking),
        "rules": {}
        if rules is None
        else {
            "name": rules.name,
            "digest": rules.digest,
            "source": rules.source,
            "switches": rules_table(rules).drop(columns="block").to_dict("records"),
        },
        "inputs": [{"name": Path(path).name, "sha256": sha256(path)} for path in inputs],
        "certainty": certainty,
        "details": lines,
    }
    if output is not None:
        scores = {f"score of {row['method']}": row["score"] for row in answer["ranking"]}
        verdict = {"verdict": sentence} | counts | dict(more or {}) | scores
        table = pd.DataFrame(verdict.items(), columns=["name", "value"])
        write_frame(table, output / "tables" / "verdict.csv")
    text = "\n".join(filter(None, [sentence, certainty, *lines]))
    display({"text/plain": text}, metadata={"srlib": answer}, raw=True)


def show_verdict(
    judgement: Judgement,
    title: str,
    sentence: str = "",
    *,
    details: Sequence[str] = (),
    **options: Any,
) -> None:
    """Show who wins a judgement, with its scope, counts and rules, as `show_answer` does.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        The judgement that is shown; if `sentence` is given, only `ranking`, `counts` and `rules` are required.
    title : str
        Title of the report; plain text.
    sentence : str, optional
        The answer to the report's question; plain text. By default the judgement's `headline`, which says who wins.
    details : sequence of str
        See `show_answer`.
    **options
        `output` and `certainty` of `show_answer`.
    """
    scope = ""
    if (datasets := getattr(judgement, "datasets", None)) is not None:
        n_datasets = datasets["dataset"].nunique()
        n_ranked = int(judgement.ranking["rank"].notna().sum())
        n_methods = len(set(judgement.assessments["method"]) - {NAMELESS})
        scope = f"{judgement.problems.name}, {counted(n_datasets, 'dataset')}, {n_ranked} of {n_methods} methods ranked"
    show_answer(
        title=title,
        sentence=sentence or judgement.headline,
        ranking=judgement.ranking,
        rows=judgement.counts,
        rules=judgement.rules,
        notices=getattr(judgement, "notices", ()),
        details=details,
        scope=scope,
        **options,
    )


def places_of(ranking: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a ranking as a list of rows for JSON, best first; a missing number is None."""
    table = ranking.sort_values(["rank", "method"])[["method", "score", "rank"]]
    table = table.astype({"score": float, "rank": "Int64"})
    return json.loads(table.to_json(orient="records", double_precision=12))


def rules_table(rules: Any) -> pd.DataFrame:
    """Return a table of all switches of rules.

    Parameters
    ----------
    rules : srlib.rules.Rules
        The rules.

    Returns
    -------
    pandas.DataFrame
        `block` (measure or judge), `switch` (dotted where nested), `value` (as in YAML), `says` (effect of the
        value), `meaning` (of the switch), `source` (of the value). Nested switches that are null are left out.
    """
    rows = [
        row | {"value": written(row["value"])}
        for row in rules.switches()
        if row["value"] is not None or "." not in row["switch"]
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype("str")


def explain_rules(rules: Any, page: str = "synthetic") -> dict[str, str]:
    """Return sentences that explain the values of the rules, by section of a page.

    The section 'The property' is left out if no aspect of the rules is taken from the property.
    """
    if page in PAGE_SECTIONS:
        return {
            title: rules.explained(*switches) for title, switches in PAGE_SECTIONS[page].items()
        }
    sections = rules.sections()
    if all(aspect.from_ != "property" for aspect in rules.judge.aspects.values()):
        del sections["The property"]
    return sections


def show_rules(rules: Any, page: str = "synthetic") -> None:
    """Show the sentences of `explain_rules` as a list; each follows from the value of a switch."""
    sections = explain_rules(rules, page).items()
    items = (
        f"<li><strong>{html_text(title)}.</strong> {html_text(text)}</li>"
        for title, text in sections
    )
    plain = "\n".join(f"{title}. {text}" for title, text in sections)
    display({"text/html": f"<ul>{''.join(items)}</ul>", "text/plain": plain}, raw=True)
