"""The answer to a report's question, with the numbers and rules that the report and the index state beside it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd

from srlib.comparing.comparison import Comparison
from srlib.displays.tables.first_screen import qualification_sentence
from srlib.displays.tables.table import is_absent
from srlib.judging import Judgement
from srlib.judging.qualification import Qualification
from srlib.judging.robustness import Robustness
from srlib.prose import Statement, counted, minus_signs
from srlib.readers.row_checks import NAMELESS
from srlib.rules import Rules, written

Answerable = Judgement | Robustness | Comparison | Qualification

COLUMNS = ["block", "switch", "value", "says", "meaning", "source"]
PAGE_SECTIONS = {
    "qualification": {
        "The stage": ("qualification",),
        "Absent runs": ("incomplete", "missing"),
        "Ranks": ("ties",),
    },
    "real_world": {"The experts": ("real_world", "ties", "missing")},
}  # switches that each section of a page explains, but for the page about the ranking (`Rules.sections`)


@dataclass(frozen=True, kw_only=True)
class ReportAnswer:
    """A sentence, and what a page states beside it; `srlib.displays.Page.answer` describes the parameters.

    Examples
    --------
    >>> ReportAnswer(sentence="It is.").note()["verdict"]
    'It is.'
    """

    sentence: str = ""
    ranking: pd.DataFrame | None = None
    counts: Mapping[str, Any] = field(default_factory=dict)
    rules: Rules | None = None
    notices: Sequence[str] = ()
    details: Sequence[str] = ()
    scope: str = ""

    @classmethod
    def of(cls, result: Answerable | None) -> Self:
        """Return the answer that a result gives; empty without a result."""
        if result is None:
            return cls()
        details, scope = (), ""
        if isinstance(result, Robustness):
            lines = [result.headline, *result.details]
            (sentence, *details), result = filter(None, lines), result.judgement
        elif isinstance(result, Qualification):
            sentence = qualification_sentence(result)
        else:
            sentence = result.headline
        if isinstance(result, Judgement):
            scope = describe_scope(result)
        elif isinstance(result, Comparison):
            details = result.details
        return cls(
            sentence=sentence,
            ranking=result.ranking,
            counts=result.counts,
            rules=None if isinstance(result, Comparison) else result.rules,
            notices=() if isinstance(result, Qualification) else result.notices,
            details=details,
            scope=scope,
        )

    def check_counts(self) -> None:
        """Raise ValueError if the runs read are not the sum of those scored and excluded."""
        counts = self.counts
        if counts and counts["read"] != counts["scored"] + counts["excluded"]:
            raise ValueError("runs read are not the sum of runs scored and excluded: {read} read, {scored} scored, "
                             "{excluded} excluded".format(**counts))  # fmt: skip

    def note(self) -> dict[str, Any]:
        """Return the answer without its lines as values for JSON."""
        rules = self.rules
        return {
            "verdict": self.sentence,
            "scope": self.scope,
            "rows": dict(self.counts),
            "ranking": [] if self.ranking is None else places_of(self.ranking),
            "rules": {}
            if rules is None
            else {
                "name": rules.name,
                "digest": rules.digest,
                "source": rules.source,
                "switches": rules_table(rules).drop(columns="block").to_dict("records"),
            },
        }


def describe_scope(judgement: Judgement) -> str:
    """Return the name of the problems, and the numbers of judged datasets and methods."""
    n_datasets = judgement.datasets["dataset"].nunique()
    n_ranked = int(judgement.ranking["rank"].notna().sum())
    n_methods = len(set(judgement.assessments["method"]) - {NAMELESS})
    return f"{judgement.problems.name}, {counted(n_datasets, 'dataset')}, {n_ranked} of {n_methods} methods ranked"


def facts_of(sentences: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the facts of statements as values for JSON; sentences that are no statements have none.

    Returns
    -------
    dict
        {STATEMENT: {value, text}} of each statement, whose value is its text, and {STATEMENT/FACT: {value, text}} of
        its facts; the second statement of a name is NAME-2.

    Examples
    --------
    >>> from srlib.prose import state
    >>> facts_of([state("verdict", "{winner} wins.", winner="A")])
    {'verdict': {'value': 'A wins.', 'text': 'A wins.'}, 'verdict/winner': {'value': 'A', 'text': 'A'}}
    """
    facts, uses = dict[str, dict[str, Any]](), dict[str, int]()
    for statement in sentences:
        if isinstance(statement, Statement):
            name = statement.name
            uses[name] = uses.get(name, 0) + 1
            name = name if uses[name] == 1 else f"{name}-{uses[name]}"
            facts[name] = {"value": str(statement), "text": minus_signs(statement)}
            for key, fact in statement.facts.items():
                value = fact.value.item() if isinstance(fact.value, np.generic) else fact.value
                value = None if is_absent(value) else value
                facts[f"{name}/{key}"] = {"value": value, "text": minus_signs(fact.text)}
    return facts


def places_of(ranking: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a ranking as a list of rows for JSON, best first; a missing number is None."""
    table = ranking.sort_values(["rank", "method"])[["method", "score", "rank"]]
    table = table.astype({"score": float, "rank": "Int64"})
    return json.loads(table.to_json(orient="records", double_precision=12))


def rules_table(rules: Rules) -> pd.DataFrame:
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

    Examples
    --------
    >>> from srlib.rules import load_rules
    >>> rules_table(load_rules("judging-2022"))["switch"].tolist()[:2]
    ['decimals', 'round_constants']
    """
    rows = [
        row | {"value": written(row["value"])}
        for row in rules.switches()
        if row["value"] is not None or "." not in row["switch"]
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype("str")


def explain_rules(rules: Rules, page: str = "synthetic") -> dict[str, str]:
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
