"""From names or paths to a judgement: read, assess what is missing, judge."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from srlib.assessing import assess, names_settled, runs_of
from srlib.assessing.extras import with_extras
from srlib.cache import Cache
from srlib.errors import NothingScoredError
from srlib.judging.screening import tracked
from srlib.judging.tracks.gate import read_gate
from srlib.judging.verdict import Judgement, judge
from srlib.problems import Problems, load_problems
from srlib.readers import Names, RunTable, read_runs, with_names
from srlib.rules import Judge, Measure, Rules, load_rules


def judge_runs(
    runs: Names = "demo",
    problems: str | Path | Problems = "synthetic-2022",
    rules: str | Path | Rules = "judging-2022",
    *,
    layout: str | None = None,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
    qualified: str | Path | pd.DataFrame = "",
    names: Iterable[str] | Mapping[str, str] = (),
) -> Judgement:
    """Judge a run table by a problem file and rules, given by path or shipped name, or read before.

    Parameters
    ----------
    runs : str, Path, DataFrame or RunTable, or a sequence of them
        Raw runs or assessments, or 'demo'; see `read_runs`.
    problems, rules : str, Path, Problems or Rules
        A path, the bare name of a shipped file, or what was read before.
    layout, cache, timeout, jobs
        As for `read_runs` and `assess`.
    qualified : str, Path or DataFrame
        What `srlib.judging.tracks.gate.read_gate` reads; empty: everybody takes part.
    names : iterable of str, or mapping
        What `srlib.readers.with_names` takes.

    Raises
    ------
    NothingScoredError
        When no run could be scored; the message says why, by count.
    InputError
        One sentence that names file, row or key, what was allowed and what came.
    """
    chosen = load_rules(rules)
    known = load_problems(problems)
    given = with_names(read_runs(runs, layout), names)
    # said before what takes long
    tracked(given.frame["dataset"].unique(), known, chosen.judge)
    table = assessed(
        given,
        known,
        chosen.measure,
        judge=chosen.judge,
        cache=cache,
        timeout=timeout,
        jobs=jobs,
    )
    judgement = gated(table, known, chosen, qualified, given.notices)
    if judgement.nothing:
        raise NothingScoredError(judgement.nothing, judgement)
    return judgement


def gated(
    assessments: pd.DataFrame,
    problems: Problems,
    rules: Rules,
    qualified: str | Path | pd.DataFrame = "",
    notices: tuple[str, ...] = (),
) -> Judgement:
    """Judge those that qualified, and say who did not; without a table of the qualification, everybody.

    `notices` are said first.
    """
    gate = read_gate(qualified, rules)
    said = ()
    if isinstance(qualified, pd.DataFrame) or qualified:
        said = gate.notices(set(assessments["method"].astype("str")))
    return judge(assessments, problems, rules, gate.barred, (*notices, *said))


def assessed(
    runs: RunTable,
    problems: Problems,
    measure: Measure,
    *,
    judge: Judge | None = None,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
) -> pd.DataFrame:
    """Take the assessments that the table holds for these settings and problems; make the others.

    With a judge block, what it does not read (simplification and truth, where there is no property and complexity is
    counted without simplifying) is not worked out: that is what takes long.
    """
    frame, old, only = runs.frame, runs.frame[:0], None
    sources = (
        [aspect.from_ for aspect in judge.aspects.values()] if judge is not None else ["property"]
    )
    quick = {"r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "value"}
    if measure.complexity != "simplified" and quick.issuperset(sources):
        counting = {"canonical": "size"}.get(measure.complexity, "count")
        only = frozenset({counting, "data", "predictions"})
    if runs.assessed:
        fresh = up_to_date(frame, problems, measure)
        if fresh.all():
            return with_extras(frame, problems, sources)
        old, frame = frame[fresh], runs_of(frame[~fresh])
    new = assess(
        frame,
        problems,
        measure,
        companions=runs_of(old) if runs.assessed else None,
        folder=runs.folder,
        only=only,
        cache=cache,
        timeout=timeout,
        jobs=jobs,
    )
    if runs.assessed:
        new = pd.concat([old, new], ignore_index=True).astype(old.dtypes.to_dict())
    return with_extras(new, problems, sources)


def up_to_date(frame: pd.DataFrame, problems: Problems, measure: Measure) -> pd.Series:
    """Which assessments were made by these settings and on these problems."""
    codes, names = pd.factorize(frame["dataset"])
    digests = [p.digest if (p := problems.find(name)) is not None else "" for name in names]
    same_problem = (
        frame["problem_digest"].fillna("") == pd.Series(digests, dtype="str").to_numpy()[codes]
    )
    return (frame["measure_digest"] == measure.digest) & same_problem & names_settled(frame)
