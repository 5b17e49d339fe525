"""Scores and winners under other readings of the rules.

A reading is a choice of values for the switches where the documents are silent or published competitions differ: those
of the judge block, and what counts as a component of a model. All combinations of the switches that the documents leave
open are scored; also, each switch is changed by itself. Switches that belong together change together.
"""

import itertools
import json
from collections import ChainMap, Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from srlib.errors import InputError
from srlib.judging.judgement import Judgement
from srlib.judging.scoring import Array, list_winners, places
from srlib.judging.scoring_input import ScoringInput, arrange
from srlib.judging.screening import Screened
from srlib.prose import Fact, Statement, listed, state, winner_sentence
from srlib.rules import ASPECT_READINGS, READINGS, JudgeRules, Rules, in_words

Setting = dict[str, Any]  # values by path of the switches that change together
SPELLED_COUNT = "operators, features and constants"
LEFT_OPEN = "left open"
MOST_NAMED = 3  # most winners in the sentence
MOST_ARRANGEMENTS = 4  # most copies of the values in memory
MOST_LETTERS = 190_000  # most letters of JSON on a page


@dataclass(frozen=True)
class Readings:
    """The final scores under other readings of the rules.

    Parameters
    ----------
    choices : dict of str to tuple of str
        Values of each open switch that changes a score; the value in the rules of the judgement comes first.
    table : pandas.DataFrame
        One row per combination of the open switches, that of the judgement's rules first: the value of each switch,
        `winners` (tuple of the methods on the first place), `margin` (of the best score over the second), and
        `score of METHOD` (higher is better).
    singles : pandas.DataFrame
        One row per other value of a single switch: `switch`, `value`, `winners`, `changed` (whether the winners differ
        from those of the judgement's rules) and `settled` (the document that settles the switch, or 'left open').
    methods : tuple of str
        All methods that are ranked.
    """

    choices: dict[str, tuple[str, ...]]
    table: pd.DataFrame
    singles: pd.DataFrame
    methods: tuple[str, ...]

    @property
    def winners(self) -> tuple[str, ...]:
        """Methods on the first place under the rules of the judgement."""
        return self.table["winners"].iloc[0]

    @property
    def scores(self) -> Array:
        """Final scores, shape (readings, methods)."""
        return self.table[[f"score of {method}" for method in self.methods]].to_numpy(float)

    @property
    def singles_sentence(self) -> Statement:
        """Statement that lists the switches that change the winner by themselves."""
        changes = self.singles[self.singles["changed"]]
        parts = [
            state(
                "change",
                "{setting} ({winners})",
                setting=in_words({switch: value}),
                winners=winner_sentence(winners, self.methods),
            )
            for switch, value, winners in changes[["switch", "value", "winners"]].to_numpy()
        ]
        switches = Fact(tuple(changes["switch"]), listed(parts) or "none")
        template = "Switches that change the winner when they alone are turned: {switches}."
        return state("switches", template, switches=switches)

    @property
    def sentence(self) -> Statement:
        """Statement that says how many of the open readings each winner wins."""

        def is_tie(names: tuple[str, ...]) -> bool:
            return 1 < len(names) == len(self.methods)

        counts, winners, total = Counter(self.table["winners"]), self.winners, len(self.table)
        verdict = winner_sentence(winners, self.methods)
        n_won = counts.pop(winners)
        rivals = [
            state(
                "rival",
                f"{'all tied' if is_tie(names) else '{names}'} under {{count:,}}",
                names=listed(names),
                count=count,
            )
            for names, count in counts.most_common()
        ]
        template = "{winners} under all {readings:,} readings that the documents leave open."
        if total == 1:
            template = "{winners}; no switch that the documents leave open changes a score."
        elif rivals:
            template = "{winners} under {won:,} of {readings:,} readings that the documents leave open, {rivals}."
        return state(
            "readings",
            template,
            winners=Fact(winners, verdict.capitalize() if is_tie(winners) else verdict),
            readings=total,
            won=n_won,
            rivals=Fact(dict(counts), listed(rivals, MOST_NAMED)),
        )


def score_readings(judgement: Judgement) -> Readings:
    """Return the scores under every combination of the open switches, and with each switch changed by itself."""
    rules, methods, choices = judgement.rules, judgement.scoring.methods, list_choices(judgement)
    documents = {name: _name_documents(rules, settings[0]) for name, settings in choices.items()}
    present: Setting = dict(ChainMap(*(settings[0] for settings in choices.values())))

    def turn(setting: Setting) -> JudgeRules:
        """Return the judge block with a setting; `count` is no switch of it."""
        return rules.with_switches(
            {path: setting[path] for path in setting.keys() - {"count"}}
        ).judge

    @lru_cache(MOST_ARRANGEMENTS)  # arranging runs takes longer than scoring them
    def arrange_runs(*switches: tuple[str, Any]) -> ScoringInput:
        """Return the result of `arrange` for these switches (path, value); the other switches do not affect it."""
        setting, screened = dict(switches), judgement.screened
        if setting.get("count") == SPELLED_COUNT != present["count"]:
            screened = use_simplified_counts(screened)
        return arrange(screened, turn(setting))

    def score_with(*settings: Setting) -> Array:
        """Return final scores with these settings; NaN if the rules refuse them, or if all scores would be 0."""
        setting = dict(ChainMap(*settings, present))
        run_switches = [item for item in setting.items() if _changes_runs(item[0], "rank_per")]
        try:
            judge_rules = turn(setting)
            final = arrange_runs(*run_switches).score(judge_rules).final
        except InputError:
            return np.full(len(methods), np.nan)
        is_scored = judge_rules == rules.judge or np.nan_to_num(final).any()
        return np.where(is_scored, final, np.nan)

    open_choices = {name: choices[name] for name in choices if documents[name] == LEFT_OPEN}
    scores = np.array(
        [score_with(*settings) for settings in itertools.product(*open_choices.values())]
    )
    scores = scores.reshape(*map(len, open_choices.values()), len(methods))
    scores, labels = _drop_idle_switches(scores, open_choices)
    finals = scores.reshape(-1, len(methods))
    table = pd.DataFrame(list(itertools.product(*labels.values())), columns=list(labels))
    table = table.assign(
        winners=pd.Series([list_winners(final, methods) for final in finals]),
        margin=np.ptp(np.sort(np.nan_to_num(finals), axis=-1)[:, -2:], axis=-1),
        **{f"score of {method}": finals[:, i] for i, method in enumerate(methods)},
    )
    scored_rows = np.flatnonzero(np.isfinite(finals).any(axis=-1))
    table = table.iloc[scored_rows].reset_index(drop=True)
    singles = []
    for name, setting in ((name, x) for name, settings in choices.items() for x in settings[1:]):
        final = score_with(setting)
        if np.isfinite(final).any():
            winners = list_winners(final, methods)
            is_changed = winners != table["winners"].iloc[0]
            singles.append((name, _label(setting), winners, is_changed, documents[name]))
    columns = ["switch", "value", "winners", "changed", "settled"]
    singles_table = pd.DataFrame(singles, columns=columns).astype({"changed": bool})
    return Readings(labels, table, singles_table, methods)


def _name_documents(rules: Rules, setting: Setting) -> str:
    """Return the documents that settle the switches of a setting, or 'left open'."""
    sources = dict.fromkeys(map(rules.settled, setting))
    return LEFT_OPEN if None in sources else " and ".join(map(str, sources))


def _drop_idle_switches(
    scores: Array, choices: dict[str, list[Setting]]
) -> tuple[Array, dict[str, tuple[str, ...]]]:
    """Return scores without values that the rules always refuse; a switch that changes no score keeps one value.

    Parameters
    ----------
    scores : array, values of the first switch x values of the second x ... x methods
    choices : dict of str to list of Setting
        The values of each switch.

    Returns
    -------
    scores : array, same axes
        The axis of a switch that changes no score has length 1.
    labels : dict of str to tuple of str
        The remaining values of each switch that changes a score.
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
    """Return all settings of each switch, that of the judgement's rules first.

    Switches that change the values of runs come first, those that only change scores after them.
    """
    rules, screened, settings = judgement.rules, judgement.screened, judgement.rules.settings
    aspects, measure_rules = rules.judge.aspects, rules.measure
    readings: dict[tuple[str, ...], tuple[tuple[Any, ...], ...]] = {}
    counts_simplified = measure_rules.complexity == "simplified" and not measure_rules.literal
    is_counted = "complexity" in [aspect.from_ for aspect in aspects.values()]
    if is_counted and counts_simplified and "simplified_model" in screened.usable:
        readings[("count",)] = ((SPELLED_COUNT,),)
    for name, (key, values) in itertools.product(aspects, ASPECT_READINGS.items()):
        path = f"aspects.{name}.{key}"
        if settings[path] in values:
            readings[(path,)] = tuple((value,) for value in values)
    readings |= dict(sorted(READINGS.items(), key=lambda item: not _changes_runs(item[0][0])))
    if (screened.count(screened.usable) >= judgement.scoring.plan.expected).all():
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


def use_simplified_counts(screened: Screened) -> Screened:
    """Return the runs with `complexity` as the number of operators, features and constants of the simplified model.

    The complexity stays unchanged if there is no simplified model that can be read.
    """
    runs = screened.usable
    sizes = runs.get("simplified_size", runs["complexity"]).fillna(runs["complexity"])
    return replace(screened, usable=runs.assign(complexity=sizes))


def _changes_runs(path: str, *paths: str) -> bool:
    """Return whether the switch at this path changes the values of runs, or is one of some others."""
    return path.startswith(("aspects.", "properties.")) or path in ("count", *paths)


def _property_of(path: str) -> str | None:
    """Return the property that the switch at this path affects; None if it is not specific to one property."""
    block, _, name = path.partition(".")
    return {"properties": name, "noise_guard": "noise_sensitivity"}.get(block)


def _label(setting: Setting) -> str:
    """Return the values of a setting as one text, separated by slashes."""
    return "/".join(dict.fromkeys(map(str, setting.values())))


def list_rankings(readings: Readings) -> dict[str, Any]:
    """Return the rankings of the readings as lists, from which a page looks up the ranking of a reading.

    Returns
    -------
    dict
        `switches` (values of each open switch, that of the judgement's rules first), `methods`, and `readings`: a list
        for each reading, with the position of the value of every switch, then a list of (place, score) of every method.
        Readings with the fewest changed switches come first; as JSON, the readings are cut at `MOST_LETTERS`.
    """
    table, names, scores = readings.table, list(readings.choices), readings.scores
    value_positions = [table[name].map(readings.choices[name].index) for name in names]
    numbers = scores.round(6).astype(object)
    numbers[np.isnan(scores)] = None
    rankings = np.dstack([places(scores), numbers]).tolist()
    rows = [list(row) for row in zip(*value_positions, rankings, strict=True)]
    rows.sort(key=lambda row: np.count_nonzero(row[:-1]))
    letters = np.cumsum([len(json.dumps(row)) + 2 for row in rows])
    return {
        "switches": readings.choices,
        "methods": list(readings.methods),
        "readings": rows[: int((letters <= MOST_LETTERS).sum())],
    }
