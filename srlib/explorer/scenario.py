"""Judging a competition under other choices: other switches and weights, fewer methods or datasets, added runs."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from srlib.errors import InputError, NothingScoredError
from srlib.judging import Judgement, judge
from srlib.judging.assessments import complete_assessments
from srlib.readers import read_runs
from srlib.rules import Judge, Rules
from srlib.tables import ASSESSMENTS, set_types
from srlib.yaml_files import validate


def judge_scenario(
    field: Judgement,
    own: str = "",
    without_methods: Collection[str] = (),
    without_datasets: Collection[str] = (),
    **switches: Any,
) -> Judgement:
    """Judge a competition again under other choices, by the official scorer.

    Parameters
    ----------
    field : Judgement
        The judged competition.
    own : str
        Path of a run table that is added (see `add_runs`); empty for none.
    without_methods, without_datasets : collection of str
        Methods and datasets of the field that are left out.
    **switches
        New values of switches; see `turn_switches`.

    Raises
    ------
    InputError
        When the table cannot be read, the switches exclude each other, or no run is left.
    NothingScoredError
        When no run can be scored.

    Examples
    --------
    >>> from srlib.judging import judge_runs
    >>> judgement = judge_scenario(judge_runs(), without_datasets=["noise_easy"], ties="min")
    >>> judgement.rules.judge.ties, "noise_easy" in judgement.screened.datasets
    ('min', False)
    """
    rules = turn_switches(field.rules, switches)
    runs = field.assessments
    is_excluded = runs["method"].isin(without_methods) | runs["dataset"].isin(without_datasets)
    runs = runs[~is_excluded]
    if own:
        own_runs = add_runs(field, own)
        own_runs = own_runs[~own_runs["dataset"].isin(without_datasets)]
        runs = set_types(pd.concat([runs, own_runs], ignore_index=True), ASSESSMENTS.columns)
    if runs.empty:
        raise InputError("no run is left to be judged; leave out fewer methods or datasets")
    judgement = judge(runs, field.problems, rules)
    if judgement.failure:
        raise NothingScoredError(judgement.failure, judgement)
    return judgement


def turn_switches(rules: Rules, switches: Mapping[str, Any]) -> Rules:
    """Return rules with new values of switches in the judge block, named SWITCH or aspects.NAME.SWITCH.

    Raises
    ------
    InputError
        When a value is not allowed, or the switches exclude each other.

    Examples
    --------
    >>> from srlib.rules import load_rules
    >>> rules = turn_switches(load_rules("judging-2022"), {"aspects.accuracy.weight": 2.0})
    >>> rules.judge.aspects["accuracy"].weight
    2.0
    """
    block = rules.judge.model_dump(mode="json", by_alias=True)
    for path, value in switches.items():
        aspect, _, name = path.removeprefix("aspects.").rpartition(".")
        target = block["aspects"][aspect] if aspect else block
        target[name] = value
    return rules.model_copy(update={"judge": validate(Judge, block, "these switches")})


def add_runs(field: Judgement, path: str) -> pd.DataFrame:
    """Read and assess the user's own runs for a competition; a method whose name is taken is renamed 'NAME (yours)'.

    Raises
    ------
    InputError
        When the file is not a valid run table; the message names file, row or key.
    """
    table = read_runs(path)
    methods = set(field.assessments["method"])
    names = [f"{name} (yours)" if name in methods else name for name in table.frame["method"]]
    own_table = replace(table, frame=table.frame.assign(method=names))
    return complete_assessments(
        own_table, field.problems, field.rules.measure, judge=field.rules.judge
    )
