"""Rules with switches turned."""

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from typing import Any

from srlib.rules import Judge


def with_switches(
    judge: Judge, settings: Mapping[str, Any], known: dict[Any, Any] | None = None
) -> Judge:
    """Turn switches, by their paths; ValidationError where the rules refuse the combination.

    `known` keeps the blocks that were made, so that each of many readings of the same rules makes no more than what
    is new in it.
    """
    known = {} if known is None else known
    if () not in known:
        known[()] = {name: getattr(judge, name) for name in Judge.model_fields}
    blocks, turned, fresh = dict(known[()]), dict[str, dict[str, Any]](), {}
    for path, value in settings.items():
        block, _, inside = path.partition(".")
        if inside:
            turned.setdefault(block, {})[inside] = value
        else:
            blocks[block] = value
    for block, changes in turned.items():
        key = (block, *changes.items())
        if key in known:
            blocks[block] = known[key]
            continue
        fresh[key], blocks[block] = block, judge.model_dump(by_alias=True)[block]
        for path, value in changes.items():
            *outer, last = path.split(".")
            reduce(getitem, outer, blocks[block])[last] = value
    made = Judge.model_validate(blocks)
    known |= {key: getattr(made, block) for key, block in fresh.items()}
    return made
