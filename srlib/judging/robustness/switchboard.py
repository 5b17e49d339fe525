"""Who wins under every reading of the rules.

A reading is one choice for each switch of the rules where the documents are silent or published competitions differ:
of the judge block, and of the measure block as far as assessments allow (`measuring`). Switches that belong together
turn together; the value of the rules at hand comes first.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import getitem
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import ValidationError

from srlib.errors import InputError
from srlib.judging.design import Array, Design
from srlib.judging.ranking import PREPARING, Prepared, combined, prepared, ranked
from srlib.judging.robustness.competition import Competition, winners
from srlib.judging.robustness.measuring import literal, measure_readings, shortest
from srlib.judging.robustness.turning import with_switches
from srlib.judging.verdict import Judgement
from srlib.rules import Judge, declared, load_rules
from srlib.rules.wording import in_words, meant, switch
from srlib.words import TIED, listed, together, won

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
GUARD = "noise_guard.action"
# what the scorer's array depends on
MEASURED = ("candidate", "aspects.", "properties.", "rank_per")
MOST = 3  # combinations or winners that the sentence names; more are left to the tables


@dataclass(frozen=True)
class Switchboard:
    """The final scores under all readings.

    Parameters
    ----------
    methods : tuple of str
        The last axis of `scores`.
    choices : dict of str to tuple of str
        The switches that change a score, and their values; those of the rules at hand come first.
    settled : dict of str to str
        The document that settles a switch, which published competitions read otherwise; the others are left open.
    idle : tuple of str
        Switches that change no score here.
    scores : array, one axis a switch, then methods
        Higher is better; NaN where the rules refuse a combination.
    """

    methods: tuple[str, ...]
    choices: dict[str, tuple[str, ...]]
    settled: dict[str, str]
    idle: tuple[str, ...]
    scores: Array

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a reading, the rules at hand first: values of the switches, `winner`, `margin`, `score of ...`."""
        valid = np.isfinite(self.scores).any(axis=-1)
        columns = {
            name: np.array(labels, dtype=object)[place]
            for (name, labels), place in zip(
                self.choices.items(), np.argwhere(valid).T, strict=True
            )
        }
        scores = self.scores[valid]
        margin = np.ptp(np.sort(np.nan_to_num(scores), axis=-1)[:, -2:], axis=-1)
        said = {"winner": winners(scores, self.methods), "margin": margin}
        each = {f"score of {method}": scores[:, i] for i, method in enumerate(self.methods)}
        return pd.DataFrame(columns | said | each)

    @cached_property
    def flips(self) -> pd.DataFrame:
        """One switch turned alone: `switch`, `value`, `winner`, whether it `changed`, and what has `settled` it."""
        rows, (first, *others) = [], self.table.to_dict("records")
        for row in others:
            turned = [name for name in self.choices if row[name] != first[name]]
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
            f"{in_words({row['switch']: row['value']})} ({won(row['winner'])})" for row in changed
        ]
        return f"Switches that change the winner when they alone are turned: {listed(parts) if parts else 'none'}."

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Share of the readings with a switch at a value (rows) that each winner (columns, most first) wins."""
        each = pd.get_dummies(self.table["winner"], dtype=float)
        each = each[each.sum().sort_values(ascending=False, kind="stable").index]
        parts = [
            each.groupby(f"{name} = " + self.table[name], sort=False).mean()
            for name in self.choices
        ]
        return (
            pd.concat([each.mean().to_frame("all readings").T, *parts])
            .rename_axis("reading")
            .reset_index()
        )

    def cases(self, winner: str) -> list[dict[str, str]]:
        """Describe exactly the readings that one winner wins, by few combinations of switch values.

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
        """Who wins how often, and the fewest words for the readings that crown others."""
        counts, total = self.table["winner"].value_counts(), len(self.table)
        first = won(self.winner)
        if self.winner == TIED:
            first = f"{first[0].upper()}{first[1:]}"
        if total == 1:
            return f"{first}; no switch changes a score."
        open_ = self.table[
            (self.table[[*self.settled]] == self.table[[*self.settled]].iloc[0]).all(axis=1)
        ]["winner"]
        said = f"{first} under {_of(counts[self.winner], total)} readings"
        if len(open_) < total:
            said += (
                f" ({_of((open_ == self.winner).sum(), len(open_))} that the documents leave open)"
            )
        others = [str(name) for name in counts.index if name != self.winner]
        if not others:
            return f"{said}."
        cases = {name: [*map(in_words, self.cases(name))] for name in others}
        if sum(map(len, cases.values())) <= MOST:
            crowned = [
                f"{' or '.join(x)} {'leaves' if m == TIED else 'crowns'} {together(m)}"
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
        rest = [f"{together(other)} under {counts[other]:,}" for other in others[:MOST]]
        more = [f"{len(others) - MOST} more"] if len(others) > MOST else []
        return f"{said}, {listed(rest + more)}; most depends on “{switch(name)}”: {won(self.winner)} {listed(most)}."


def switchboard(judgement: Judgement, others: Mapping[int, Judgement] | None = None) -> Switchboard:
    """Score a competition under every reading of its rules.

    `others`, by decimals, are judgements of the same runs after they were assessed with other decimals.
    """
    competition, rules = Competition.from_judgement(judgement), judgement.rules
    others = {rules.measure.decimals: judgement} | dict(others or {})
    apart = measure_readings(judgement, others)
    readings = readings_of(competition) | {(k,): tuple((v,) for v in vs) for k, vs in apart.items()}
    as_judged = (rules.measure.count, rules.measure.complexity, rules.judge.candidate)
    measured = dict[Any, Competition]()
    for number, other in others.items():
        measured[number, *as_judged] = Competition.from_judgement(other)
    known, ready = dict[Any, tuple[Array, Design]](), dict[Any, Prepared]()
    done, blocks = dict[Any, Array](), dict[Any, Any]()
    scores = np.full((*map(len, readings.values()), len(competition.screened.methods)), np.nan)
    ranks, of = None, None
    # what is measured turns slowest, then what is prepared, then ranks; one of each is held at a time
    axes = sorted(range(len(readings)), key=lambda i: _step(list(readings)[i], apart))
    turns = np.argsort(axes).tolist()
    paths, values_of = [*itertools.chain.from_iterable(readings)], [*readings.values()]
    measuring = [path for path in paths if path.startswith(MEASURED)]
    uncombined = [path for path in paths if path != "combine"]
    unguarded = [path for path in uncombined if path != GUARD]
    for turn in itertools.product(*(range(scores.shape[i]) for i in axes)):
        place = tuple(turn[i] for i in turns)
        chosen = itertools.chain.from_iterable(x[i] for x, i in zip(values_of, place, strict=True))
        turned = dict(zip(paths, chosen, strict=True))
        how = tuple(
            turned.get(path, getattr(rules.measure, path))
            for path in ("decimals", "count", "complexity")
        )
        if how[1] != rules.measure.count and how[2] != rules.measure.complexity:
            continue  # what the shortest writing counts does not depend on what a component is
        how = (*how, turned.get("candidate", rules.judge.candidate))
        key = (*how, *[turned[path] for path in measuring])
        try:
            own = {path: value for path, value in turned.items() if path not in apart}
            judge = with_switches(competition.judge, own, blocks)
            if key not in known:
                if how not in measured:
                    one = measured[how[0], *as_judged]
                    one = one.read_as(judge)
                    if how[1] != rules.measure.count:
                        one = replace(one, screened=literal(one.screened))
                    if how[2] != rules.measure.complexity:
                        measure = rules.measure.model_copy(update={"decimals": how[0]})
                        one = replace(one, screened=shortest(one.screened, measure))
                    measured[how] = one
                known = {key: measured[how].read_as(judge).arranged}
            values, design = known[key]
            step = (key, *map(turned.get, PREPARING))
            if step not in ready:
                ready = {step: prepared(values, design, judge)}
            ranking = uncombined
            if not ready[step].flagged.any():
                ranking = unguarded
            same = (step, *[turned[path] for path in ranking])
            if (same, judge.combine) not in done:
                if ranks is None or of != same:
                    ranks, of = ranked(ready[step], design, judge), same
                # other switches may give the same ranks
                alike = (step, ranks.rank.tobytes(), judge.missing, judge.combine)
                if alike not in done:
                    done[alike] = combined(ready[step], ranks, design, judge).final
                done[same, judge.combine] = done[alike]
            scores[place] = done[same, judge.combine]
        except (ValidationError, InputError):  # the rules refuse this combination
            continue
    choices, settled, idle = {}, {}, []
    for paths, values in readings.items():
        name, axis = (
            "/".join(p.removeprefix("aspects.").removeprefix("properties.") for p in paths),
            len(choices),
        )
        told = np.isfinite(np.moveaxis(scores, axis, 0)).reshape(len(values), -1)
        allowed = np.flatnonzero(told.any(axis=1))
        scores, values = np.take(scores, allowed, axis), [values[place] for place in allowed]
        if np.isclose(scores, np.take(scores, [0], axis), rtol=0, atol=1e-12, equal_nan=True).all():
            idle, scores = [*idle, name], np.take(scores, 0, axis)
            continue
        choices[name] = tuple("/".join(dict.fromkeys(map(str, value))) for value in values)
        documents = [rules.settled(path) for path in paths]
        if None not in documents:
            settled[name] = " and ".join(dict.fromkeys(map(str, documents)))
    return Switchboard(competition.screened.methods, choices, settled, tuple(idle), scores)


def readings_of(competition: Competition) -> dict[Paths, tuple[tuple[Any, ...], ...]]:
    """All values of each switch, those of the rules at hand first."""
    found = dict(READINGS)
    if competition.screened.fronts is None:
        found.pop(("candidate",), None)
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


def _step(paths: Paths, apart: Mapping[str, Any]) -> int:
    """Which step of the scorer a switch enters first: measuring, preparing, ranking or combining."""
    if any(path in apart or path.startswith(MEASURED) for path in paths):
        return 0
    if any(path in PREPARING for path in paths):
        return 1
    return 2 + (paths == ("combine",))


def _extended(grid: NDArray[Any], summary: Any) -> NDArray[Any]:
    """Add to each axis one place that summarises it: a cell then stands for values or, there, for any value."""
    for axis in range(grid.ndim):
        grid = np.concatenate([grid, summary(grid, axis=axis, keepdims=True)], axis=axis)
    return grid


def _of(part: int, whole: int) -> str:
    if part == whole:
        return f"all {whole:,}"
    return f"{part:,} of {whole:,}"
