"""The answer to a report's question: the sentence, and the numbers that the report and the index say beside it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import display

from srlib.displays.bundles import REPORT
from srlib.displays.tables.rules import rules_table
from srlib.displays.tables.table import html_table
from srlib.files import sha256, visible
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
    details: pd.DataFrame | Sequence[str] | None = None,
    notices: Sequence[str] = (),
    certainty: Mapping[str, str] | None = None,
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
    details : pandas.DataFrame or sequence of str, optional
        A short table or list for the verdict box; plain text.
    notices : sequence of str
        What has to be known before the ranking is read; plain text, above the details.
    certainty : mapping, optional
        How sure the answer is: `word`, what it rests on (`said`), and the `rule`; a badge of its own.
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
    counts: dict[str, Any] = {}
    if rows:
        counts = {key: int(rows[key]) for key in ("read", "scored", "excluded")}
        counts |= {"what": str(rows["what"])} if "what" in rows else {}
    if counts and counts["read"] != counts["scored"] + counts["excluded"]:
        raise ValueError("runs read are not the sum of runs scored and excluded: {read} read, {scored} scored, "
                         "{excluded} excluded".format(**counts))  # fmt: skip
    bundle = {
        "schema": 1,
        "title": title,
        "verdict": sentence,
        "rows": counts,
        "ranking": [] if ranking is None else _places(ranking),
        "rules": {} if rules is None else _rules(rules),
        "inputs": [
            {"name": name, "sha256": sha} for place in inputs for name, sha in _files(Path(place))
        ],
        "certainty": dict(certainty or {}),
        "story": [] if isinstance(details, pd.DataFrame) else [str(line) for line in details or ()],
        "details": _details(_departing(rules)) + _details(notices) + _details(details),
    }
    if output is not None:
        scores = {f"score of {place['method']}": place["score"] for place in bundle["ranking"]}
        said = pd.Series({"verdict": sentence} | counts | dict(more or {}) | scores, name="value")
        write_frame(said.rename_axis("name").reset_index(), output / "tables" / "verdict.csv")
    display({"text/html": answer_html(bundle), "text/plain": sentence, REPORT: bundle}, raw=True)


def answer_html(bundle: Mapping[str, Any]) -> str:
    """Write the answer as a notebook shows it, all text escaped."""
    rows, rules, said = bundle["rows"], bundle["rules"], []
    if rows:
        counts = f"{rows['scored']:,} scored + {rows['excluded']:,} excluded"
        said.append(f"{rows['read']:,} {rows.get('what', 'runs')} read = {counts}.")
    if rules:
        said.append(f"Rules: {rules['name']} ({rules['source']}).")
    more = f"<p>{escape(' '.join(said))}</p>" if said else ""
    if sure := bundle["certainty"]:
        text = f"Certainty: {sure['word']}. {sure['said']} ({sure['rule']})"
        more += f"<p>{escape(text)}</p>"
    return f'<div class="verdict"><p><strong>{escape(bundle["verdict"])}</strong></p>{more}{bundle["details"]}</div>'


def _places(ranking: pd.DataFrame) -> list[dict[str, Any]]:
    places = []
    for row in ranking.sort_values(["rank", "method"]).to_dict("records"):
        score, rank = (
            None if pd.isna(row[name]) else float(row[name]) for name in ("score", "rank")
        )
        score = round(score, 12) if score is not None and math.isfinite(score) else None
        places.append(
            {
                "method": str(row["method"]),
                "score": score,
                "rank": None if rank is None else int(rank),
            }
        )
    return places


def _rules(rules: Any) -> dict[str, Any]:
    switches = rules_table(rules).drop(columns="block").to_dict("records")
    return {
        "name": rules.name,
        "digest": rules.digest,
        "source": rules.source,
        "switches": switches,
    }


def _departing(rules: Any) -> list[str]:
    """Say where rules differ from the shipped ones, switch by switch."""
    said = departure(rules) if rules is not None else ""
    return [said] if said else []


def _files(place: Path) -> list[tuple[str, str]]:
    files = visible(place) if place.is_dir() else [place]
    return [(path.relative_to(place.parent).as_posix(), sha256(path)) for path in files]


def _details(details: pd.DataFrame | Sequence[str] | None) -> str:
    if isinstance(details, pd.DataFrame):
        return html_table(details, "In short")
    lines = "".join(f"<li>{escape(str(line))}</li>" for line in details or ())
    return f"<ul>{lines}</ul>" if lines else ""
