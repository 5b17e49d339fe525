"""Winners under other readings of the rules.

A reading is one choice for each switch where the documents are silent or published competitions differ: the switches
of the judge block, and what a component is. Every combination of the switches that the documents leave open is
scored, and each switch is turned alone. Switches that belong together turn together.
"""

import itertools
import json
import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from pydantic import ValidationError

from srlib.errors import InputError, ModelTextError
from srlib.expressions import count_text, parse
from srlib.judging.judgement import Judgement
from srlib.judging.properties import arrange
from srlib.judging.scoring import Array, ScoringPlan, places, score
from srlib.judging.screening import Screened
from srlib.prose import ALL_TIED, WINNER_SEPARATOR, list_winners, listed, winner_sentence
from srlib.rules import ASPECT_READINGS, READINGS, Judge, in_words

Setting = dict[str, Any]  # values of switches by their paths; several where they turn together
SPELLED_COUNT = "operators, features and constants"
LEFT_OPEN = "left open"
MOST_NAMED = 3  # winners in the sentence
MOST_ARRANGEMENTS = 4  # copies of the values in memory
MOST_LETTERS = 190_000  # of JSON on a page


@dataclass(frozen=True)
class Readings:
    """The final scores under other readings of the rules.

    Parameters
    ----------
    choices : dict of str to tuple of str
        The open switches that change a score, and their values; those of the rules at hand come first.
    table : pandas.DataFrame
        One row a combination of the open switches, the rules at hand first: the value of each switch, `winner`,
        `margin` (of the best score over the second), and `score of METHOD`, higher is better.
    singles : pandas.DataFrame
        One switch turned alone: `switch`, `value`, `winner`, whether it `changed`, and the document that has `settled`
        the switch, or `left open`.
    """

    choices: dict[str, tuple[str, ...]]
    table: pd.DataFrame
    singles: pd.DataFrame

    @property
    def winner(self) -> str:
        """Winner under the rules at hand."""
        return str(self.table["winner"].iloc[0])

    @property
    def singles_sentence(self) -> str:
        """Sentence about the switches that change the winner when they alone are turned."""
        parts = [
            f"{in_words({row['switch']: row['value']})} ({winner_sentence(row['winner'])})"
            for row in self.singles[self.singles["changed"]].to_dict("records")
        ]
        return f"Switches that change the winner when they alone are turned: {listed(parts) or 'none'}."

    @property
    def sentence(self) -> str:
        """Sentence that says who wins under how many open readings."""
        counts, total = self.table["winner"].value_counts(), len(self.table)
        first = "All methods tie" if self.winner == ALL_TIED else winner_sentence(self.winner)
        other_winners = counts.drop(self.winner)
        if total == 1:
            return f"{first}; no switch that the documents leave open changes a score."
        if other_winners.empty:
            return f"{first} under all {total:,} readings that the documents leave open."
        rivals = [
            f"{list_winners(str(name))} under {count:,}" for name, count in other_winners.items()
        ]
        return (
            f"{first} under {counts[self.winner]:,} of {total:,} readings that the documents leave open, "
            f"{listed(rivals, MOST_NAMED)}."
        )


def score_readings(judgement: Judgement) -> Readings:
    """Score a competition under every combination of the open switches, and with each switch turned alone."""
    rules, screened = judgement.rules, judgement.screened
    methods, choices = screened.methods, list_choices(judgement)
    present_setting: Setting = {}
    documents = dict[str, str]()
    for name, settings in choices.items():
        present_setting |= settings[0]
        sources = dict.fromkeys(rules.settled(path) for path in settings[0])
        documents[name] = LEFT_OPEN if None in sources else " and ".join(map(str, sources))
    spelled_runs = count_as_spelled(screened) if "count" in present_setting else screened

    @lru_cache(MOST_ARRANGEMENTS)  # arranging runs takes longer than scoring them
    def arrange_runs(*switches: tuple[str, Any]) -> tuple[Array, ScoringPlan]:
        """Arrange the runs by the switches of `arrange` alone, given as path and value."""
        runs = spelled_runs if ("count", SPELLED_COUNT) in switches else screened
        return arrange(runs, turn_switches(rules.judge, dict(switches)))

    def score_with(*settings: Setting) -> Array:
        """Score with switches turned; NaN where the rules refuse them, or all scores would be 0."""
        no_scores, full_setting = np.full(len(methods), np.nan), dict(present_setting)
        for setting in settings:
            full_setting |= setting
        run_switches = [item for item in full_setting.items() if _is_read_by_arrange(item[0])]
        try:
            judge = turn_switches(rules.judge, full_setting)
            final = score(*arrange_runs(*run_switches), judge).final
        except (ValidationError, InputError):
            return no_scores
        return no_scores if judge != rules.judge and not np.nan_to_num(final).any() else final

    open_choices = {name: choices[name] for name in choices if documents[name] == LEFT_OPEN}
    combinations = itertools.product(*open_choices.values())
    scores = np.array([score_with(*settings) for settings in combinations])
    scores = scores.reshape(*map(len, open_choices.values()), len(methods))
    scores, labels = _drop_idle_switches(scores, open_choices)
    finals = scores.reshape(-1, len(methods))
    table = pd.DataFrame(list(itertools.product(*labels.values())), columns=list(labels))
    table = table.assign(
        winner=[_name_winner(final, methods) for final in finals],
        margin=np.ptp(np.sort(np.nan_to_num(finals), axis=-1)[:, -2:], axis=-1),
        **{f"score of {method}": finals[:, i] for i, method in enumerate(methods)},
    )
    scored_rows = np.flatnonzero(np.isfinite(finals).any(axis=-1))
    table = table.iloc[scored_rows].reset_index(drop=True)
    singles = []
    for name, settings in choices.items():
        for setting in settings[1:]:
            final = score_with(setting)
            if np.isfinite(final).any():
                winner = _name_winner(final, methods)
                singles.append((name, _label(setting), winner, documents[name]))
    singles_table = pd.DataFrame(singles, columns=["switch", "value", "winner", "settled"])
    singles_table.insert(3, "changed", singles_table["winner"] != table["winner"].iloc[0])
    return Readings(labels, table, singles_table)


def turn_switches(judge: Judge, setting: Setting) -> Judge:
    """Rules in which the switches at these paths have other values; `count` is no switch of the judge block.

    Raises
    ------
    ValidationError
        When rules may not have these values together.
    """
    block = judge.model_dump(by_alias=True)
    for path in setting.keys() - {"count"}:
        *outer, name = path.split(".")
        part = block
        for key in outer:
            part = part[key]
        part[name] = setting[path]
    return Judge.model_validate(block)


def _drop_idle_switches(
    scores: Array, choices: dict[str, list[Setting]]
) -> tuple[Array, dict[str, tuple[str, ...]]]:
    """Leave out values that the rules always refuse, and all but the first value of switches that change no score.

    Parameters
    ----------
    scores : array, values of the first switch x values of the second x ... x methods
    choices : dict of str to list of Setting
        The values of each switch.

    Returns
    -------
    array, dict of str to tuple of str
        The remaining scores, and the values of each switch that changes some.
    """
    labels = dict[str, tuple[str, ...]]()
    for axis, (name, settings) in enumerate(choices.items()):
        other_axes = tuple({*range(scores.ndim)} - {axis})
        allowed_positions = np.flatnonzero(np.isfinite(scores).any(axis=other_axes))
        first_scores, scores = scores.take([0], axis), scores.take(allowed_positions, axis)
        if np.allclose(scores, first_scores, rtol=0, atol=1e-12, equal_nan=True):
            scores = first_scores
        else:
            labels[name] = tuple(_label(settings[position]) for position in allowed_positions)
    return scores, labels


def list_choices(judgement: Judgement) -> dict[str, list[Setting]]:
    """All settings of each switch, those of the rules at hand first.

    Switches that change the values of runs come before those that change scores alone.
    """
    rules, screened, settings = judgement.rules, judgement.screened, judgement.rules.settings
    aspects, measure = rules.judge.aspects, rules.measure
    readings: dict[tuple[str, ...], tuple[tuple[Any, ...], ...]] = {}
    counts_components = any(aspect.from_ == "complexity" for aspect in aspects.values())
    has_texts = "simplified_model" in screened.usable and measure.complexity == "simplified"
    if counts_components and has_texts and not measure.literal:
        readings[("count",)] = ((SPELLED_COUNT,),)
    for name, (key, values) in itertools.product(aspects, ASPECT_READINGS.items()):
        path = f"aspects.{name}.{key}"
        if settings[path] in values:
            readings[(path,)] = tuple((value,) for value in values)
    readings |= dict(sorted(READINGS.items(), key=lambda item: not _changes_runs(item[0][0])))
    if (screened.count(screened.usable) >= judgement.plan.expected).all():
        readings["missing", "incomplete"] = ()  # no run is absent
    tested_properties = {problem.property for problem in screened.problems.values()}
    choices = {}
    for paths, values in readings.items():
        properties = set(map(_property_of, paths))
        if None not in properties and properties.isdisjoint(tested_properties):
            continue  # no dataset tests it
        names = [path.removeprefix("aspects.").removeprefix("properties.") for path in paths]
        distinct = dict.fromkeys([tuple(settings[path] for path in paths), *values])
        choices["/".join(names)] = [dict(zip(paths, value, strict=True)) for value in distinct]
    return choices


def count_as_spelled(screened: Screened) -> Screened:
    """Count the operators, features and constants of the simplified models, as `count` asks of an assessment.

    Where there is no simplified model, or it is no finite number, the present count stands.
    """

    @cache  # methods often end with the same model
    def count(text: Any, dataset: str, present_count: int) -> int:
        """Count one simplified model."""
        try:
            return count_text(parse(text, screened.problems[dataset].features))
        except (ModelTextError, TypeError):  # 1e300^2 simplifies to inf; a missing text is no str
            return present_count

    runs = screened.usable
    columns = [runs[name] for name in ("simplified_model", "dataset", "complexity")]
    return replace(screened, usable=runs.assign(complexity=list(map(count, *columns))))


def _name_winner(final: Array, methods: tuple[str, ...]) -> str:
    """Name the methods on the first place, as `srlib.prose.winner_sentence` reads them."""
    first = places(final) == 1
    if first.all() and len(methods) > 1:
        return ALL_TIED
    return WINNER_SEPARATOR.join(itertools.compress(methods, first))


def _changes_runs(path: str) -> bool:
    """Whether a switch changes the values of runs."""
    return path == "count" or path.startswith(("aspects.", "properties."))


def _is_read_by_arrange(path: str) -> bool:
    """Whether runs are arranged otherwise when a switch is turned."""
    return path == "rank_per" or _changes_runs(path)


def _property_of(path: str) -> str | None:
    """Property that a switch is about; None where it is about none of them alone."""
    block, _, name = path.partition(".")
    return {"properties": name, "noise_guard": "noise_sensitivity"}.get(block)


def _label(setting: Setting) -> str:
    """Write the values of switches that turn together."""
    return "/".join(dict.fromkeys(map(str, setting.values())))


def list_rankings(readings: Readings) -> dict[str, Any]:
    """Put the ranking of every reading into lists that a page can look up.

    Returns
    -------
    dict
        `switches` (the values of each open switch, those of the rules at hand first), `methods`, and `readings`: for
        each the position of the value of every switch, then the place and the score of every method. Of very many
        readings those with the fewest switches turned, so that they take at most `MOST_LETTERS` as JSON.
    """
    table, names = readings.table, list(readings.choices)
    value_positions = [table[name].map(readings.choices[name].index) for name in names]
    scores = table.filter(regex="^score of ")
    rankings = np.dstack([places(scores.to_numpy()), scores.round(6)]).tolist()
    rows = [
        [
            *row,
            [(int(place), None if math.isnan(number) else number) for place, number in ranking],
        ]
        for *row, ranking in zip(*value_positions, rankings, strict=True)
    ]
    rows.sort(key=lambda row: np.count_nonzero(row[:-1]))
    letters = np.cumsum([len(json.dumps(row)) + 2 for row in rows])
    return {
        "switches": readings.choices,
        "methods": list(scores.columns.str.removeprefix("score of ")),
        "readings": rows[: int((letters <= MOST_LETTERS).sum())],
    }
