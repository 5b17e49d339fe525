"""A table of assessments that is larger than memory, judged dataset by dataset; each number is that of `judge`.

Rows are looked at twice: first for what ranks need to know of all (who ran, how many repetitions there are), then to be
judged. What is kept is a number a method, dataset and aspect, and the ledger.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.extras import with_extras
from srlib.assessing.reading import counted_readings, shown_readings
from srlib.judging.cell_lines import cell_lines
from srlib.judging.coverage import coverage, made
from srlib.judging.design import Design
from srlib.judging.doubts import added_up
from srlib.judging.measures import Slots, arranged, needed
from srlib.judging.pipeline import up_to_date
from srlib.judging.ranking import Stages, combine, combined, prepared, ranked
from srlib.judging.screening import Screened, check_size, screen, tracked
from srlib.judging.tracks.gate import read_gate
from srlib.judging.values import noisy_pairs
from srlib.judging.verdict import Judgement, placed
from srlib.ledger import conserve, sorted_lines, to_frame
from srlib.parting import LARGE, PART, Part, Parts, counted, outline, parted, places
from srlib.problems import Problems
from srlib.readers import read_part
from srlib.rules import Judge, Rules
from srlib.tables import DIGESTS


class OutdatedError(Exception):
    """Some rows have to be assessed again, or none can be ranked: that is not done in parts."""


@dataclass
class _Facts:
    """What the rank of one run depends on elsewhere; `finite` says which of the methods have a value."""

    ran: frozenset[str]
    entered: set[str] = field(default_factory=set)
    usable: set[str] = field(default_factory=set)
    repetitions: set[int] = field(default_factory=set)
    width: int = 1
    longest: tuple[int, int] = (0, 0)
    finite: Any = False


@dataclass(frozen=True)
class LargeTable:
    """A Parquet file of assessments, parted by datasets; those that are compared with each other lie in one part."""

    path: Path
    parts: Parts
    problems: Problems
    datasets: Sequence[str]

    def judge(self, rules: Rules, qualified: str | Path | pd.DataFrame = "") -> Judgement:
        """Judge as `srlib.judging.pipeline.judge_runs` does.

        Raises
        ------
        OutdatedError
            When assessments were made by other settings or on other problems.
        """
        gate = read_gate(qualified, rules)
        told = isinstance(qualified, pd.DataFrame) or bool(qualified)
        sent = self._sent(rules)
        methods = frozenset(sent["sizes"].index)
        barred, everyone = gate.barred & methods, None
        if barred:
            everyone = self._judged(rules, frozenset(), methods).ranking
            everyone = everyone.assign(qualified=~everyone["method"].isin(list(barred)))
        found = self._judged(rules, barred, methods)
        cells = sent["cells"]
        said = gate.notices(set(methods)) * told
        notices = (*said, *coverage(cells, found.screened, self.problems, rules.judge))
        found = replace(found, notices=notices, everyone=everyone)
        vars(found).update(sent=sent["sizes"], names_read=shown_readings(sent["read"]))
        return found

    def _frames(self, rules: Rules) -> Iterator[pd.DataFrame]:
        sources = [aspect.from_ for aspect in rules.judge.aspects.values()]

        def taken(part: Part) -> pd.DataFrame:
            return with_extras(read_part(part, self.path).frame, self.problems, sources)

        return map(taken, self.parts)

    def _sent(self, rules: Rules) -> dict[str, Any]:
        """Count who sent what, and how its names were read."""
        cells, sizes, read = [], [], []
        for frame in (read_part(part, self.path).frame for part in self.parts):
            if not up_to_date(frame, self.problems, rules.measure).all():
                raise OutdatedError
            cells.append(made(frame))
            sizes.append(frame.groupby("method").size())
            read.append(counted_readings(frame))
            del frame
        return {
            "cells": pd.concat(cells, ignore_index=True),
            "sizes": pd.concat(sizes).groupby(level=0).sum(),
            "read": pd.concat(read, ignore_index=True),
        }

    def _judged(self, rules: Rules, barred: frozenset[str], methods: frozenset[str]) -> Judgement:
        facts = self._facts(rules, barred, methods - barred)
        ran = frozenset(facts.usable or facts.entered)
        tracked(self.datasets, self.problems, rules.judge)
        if not ran:
            raise OutdatedError
        if ran != facts.ran:
            facts = replace(self._facts(rules, barred, ran), entered=facts.entered)
        total = _Total(rules.judge, facts)
        for frame in self._frames(rules):
            total.add(screen(frame, self.problems, rules.judge, barred, facts.ran))
            del frame  # before the next one is read
        return total.judgement(rules, self.problems, barred)

    def _facts(self, rules: Rules, barred: frozenset[str], ran: frozenset[str]) -> _Facts:
        """Look at all rows, supposing that these are the methods that ran."""
        block, facts = rules.judge, _Facts(ran)
        for frame in self._frames(rules):
            screened = screen(frame, self.problems, block, barred, ran)
            del frame
            if screened.datasets:
                _look(facts, screened, block)
            del screened
        return facts


def _look(facts: _Facts, screened: Screened, block: Judge) -> None:
    """Add what a part tells of the whole."""
    scored = list(screened.scored)
    rows, usable = screened.runs, screened.usable
    entered = rows.loc[rows["dataset"].isin(scored), "method"].unique()
    facts.entered |= set(entered) - screened.barred
    facts.usable |= set(usable.loc[usable["dataset"].isin(scored), "method"].unique())
    values, design = arranged(screened, block)
    finite = np.isfinite(values[:, design.scored]).any(axis=(0, 1, 3))
    facts.finite = facts.finite | finite
    repetitions, width = needed(screened, block)
    if len(facts.repetitions) <= block.repetitions:
        facts.repetitions |= set(repetitions.tolist())
    facts.width = max(facts.width, width)
    extra = np.asarray(design.extra)
    pairs = extra[np.concatenate(noisy_pairs(design))].max(initial=0)
    most = block.repetitions + int(extra.max(initial=0)), block.repetitions + int(pairs)
    facts.longest = max(facts.longest[0], most[0]), max(facts.longest[1], most[1])


KEPT = ("value", "rounded", "rank")


class _Total:
    """What is kept of parts that were judged."""

    def __init__(self, judge: Judge, facts: _Facts) -> None:
        self.judge, self.facts = judge, facts
        self.slots = Slots(None, facts.width)
        if len(facts.repetitions) <= judge.repetitions:
            known = np.array(sorted(facts.repetitions), dtype="int64")
            self.slots = Slots(known, max(1, len(known)))
        self.screened: list[Screened] = []
        self.designs: list[Design] = []
        self.arrays: dict[str, list[Any]] = {name: [] for name in (*KEPT, "flagged", "below")}
        self.ledger: list[pd.DataFrame] = []
        self.doubts: list[dict[str, Any]] = []

    def add(self, screened: Screened) -> None:
        """Judge a part."""
        doubts = [line for line in screened.ledger if line["dataset"] is None]
        lines = [line for line in screened.ledger if line["dataset"] is not None]
        if screened.datasets:
            values, design = arranged(screened, self.judge, None, self.slots)
            design = replace(design, longest=self.facts.longest)
            found = replace(prepared(values, design, self.judge), ran=self.facts.finite)
            ranks = ranked(found, design, self.judge)
            result = combined(found, ranks, design, self.judge)
            lines += cell_lines(screened, values, result, design, self.judge)
            for name, parts in self.arrays.items():
                parts.append(getattr(result, name))
            self.designs.append(design)
        self.doubts += doubts
        self.ledger.append(to_frame(lines))
        self.screened.append(_slim(screened))

    def judgement(self, rules: Rules, problems: Problems, barred: frozenset[str]) -> Judgement:
        """Put the parts together."""
        names = [name for one in self.screened for name in one.datasets]
        scored = frozenset[str]().union(*(one.scored for one in self.screened))
        order = sorted(range(len(names)), key=lambda at: (names[at] not in scored, names[at]))
        datasets = tuple(names[at] for at in order)
        methods = tuple(sorted(self.facts.ran))
        check_size(len(methods), len(datasets))
        screened = replace(
            self.screened[0],
            usable=pd.concat([one.usable for one in self.screened], ignore_index=True),
            methods=methods,
            datasets=datasets,
            scored=scored,
            problems={name: p for one in self.screened for name, p in one.problems.items()},
            read=sum(one.read for one in self.screened),
            used=sum(one.used for one in self.screened),
            barred=barred,
            idle=tuple(sorted(self.facts.entered - self.facts.ran)),
        )
        counts = np.concatenate([one.counts for one in self.screened if one.datasets])[order]
        vars(screened)["counts"] = counts
        arrays = {
            name: np.concatenate(parts, axis=-2).take(order, axis=-2)
            for name, parts in self.arrays.items()
        }
        design = _together(self.designs, np.array(order))
        dataset, final = combine(arrays["rank"], arrays["rounded"], design, self.judge)
        final = np.where(self.facts.finite, final, np.nan)
        nothing = np.empty((*arrays["rank"].shape, 0))
        result = Stages(**arrays, dataset=dataset, final=final, filled=nothing, run_rank=None)
        lines = pd.concat([*self.ledger, to_frame(added_up(self.doubts))], ignore_index=True)
        ledger = sorted_lines(lines)
        return Judgement(
            ranking=placed(screened, result),
            ledger=ledger,
            assessments=screened.runs,
            counts=conserve(screened.read, screened.used, ledger),
            rules=rules,
            problems=problems,
            screened=screened,
            stages=result,
            design=design,
        )


def _slim(screened: Screened) -> Screened:
    """Let go of rows, but for those that `coverage` counts: one a dataset, and all that a machine stopped."""
    usable = screened.usable[["dataset", "simplify_status"]]
    stopped = usable["simplify_status"].isin(["timeout", "memory"])
    kept = usable[stopped | ~usable["dataset"].duplicated()]
    counts = screened.counts
    nothing = pd.DataFrame(columns=screened.runs.columns)  # a slice would keep all rows
    slim = replace(screened, usable=kept, runs=nothing, attempts=nothing, ledger=[])
    vars(slim)["counts"] = counts
    return slim


def _together(designs: list[Design], order: Any) -> Design:
    """Put designs together, as far as tables and the final score read them."""
    number = len(order)
    ones = [np.broadcast_to(one.weight, one.scored.shape) for one in designs]
    return replace(
        designs[0],
        sign=np.concatenate([one.sign for one in designs], axis=1)[:, order],
        scored=np.concatenate([one.scored for one in designs])[order],
        weight=np.concatenate(ones)[order],
        reference=np.full(number, -1),
        gap=np.full(number, np.nan),
        floor=np.nan,
        extra=0,
    )


@contextlib.contextmanager
def large_table(runs: Sequence[Any], problems: Problems) -> Iterator[LargeTable | None]:
    """Part the table that is meant where it is a large one of assessments, in Parquet, with one model a run."""
    path = Path(runs[0])
    rows, columns = 0, list[str]()
    if len(runs) == 1 and path.suffix in {".parquet", ".pq"}:
        rows, columns = outline(path)
    if rows < LARGE or not set(DIGESTS) <= set(columns) or {"candidate", "aspect"} & set(columns):
        yield None
        return
    sizes = counted(path, "dataset")
    with parted(path, "dataset", _places(sizes, problems)) as parts:
        yield LargeTable(path, parts, problems, sorted(sizes))


def _places(sizes: dict[str, int], problems: Problems) -> dict[str, int]:
    """Give each dataset the number of a part, which is that of the one whose noise level it is compared with."""
    together: dict[str, list[str]] = {}
    for name in sorted(sizes):
        root, known = name, problems.find(name)
        while known is not None and known.noise_reference in sizes:
            root, known = known.noise_reference, problems.find(known.noise_reference)
        together.setdefault(root, []).append(name)
    return places(together.values(), sizes, PART)
