"""What the explorer shows of a judgement: the verdict on a method, ranking, losses, models on a dataset, and errors."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from srlib.competition import MeasuredModel
from srlib.displays import Table, final_ranking, models_beside_truths
from srlib.errors import ModelTextError
from srlib.judging import Judgement
from srlib.judging.standing import Standing
from srlib.prose import html_text, state

TYPED_COLUMNS = {
    "method": "method",
    "shown_model": "model",
    "r2_test": "r2_test",
    "solution_kind": "solution",
    "complexity": "components",
}  # columns of the assessments, as `models_beside_truths` names them


def paragraphs(sentences: Iterable[str]) -> str:
    """Return sentences as HTML, a paragraph each."""
    return "".join(f"<p>{html_text(sentence)}</p>" for sentence in sentences)


def status(sentence: str) -> str:
    """Return a sentence as a paragraph that screen readers announce when they have time."""
    return f'<p role="status">{html_text(sentence)}</p>'


def alert(error: Exception | str) -> str:
    """Return an error as a paragraph that screen readers announce at once; a letter that cannot be read is underlined.

    Examples
    --------
    >>> alert(ModelTextError("a feature was expected", "x1 + )", 5))
    '<p role="alert"><code>x1 + <u>)</u></code> a feature was expected at position 5: &#x27;x1 + )&#x27;</p>'
    """
    text = ""
    if isinstance(error, ModelTextError) and error.text:
        parts = error.text[: error.position], error.text[error.position :]
        before, letter, after = map(html_text, (parts[0], parts[1][:1] or "␣", parts[1][1:]))
        text = f"<code>{before}<u>{letter}</u>{after}</code> "
    return f'<p role="alert">{text}{html_text(error)}</p>'


def verdict(standing: Standing, base: Judgement) -> str:
    """Return where a method stands, beside its place in the judgement `base` without the changes, as HTML."""
    sentences = [*standing.failed_runs, *standing.exceptions]
    before = base.standing(standing.method)
    if standing.judgement is not base and before.place:
        template = "By the rules as they stand: place {place} with {score:.3f}."
        sentences.insert(0, state("before", template, place=before.place, score=before.score))
    summary, *details = map(html_text, [standing.summary, *sentences])
    lines = "<br>".join([f"<b>{summary}</b>", *details])
    return f'<div role="status" class="srlib-verdict">{lines}</div>'


def ranking(judgement: Judgement, official: Judgement, method: str) -> Table:
    """Return the final ranking with a column `was`: the place in the official judgement; the method is marked."""
    was = official.ranking.set_index("method")[["rank"]].rename(columns={"rank": "was"})
    table = final_ranking(judgement, was)
    headings = {name: text.removeprefix("mean ") for name, text in table.headings.items()}
    return replace(table, headings=headings, marked=np.flatnonzero(table.frame["method"] == method))


def losses(standing: Standing) -> Table:
    """Return the comparison with the rival, the worst loss first."""
    return Table(standing.losses[["dataset", "property", "difference", "decided by"]], digits=2)


def models(judgement: Judgement, dataset: str, typed: MeasuredModel | None) -> Table:
    """Return points, values and the best model of every method on a dataset, the truth and the typed model first."""
    table = models_beside_truths(judgement, judgement.assessments["method"].unique(), dataset)
    frame, names = table.frame, TYPED_COLUMNS
    if typed is not None:
        row = typed.frame[[*names]].rename(columns=names)
        frame = pd.concat([frame[:1], row, frame[1:]], ignore_index=True)
    order = dict.fromkeys(["method", "model", *frame])
    return replace(table, frame=frame[[*order]], equations=["model"], digits=2)
