"""Who wins under other readings of the rules.

A reading is one choice for each switch of the rules where the documents are silent or published competitions differ:
of the judge block, and what a component is, as far as assessments allow. Every combination of the switches that the
documents leave open is scored, and each settled switch is turned alone. Switches that belong together turn together;
the value of the rules at hand comes first.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import getitem
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import ValidationError

from srlib.errors import InputError
from srlib.judging.judgement import Judgement
from srlib.judging.robustness.competition import Competition, winners
from srlib.judging.robustness.measuring import LITERAL, countable, literal
from srlib.judging.run_values import measure_aspects
from srlib.judging.values import Array
from srlib.prose import TIED, list_winners, listed, winner_sentence
from srlib.rules import Judge, declared, load_rules
from srlib.rules.wording import in_words, meant, switch

Paths = tuple[str, ...]


def _declared() -> dict[Paths, tuple[tuple[Any, ...], ...]]:
    """Collect the readings that the switches declare; those of one name turn together (aspects: `readings_of`)."""
    groups: dict[str, list[str]] = {}
    for path in load_rules("judging-2022").settings:
        switch = None
        if path.split(".")[0] in Judge.model_fields:
            switch = declared(Judge, path)[0]
        if switch is not None and switch.readings and not path.startswith("aspects."):
            groups.setdefault(switch.together or path, []).append(path)
    return {
        tuple(paths): tuple(
            zip(*(declared(Judge, path)[0].readings for path in paths), strict=True)
        )
        for paths in groups.values()
    }


READINGS = _declared()
COUNT = ("count",)
MOST = 3  # combinations or winners that the sentence names; more are left to the tables


@dataclass(frozen=True)
class Switchboard:
    """The final scores under all readings.

    Parameters
    ----------
    methods : tuple of str
        The last axis of `scores`.
    choices : dict of str to tuple of str
        The open switches that change a score, and their values; those of the rules at hand come first.
    settled : dict of str to str
        The document that settles a switch, which published competitions read otherwise.
    idle : tuple of str
        Switches that change no score here.
    scores : array, one axis an open switch, then methods
        Higher is better; NaN where the rules refuse a combination.
    others : dict of str to tuple of str
        The settled switches that change a score when turned alone, and their values; those at hand come first.
    turned : array, readings x methods
        The scores with each further value of these, in that order; all else is as the rules say.
    """

    methods: tuple[str, ...]
    choices: dict[str, tuple[str, ...]]
    settled: dict[str, str]
    idle: tuple[str, ...]
    scores: Array
    others: dict[str, tuple[str, ...]] = field(default_factory=dict)
    turned: Array | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a reading, the rules at hand first.

        Values of the switches, `winner`, `margin`, `kind` (`open`: a combination of open switches; `settled`: one
        settled switch turned alone), `score of ...`.
        """
        valid = np.isfinite(self.scores).any(axis=-1)
        scores, open_ = self.scores[valid], valid.sum()
        if self.turned is not None:
            scores = np.concatenate([scores, self.turned])
        columns = {
            name: np.full(len(scores), labels[0], dtype=object)
            for name, labels in (self.choices | self.others).items()
        }
        for (name, labels), place in zip(self.choices.items(), np.argwhere(valid).T, strict=True):
            columns[name][:open_] = np.array(labels, dtype=object)[place]
        alone = [(name, label) for name, labels in self.others.items() for label in labels[1:]]
        for row, (name, label) in enumerate(alone, start=open_):
            columns[name][row] = label
        margin = np.ptp(np.sort(np.nan_to_num(scores), axis=-1)[:, -2:], axis=-1)
        said = {"winner": winners(scores, self.methods), "margin": margin}
        said["kind"] = np.repeat(["open", "settled"], [open_, len(alone)])
        each = {f"score of {method}": scores[:, i] for i, method in enumerate(self.methods)}
        return pd.DataFrame(columns | said | each)

    @cached_property
    def open(self) -> pd.DataFrame:
        """The rows of `table` that are combinations of the switches that the documents leave open."""
        return self.table[self.table["kind"] == "open"]

    @cached_property
    def flips(self) -> pd.DataFrame:
        """One switch turned alone: `switch`, `value`, `winner`, whether it `changed`, and what has `settled` it."""
        rows, (first, *others) = [], self.table.to_dict("records")
        for row in others:
            turned = [n for n in (*self.choices, *self.others) if row[n] != first[n]]
            if len(turned) == 1:
                changed, source = (
                    row["winner"] != self.winner,
                    self.settled.get(turned[0], "left open"),
                )
                rows.append((turned[0], row[turned[0]], row["winner"], changed, source))
        return pd.DataFrame(rows, columns=["switch", "value", "winner", "changed", "settled"])

    @property
    def winner(self) -> str:
        """Who wins under the rules at hand."""
        return str(self.table["winner"].iloc[0])

    @property
    def alone(self) -> str:
        """Say which switches change the winner when they alone are turned."""
        changed = self.flips[self.flips["changed"]].to_dict("records")
        parts = [
            f"{in_words({row['switch']: row['value']})} ({winner_sentence(row['winner'])})"
            for row in changed
        ]
        return f"Switches that change the winner when they alone are turned: {listed(parts) if parts else 'none'}."

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Share of the open readings with a switch at a value (rows) that each winner (columns, most first) wins."""
        each = pd.get_dummies(self.open["winner"], dtype=float)
        each = each[each.sum().sort_values(ascending=False, kind="stable").index]
        parts = [
            each.groupby(f"{name} = " + self.open[name], sort=False).mean() for name in self.choices
        ]
        return (
            pd.concat([each.mean().to_frame("all readings").T, *parts])
            .rename_axis("reading")
            .reset_index()
        )

    def cases(self, winner: str) -> list[dict[str, str]]:
        """Describe exactly the open readings that one winner wins, by few combinations of switch values.

        Returns
        -------
        list of dict of str to str
            Whatever the switches that are not named say, it wins; the first combination covers most readings.
        """
        labels, names = list(self.choices.values()), list(self.choices)
        valid = np.isfinite(self.scores).any(axis=-1)
        left = valid & (winners(self.scores, self.methods) == winner)
        inside, cases = _extended(left | ~valid, np.all), []
        free: Any = reduce(
            np.add.outer, [np.arange(len(x) + 1) == len(x) for x in labels], np.array(0)
        )
        while left.any():
            covered = np.where(inside, _extended(left.astype(int), np.sum), 0)
            best = np.unravel_index(
                np.where(covered, covered * (len(names) + 1) + free, 0).argmax(), covered.shape
            )
            chosen = {axis: int(i) for axis, i in enumerate(best) if i < len(labels[axis])}
            cases.append({names[axis]: labels[axis][i] for axis, i in chosen.items()})
            left[tuple(chosen.get(axis, slice(None)) for axis in range(len(names)))] = False
        return cases

    @property
    def sentence(self) -> str:
        """Who wins how often, and the fewest words for the open readings that crown others."""
        counts, total = self.open["winner"].value_counts(), len(self.open)
        alone = self.table["winner"][self.table["kind"] == "settled"]
        first = winner_sentence(self.winner)
        if self.winner == TIED:
            first = f"{first[0].upper()}{first[1:]}"
        if len(self.table) == 1:
            return f"{first}; no switch changes a score."
        said = f"{first} under {_of(counts[self.winner], total)} readings that the documents leave open"
        if total == 1:
            said = f"{first}; no switch that the documents leave open changes a score"
        if len(alone):
            kept = _of((alone == self.winner).sum(), len(alone))
            said += f", and under {kept} in which a settled switch is turned alone"
        others = [str(name) for name in counts.index if name != self.winner]
        if not others:
            return f"{said}."
        cases = {name: [*map(in_words, self.cases(name))] for name in others}
        if sum(map(len, cases.values())) <= MOST:
            crowned = [
                f"{' or '.join(x)} {'leaves' if m == TIED else 'crowns'} {list_winners(m)}"
                for m, x in cases.items()
            ]
            return f"{said}; only {listed(crowned)}."
        shares = self.shares.set_index("reading")[self.winner]
        spread = {
            name: [shares[f"{name} = {value}"] for value in values]
            for name, values in self.choices.items()
        }
        name = max(spread, key=lambda one: np.ptp(spread[one]))
        most = [
            f"{share:.0%} with “{meant(name, value)}”"
            for share, value in zip(spread[name], self.choices[name], strict=True)
        ]
        rest = [f"{list_winners(other)} under {counts[other]:,}" for other in others[:MOST]]
        more = [f"{len(others) - MOST} more"] if len(others) > MOST else []
        rivals = listed(rest + more)
        return f"{said}, {rivals}; most depends on “{switch(name)}”: {winner_sentence(self.winner)} {listed(most)}."


def switchboard(judgement: Judgement) -> Switchboard:
    """Score a competition under every combination of the open switches, and with each settled switch turned alone."""
    competition, rules = Competition.from_judgement(judgement), judgement.rules
    readings = readings_of(competition)
    if countable(judgement):
        readings[COUNT] = ((rules.measure.count,), (LITERAL,))
    screened = {rules.measure.count: competition.screened}
    measured: dict[tuple[str, ...], Array] = {}  # only some switches change the values of runs

    def final(turned: Mapping[str, Any]) -> Array:
        settings = dict(turned)
        count = settings.pop("count", rules.measure.count)
        try:
            judge = with_switches(competition.judge, settings)
            if count not in screened:
                screened[count] = literal(competition.screened)
            key = (count, repr(judge.aspects), repr(judge.properties))
            if key not in measured:
                measured[key] = measure_aspects(screened[count], judge)
            return Competition(screened[count], judge, measured[key]).steps.final
        except (ValidationError, InputError):  # the rules refuse this combination
            return np.full(len(competition.screened.methods), np.nan)

    documents = {paths: [rules.settled(path) for path in paths] for paths in readings}
    left_open = {paths: values for paths, values in readings.items() if None in documents[paths]}
    flat = [*itertools.chain.from_iterable(left_open)]
    combinations = [
        final(dict(zip(flat, itertools.chain.from_iterable(values), strict=True)))
        for values in itertools.product(*left_open.values())
    ]
    scores = np.array(combinations).reshape(*map(len, left_open.values()), -1)
    choices, others, settled, idle, turned = {}, {}, {}, list[str](), list[Array]()
    for paths, values in readings.items():
        name, axis = _name(paths), len(choices)
        if paths in left_open:
            told = np.isfinite(np.moveaxis(scores, axis, 0)).reshape(len(values), -1)
            allowed = np.flatnonzero(told.any(axis=1))
            scores, values = np.take(scores, allowed, axis), [values[place] for place in allowed]
            if _same(scores, np.take(scores, [0], axis)):
                idle, scores = [*idle, name], np.take(scores, 0, axis)
            else:
                choices[name] = tuple(map(_label, values))
            continue
        found = [(value, final(dict(zip(paths, value, strict=True)))) for value in values]
        found = [(value, told) for value, told in found if np.isfinite(told).any()]
        if all(_same(told, found[0][1]) for _, told in found):
            idle.append(name)
            continue
        others[name] = tuple(_label(value) for value, _ in found)
        turned += [told for _, told in found[1:]]
        settled[name] = " and ".join(dict.fromkeys(map(str, documents[paths])))
    methods, rest = competition.screened.methods, np.array(turned) if turned else None
    return Switchboard(methods, choices, settled, tuple(idle), scores, others, rest)


def with_switches(judge: Judge, settings: Mapping[str, Any]) -> Judge:
    """Turn switches, by their paths; ValidationError where the rules refuse the combination."""
    content = judge.model_dump(by_alias=True)
    for path, value in settings.items():
        *outer, last = path.split(".")
        reduce(getitem, outer, content)[last] = value
    return Judge.model_validate(content)


def readings_of(competition: Competition) -> dict[Paths, tuple[tuple[Any, ...], ...]]:
    """All values of each switch, those of the rules at hand first."""
    found = dict(READINGS)
    for name, aspect in competition.judge.aspects.items():
        if aspect.round is not None:
            path = f"aspects.{name}.round"
            found[(path,)] = tuple((value,) for value in declared(Judge, path)[0].readings)
        if aspect.from_ in ("complexity", "complexity_raw"):
            found[(f"aspects.{name}.from",)] = (("complexity",), ("complexity_raw",))
    if (
        np.isfinite(competition.arranged[0]).any(axis=0).sum(axis=-1).min()
        >= competition.judge.repetitions
    ):
        found["missing", "incomplete"] = ()  # no run is absent
    own = competition.judge.model_dump(by_alias=True)
    at_hand = {
        paths: tuple(reduce(getitem, path.split("."), own) for path in paths) for paths in found
    }
    return {
        paths: tuple(dict.fromkeys([at_hand[paths], *values])) for paths, values in found.items()
    }


def _name(paths: Paths) -> str:
    return "/".join(p.removeprefix("aspects.").removeprefix("properties.") for p in paths)


def _label(value: tuple[Any, ...]) -> str:
    return "/".join(dict.fromkeys(map(str, value)))


def _same(scores: Array, others: Array) -> bool:
    return bool(np.isclose(scores, others, rtol=0, atol=1e-12, equal_nan=True).all())


def _extended(grid: NDArray[Any], summary: Any) -> NDArray[Any]:
    """Add to each axis one place that summarises it: a cell then stands for values or, there, for any value."""
    for axis in range(grid.ndim):
        grid = np.concatenate([grid, summary(grid, axis=axis, keepdims=True)], axis=axis)
    return grid


def _of(part: int, whole: int) -> str:
    if part == whole > 1:
        return f"all {whole:,}"
    return f"{part:,} of {whole:,}"
