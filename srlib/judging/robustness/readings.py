"""Who wins under other readings of the rules.

A reading is one choice for each switch where the documents are silent or published competitions differ: the switches
of the judge block, and what a component is. Every combination of the switches that the documents leave open is
scored, and each switch is turned alone. Switches that belong together turn together.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import getitem
from typing import Any

import numpy as np
import pandas as pd
from pydantic import ValidationError

from srlib.errors import InputError, ModelTextError
from srlib.expressions import count_text, parse
from srlib.judging.judgement import Judgement
from srlib.judging.run_values import arrange, measure_aspects
from srlib.judging.scoring import places, score
from srlib.judging.screening import Screened
from srlib.judging.values import Array
from srlib.prose import SHARED, TIED, list_winners, listed, winner_sentence
from srlib.rules import ASPECT_READINGS, READINGS, Judge, in_words

Paths = tuple[str, ...]  # of the switches that turn together
Values = tuple[tuple[Any, ...], ...]  # one value a path, for each way to set them
COUNT = ("count",)
SPELLED = "operators, features and constants"
MOST_NAMED = 3  # winners in the sentence


@dataclass(frozen=True)
class Readings:
    """The final scores under other readings of the rules.

    Parameters
    ----------
    methods : tuple of str
        Who competes.
    choices : dict of str to tuple of str
        The open switches that change a score, and their values; those of the rules at hand come first.
    table : pandas.DataFrame
        One row a reading, the rules at hand first: the value of each switch, `winner`, `margin` (of the best score
        over the second), `kind` (`open`: a combination of open switches; `settled`: one settled switch turned alone),
        and `score of METHOD`, higher is better.
    singles : pandas.DataFrame
        One switch turned alone: `switch`, `value`, `winner`, whether it `changed`, and the document that has `settled`
        the switch, or `left open`.
    idle : tuple of str
        Switches that change no score here.
    """

    methods: tuple[str, ...]
    choices: dict[str, tuple[str, ...]]
    table: pd.DataFrame
    singles: pd.DataFrame
    idle: tuple[str, ...]

    @property
    def open(self) -> pd.DataFrame:
        """The rows of `table` that are combinations of the open switches."""
        return self.table[self.table["kind"] == "open"]

    @property
    def winner(self) -> str:
        """Who wins under the rules at hand."""
        return str(self.table["winner"].iloc[0])

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Share of the open readings with a switch at a value (rows) that each winner (columns, most first) wins."""
        won = pd.get_dummies(self.open["winner"], dtype=float)
        won = won[won.sum().sort_values(ascending=False, kind="stable").index]
        parts = [
            won.groupby(f"{name} = " + self.open[name], sort=False).mean() for name in self.choices
        ]
        table = pd.concat([won.mean().to_frame("all readings").T, *parts])
        return table.rename_axis("reading").reset_index()

    @property
    def singles_sentence(self) -> str:
        """Which switches change the winner when they alone are turned."""
        changed = self.singles[self.singles["changed"]].to_dict("records")
        parts = [
            f"{in_words({row['switch']: row['value']})} ({winner_sentence(row['winner'])})"
            for row in changed
        ]
        return f"Switches that change the winner when they alone are turned: {listed(parts) or 'none'}."

    @property
    def sentence(self) -> str:
        """Who wins under how many open readings, and on which switch most depends."""
        counts, total = self.open["winner"].value_counts(), len(self.open)
        first = winner_sentence(self.winner)
        if self.winner == TIED:
            first = f"{first[0].upper()}{first[1:]}"
        if total == 1:
            return f"{first}; no switch that the documents leave open changes a score."
        others = [str(name) for name in counts.index if name != self.winner]
        if not others:
            return f"{first} under all {total:,} readings that the documents leave open."
        rivals = [f"{list_winners(name)} under {counts[name]:,}" for name in others[:MOST_NAMED]]
        if len(others) > MOST_NAMED:
            rivals.append(f"{len(others) - MOST_NAMED} more")
        shares = self.shares.set_index("reading")[self.winner]
        by_switch = {
            name: [shares[f"{name} = {value}"] for value in values]
            for name, values in self.choices.items()
        }
        name = max(by_switch, key=lambda name: np.ptp(by_switch[name]))
        parts = [
            f"{share:.0%} with “{value.replace('_', ' ')}”"
            for share, value in zip(by_switch[name], self.choices[name], strict=True)
        ]
        most = f"“{name.replace('_', ' ')}”: {winner_sentence(self.winner)} {listed(parts)}"
        return (
            f"{first} under {counts[self.winner]:,} of {total:,} readings that the documents leave open, "
            f"{listed(rivals)}; most depends on {most}."
        )


def score_readings(judgement: Judgement) -> Readings:
    """Score a competition under every combination of the open switches, and with each switch turned alone."""
    rules, methods = judgement.rules, judgement.screened.methods
    choices = list_choices(judgement)
    documents = {paths: [rules.settled(path) for path in paths] for paths in choices}
    left_open = {paths: values for paths, values in choices.items() if None in documents[paths]}
    spelled = count_as_spelled(judgement.screened) if COUNT in choices else judgement.screened
    scores = _score_combinations(judgement, spelled, left_open)

    idle, kept = list[str](), dict[str, tuple[str, ...]]()
    for paths, values in left_open.items():
        axis, name = len(kept), _name(paths)
        allowed = [
            i for i in range(len(values)) if np.isfinite(np.take(scores, i, axis)).any()
        ]  # the rules may refuse a value in every combination
        scores = np.take(scores, allowed, axis)
        if _same(scores, np.take(scores, [0], axis)):
            scores = np.take(scores, 0, axis)
            idle.append(name)
        else:
            kept[name] = tuple(_label(values[i]) for i in allowed)
    finals = scores.reshape(-1, len(methods))
    rows = [dict(zip(kept, labels, strict=True)) for labels in itertools.product(*kept.values())]
    valid = np.flatnonzero(np.isfinite(finals).any(axis=1))
    rows, finals = [rows[i] for i in valid], [finals[i] for i in valid]
    open_readings = len(rows)

    at_hand, singles = dict(rows[0]), []
    for paths, values in choices.items():
        name, document = _name(paths), " and ".join(dict.fromkeys(filter(None, documents[paths])))
        if paths in left_open:
            document = "left open"
        turned = []
        for value in values[1:]:
            settings = dict(zip(paths, value, strict=True))
            final = _final_scores(judgement, spelled, settings)
            if np.isfinite(final).any():
                turned.append((_label(value), final))
        singles += [
            (name, label, _name_winner(final, methods), document) for label, final in turned
        ]
        if paths in left_open:
            continue
        if all(_same(final, finals[0]) for _, final in turned):
            idle.append(name)
            continue
        at_hand[name] = _label(values[0])
        rows += [{name: label} for label, _ in turned]
        finals += [final for _, final in turned]
    kinds = ["open"] * open_readings + ["settled"] * (len(rows) - open_readings)
    table = _reading_table([at_hand | row for row in rows], np.array(finals), methods, kinds)
    alone = pd.DataFrame(singles, columns=["switch", "value", "winner", "settled"])
    alone.insert(3, "changed", alone["winner"] != table["winner"].iloc[0])
    return Readings(methods, kept, table, alone, tuple(idle))


def list_choices(judgement: Judgement) -> dict[Paths, Values]:
    """All values of each switch, those of the rules at hand first.

    Switches that change the values of runs come before those that change scores alone.
    """
    judge, measure, screened = judgement.rules.judge, judgement.rules.measure, judgement.screened
    choices: dict[Paths, Values] = {}
    for name, aspect in judge.aspects.items():
        if aspect.round is not None:
            choices[f"aspects.{name}.round",] = ASPECT_READINGS["round",]
        if aspect.from_ in ("complexity", "complexity_raw"):
            choices[f"aspects.{name}.from",] = ASPECT_READINGS["from",]
    choices |= {paths: READINGS[paths] for paths in sorted(READINGS, key=_changes_scores_alone)}
    if screened.counts.min() >= judge.repetitions:
        choices["missing", "incomplete"] = ()  # no run is absent
    dump = judge.model_dump(by_alias=True)
    for paths, values in choices.items():
        current = tuple(reduce(getitem, path.split("."), dump) for path in paths)
        choices[paths] = tuple(dict.fromkeys([current, *values]))
    counted = any(aspect.from_ == "complexity" for aspect in judge.aspects.values())
    texts = "simplified_model" in screened.usable and measure.complexity == "simplified"
    if counted and texts and not measure.literal:
        choices = {COUNT: ((measure.count,), (SPELLED,))} | choices
    return choices


def count_as_spelled(screened: Screened) -> Screened:
    """Count the operators, features and constants of the simplified models, as `count` asks of an assessment.

    Where there is no simplified model, or it is no finite number, the present count stands.
    """

    def count(text: Any, dataset: str, present: int) -> int:
        try:
            return count_text(parse(text, screened.problems[dataset].features))
        except (ModelTextError, TypeError):  # 1e300^2 simplifies to inf; a missing text is no str
            return present

    runs = screened.usable
    columns = [runs[name] for name in ("simplified_model", "dataset", "complexity")]
    return replace(screened, usable=runs.assign(complexity=list(map(count, *columns))))


def _score_combinations(
    judgement: Judgement, spelled: Screened, choices: Mapping[Paths, Values]
) -> Array:
    """Score all combinations: an axis for each switch, then methods; NaN where the rules refuse one."""
    of_runs = [paths for paths in choices if not _changes_scores_alone(paths)]
    of_scores = [paths for paths in choices if _changes_scores_alone(paths)]
    finals = []
    for outer in itertools.product(*(choices[paths] for paths in of_runs)):
        settings = _settings(of_runs, outer)
        try:
            screened, judge = _turned(judgement, spelled, settings)
            measured = measure_aspects(screened, judge)
        except (ValidationError, InputError):  # each combination is refused below
            measured = None
        for inner in itertools.product(*(choices[paths] for paths in of_scores)):
            turned = settings | _settings(of_scores, inner)
            finals.append(_final_scores(judgement, spelled, turned, measured))
    lengths = [len(choices[paths]) for paths in of_runs + of_scores]
    return np.array(finals).reshape(*lengths, -1)


def _final_scores(
    judgement: Judgement,
    spelled: Screened,
    settings: Mapping[str, Any],
    measured: Array | None = None,
) -> Array:
    """Score under turned switches; NaN where the rules refuse them, or all scores would be 0."""
    refused = np.full(len(judgement.screened.methods), np.nan)
    try:
        screened, judge = _turned(judgement, spelled, settings)
        final = score(*arrange(screened, judge, measured), judge).final
    except (ValidationError, InputError):
        return refused
    if judge != judgement.rules.judge and not np.nan_to_num(final).any():
        return refused
    return final


def _turned(
    judgement: Judgement, spelled: Screened, settings: Mapping[str, Any]
) -> tuple[Screened, Judge]:
    """Turn switches by their paths; ValidationError where the rules refuse the combination."""
    screened, content = judgement.screened, judgement.rules.judge.model_dump(by_alias=True)
    for path, value in settings.items():
        if path == "count":
            screened = spelled if value == SPELLED else judgement.screened
            continue
        *outer, last = path.split(".")
        reduce(getitem, outer, content)[last] = value
    return screened, Judge.model_validate(content)


def _reading_table(
    rows: list[dict[str, str]], finals: Array, methods: tuple[str, ...], kinds: list[str]
) -> pd.DataFrame:
    best = np.sort(np.nan_to_num(finals), axis=-1)[:, -2:]
    results = {
        "winner": [_name_winner(final, methods) for final in finals],
        "margin": np.ptp(best, axis=-1),
        "kind": kinds,
    }
    scores = {f"score of {method}": finals[:, i] for i, method in enumerate(methods)}
    return pd.DataFrame(rows, index=range(len(rows))).assign(**results, **scores)


def _name_winner(final: Array, methods: tuple[str, ...]) -> str:
    first = places(final) == 1
    if first.all() and len(methods) > 1:
        return TIED
    return SHARED.join(itertools.compress(methods, first))


def _settings(switches: list[Paths], values: tuple[tuple[Any, ...], ...]) -> dict[str, Any]:
    pairs = zip(itertools.chain(*switches), itertools.chain(*values), strict=True)
    return dict(pairs)


def _changes_scores_alone(paths: Paths) -> bool:
    return paths != COUNT and not paths[0].startswith(("aspects.", "properties."))


def _name(paths: Paths) -> str:
    return "/".join(p.removeprefix("aspects.").removeprefix("properties.") for p in paths)


def _label(value: tuple[Any, ...]) -> str:
    return "/".join(dict.fromkeys(map(str, value)))


def _same(scores: Array, others: Array) -> bool:
    return bool(np.isclose(scores, others, rtol=0, atol=1e-12, equal_nan=True).all())
