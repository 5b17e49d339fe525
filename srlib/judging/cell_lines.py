"""Ledger lines of cells: absent runs and undefined values, what stands in for them, and who is below an accuracy."""

from typing import Any

import numpy as np

from srlib.judging.run_values import measures_table
from srlib.judging.scoring import ScoreSteps
from srlib.judging.screening import Screened, positions
from srlib.judging.values import Array, ScoringPlan, aggregate, worst_values
from srlib.ledger import entry
from srlib.rules import Judge

CAN_PAY = "by these rules failing can pay"
EMPTY = {
    "worst_rank": "it gets the worst rank",
    "drop": f"it is left out, and {CAN_PAY}",
    "as_published": f"as published in 2022, and {CAN_PAY}",
}


def cell_lines(
    screened: Screened, values: Array, steps: ScoreSteps, plan: ScoringPlan, block: Judge
) -> list[dict[str, Any]]:
    """Every cell that could not be used as it stands, then every usable run without a value in some aspect."""
    stand_in, alone = (
        worst_values(values, plan.sign, plan.floor, block.incomplete),
        aggregate(values, block.aggregate),
    )
    names, counts = list(block.aspects), screened.counts
    expected = block.repetitions + np.broadcast_to(plan.extra, counts.shape)
    scored = (
        np.array([screened.problems[name].property is not None for name in screened.datasets])
        & plan.scored
    )
    undefined = (
        np.isnan(steps.aggregated[plan.prop]) & scored[:, None] & (counts > 0) & (plan.prop >= 0)
    )
    below, lines = steps.below > 0, []
    extra = screened.attempted > block.repetitions
    for d, m in np.argwhere(extra & plan.scored[:, None]):
        about = {"method": screened.methods[m], "dataset": screened.datasets[d]}
        made = int(screened.attempted[d, m])
        detail = f"{made} runs were made, {block.repetitions} are expected; all of them count"
        lines.append(entry("judge", "extra_runs", "noted", detail, level="cell", **about))
    for d, m in np.argwhere((counts < expected) | steps.guarded | undefined | below):
        dataset = screened.datasets[d]
        about: dict[str, Any] = {"level": "cell", "method": screened.methods[m], "dataset": dataset}
        usable, wanted = int(counts[d, m]), int(expected[d, m])
        if usable < wanted:
            rule = EMPTY[block.missing] if usable == 0 else _absent(names, stand_in[:, d], block)
            detail = f"{usable} of {wanted} runs are usable; {rule}"
            lines.append(entry("judge", "missing_runs", "replaced", detail, **about))
        if steps.guarded[d, m]:
            action = "noted"
            if block.noise_guard.action == "worst_rank":
                action = "replaced"
            reached = alone[plan.accuracy, [d, plan.reference[d]], m].max()
            detail = _guarded(block.noise_guard.min_accuracy, float(reached))
            lines.append(entry("judge", "minimal_accuracy", action, detail, **about))
        if below[d, m]:
            of = steps.filled.shape[-1]
            what = ""
            if block.rank_per == "repetition":
                what = f"in {steps.below[d, m]} of {of} repetitions "
            detail = f"accuracy {what}is not above {block.minimal_accuracy} of the best: worst rank in all aspects"
            lines.append(entry("judge", "minimal_accuracy", "replaced", detail, **about))
        if undefined[d, m]:
            kind = f"the property {screened.problems[dataset].property}"
            if np.isnan(steps.aggregated[plan.prop, d]).all():
                detail = f"{kind} is not defined here"
                lines.append(entry("judge", "not_scored", "noted", detail, **about))
            else:
                detail = f"{kind} is defined for none of the runs; {EMPTY[block.missing]}"
                lines.append(entry("judge", "property_undefined", "replaced", detail, **about))
    return lines + _undefined_runs(screened, values, stand_in, plan, block)


def _guarded(least: float, reached: float) -> str:
    """Say why the noise guard points at a cell; `reached` is the better accuracy of the runs that are there."""
    if reached < least:
        return f"accuracy is below {least} at both noise levels: a low sensitivity means nothing"
    return (
        f"with absent runs at their floor accuracy is below {least} at both noise levels; the usable runs alone "
        f"reach {reached:.4g}: too many are absent for the sensitivity to mean something"
    )


def _absent(names: list[str], stand_in: Array, block: Judge) -> str:
    if block.incomplete == "rest":
        return f"the others' mean stands, and {CAN_PAY}"
    what = {"floor": "its floor", "worst_value": "the worst value seen there"}[block.incomplete]
    known = [
        f"{name} {value:.4g}"
        for name, value in zip(names, stand_in, strict=True)
        if not np.isnan(value)
    ]
    return f"each absent one counts as {what} ({', '.join(known)})"


def _undefined_runs(
    screened: Screened, values: Array, stand_in: Array, plan: ScoringPlan, block: Judge
) -> list[dict[str, Any]]:
    """Usable runs that lack a value in an aspect which others have on the dataset."""
    present = np.isfinite(values).sum(axis=-1)
    lacking = (present > 0) & (present < screened.counts) & plan.scored[:, None]
    if not lacking.any():
        return []
    table, names, lines = measures_table(screened, block), list(block.aspects), []
    places = (
        positions(table["aspect"], names),
        positions(table["dataset"], screened.datasets),
        positions(table["method"], screened.methods),
    )
    inside = np.minimum.reduce(places) >= 0
    told = table["value"].isna().to_numpy() & inside & lacking[places]
    for row in table[told].to_dict("records"):
        a, d = names.index(row["aspect"]), screened.datasets.index(row["dataset"])
        kind = screened.problems[row["dataset"]].property
        what = f"{row['aspect']}"
        if a == plan.prop and kind is not None:
            what = f"{kind} by {getattr(block.properties, kind)}"
        worth = {"floor": "its floor", "worst_value": "the worst value seen there"}
        said = (
            f"it is left out, and {CAN_PAY}"
            if block.incomplete == "rest"
            else f"it counts as {worth[block.incomplete]}, {stand_in[a, d]:.4g}"
        )
        about = {name: row[name] for name in ("method", "dataset", "repetition")}
        action = "noted" if block.incomplete == "rest" else "replaced"
        detail = f"{what} is not defined for this run; {said}"
        lines.append(entry("judge", "property_undefined", action, detail, **about))
    return lines
