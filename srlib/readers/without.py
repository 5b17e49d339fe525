"""To judge a table without some of its methods and datasets."""

from collections.abc import Iterable
from dataclasses import replace

from srlib.errors import InputError
from srlib.readers.runs import RunTable
from srlib.words import listed


def without(runs: RunTable, methods: Iterable[str] = (), datasets: Iterable[str] = ()) -> RunTable:
    """Leave out methods and datasets, and say so.

    Raises
    ------
    InputError
        When one of them is not there, or nothing is left.
    """
    frame, said = runs.frame, []
    for kind, names in (("method", [*methods]), ("dataset", [*datasets])):
        known = sorted(runs.frame[kind].dropna().unique())
        for name in names:
            if name not in known:
                raise InputError(
                    f"without-{kind}: there is no {kind} {name!r}; {kind}s are {listed(known, 9)}"
                )
        frame = frame[~frame[kind].isin(names)]
        said += [f"left out on request: {kind} {name}" for name in dict.fromkeys(names)]
    if len(frame) == 0:
        raise InputError("without-method and without-dataset leave no run")
    kept = frame.reset_index(drop=True)
    return replace(runs, frame=kept, notices=(*runs.notices, *said))
