"""The answer to a report's question: the sentence, and the numbers that the report and the index say beside it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import display

from srlib.displays.tables.rules import rules_table
from srlib.files import sha256, visible
from srlib.prose import html_text, minus_signs
from srlib.rules import departure
from srlib.table_files import write_frame


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
    """Show the answer to a report's question; hand the same to the report and the index.

    Parameters
    ----------
    title : str
        Of the report; plain text.
    sentence : str
        The answer, for the head of the page and the index; plain text.
    ranking : pandas.DataFrame, optional
        `method`, `score` (of any direction; NaN is handed over as null) and `rank` (1 is best), if there is one.
    rows : mapping, optional
        `read`, `scored` and `excluded`: distinct runs, or `what` they are; the first is the sum of the others.
    inputs : iterable of str or Path
        Files, or folders of files, that no parameter of the notebook names; the page states their SHA-256.
    rules : srlib.rules.Rules, optional
        By which the numbers were made.
    details : sequence of str
        Sentences below the answer; plain text.
    notices : sequence of str
        What has to be known before the ranking is read; plain text, above the details.
    certainty : str
        A sentence: how sure the answer is; plain text, above the notices.
    scope : str
        What was judged, as track and number of datasets and methods; plain text, above the answer.
    output : Path, optional
        Where tables/verdict.csv is written, a line a `name`: the verdict, the counts, the score of each method. The
        last cell of a notebook reads what is said from there.
    more : mapping, optional
        Further lines of that table.

    Raises
    ------
    ValueError
        When runs were dropped in silence: what was read is not the sum of scored and excluded.

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
    lines = [*filter(None, [rules and departure(rules)]), *notices, *map(minus_signs, details)]
    answer = {
        "kind": "answer",
        "title": title,
        "verdict": sentence,
        "scope": scope,
        "rows": counts,
        "ranking": [] if ranking is None else places_of(ranking),
        "rules": {} if rules is None else describe_rules(rules),
        "inputs": [
            {"name": name, "sha256": sha}
            for place in inputs
            for name, sha in hashes_of(Path(place))
        ],
        "certainty": certainty,
        "details": [str(line) for line in lines],
    }
    if output is not None:
        scores = {f"score of {place['method']}": place["score"] for place in answer["ranking"]}
        verdict = pd.Series(
            {"verdict": sentence} | counts | dict(more or {}) | scores, name="value"
        )
        write_frame(verdict.rename_axis("name").reset_index(), output / "tables" / "verdict.csv")
    if counts:
        read = f"{counts['read']:,} {counts.get('what', 'runs')} read"
        lines.append(f"{read} = {counts['scored']:,} scored + {counts['excluded']:,} excluded.")
    if certainty:
        lines.insert(0, certainty)
    items = "".join(f"<li>{html_text(line)}</li>" for line in lines)
    html = f"<p><strong>{html_text(sentence)}</strong></p><ul>{items}</ul>"
    data = {"text/html": html, "text/plain": sentence}
    display(data, metadata={"srlib": answer}, raw=True)


def places_of(ranking: pd.DataFrame) -> list[dict[str, Any]]:
    """Write a ranking as JSON has it, best first; what is no number is null."""
    table = ranking.sort_values(["rank", "method"])[["method", "score", "rank"]]
    table = table.astype({"score": float, "rank": "Int64"})
    return json.loads(table.to_json(orient="records", double_precision=12))


def describe_rules(rules: Any) -> dict[str, Any]:
    """Collect name, digest, source and switches of rules."""
    switches = rules_table(rules).drop(columns="block").to_dict("records")
    about = {"name": rules.name, "digest": rules.digest, "source": rules.source}
    return {**about, "switches": switches}


def hashes_of(place: Path) -> list[tuple[str, str]]:
    """Hash a file, or every file of a folder."""
    files = visible(place) if place.is_dir() else [place]
    return [(path.relative_to(place.parent).as_posix(), sha256(path)) for path in files]
