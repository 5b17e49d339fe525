"""A competition that is judged again and again: other switches, without some, with more runs."""

import tempfile
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.explorer.settings import Settings
from srlib.files import visible, write_atomically
from srlib.judging import Judgement, judge
from srlib.judging.assessments import complete_assessments
from srlib.problems import Problems, load_problems
from srlib.readers import read_runs
from srlib.rules import Judge, Rules, load_rules
from srlib.yaml_files import validate


@dataclass(frozen=True)
class Scene:
    """Assessed runs, problems and rules; changed by copy.

    Parameters
    ----------
    assessments : pandas.DataFrame
        All runs.
    problems, rules
        As loaded.
    own : tuple of str
        Methods that came by `with_runs`.
    """

    assessments: pd.DataFrame
    problems: Problems
    rules: Rules
    own: tuple[str, ...] = ()

    @property
    def choices(self) -> dict[str, list[str]]:
        """Methods, scored datasets, and their properties, each sorted."""
        names = self.assessments["dataset"].unique()
        known = {name: problem for name in names if (problem := self.problems.find(name))}
        scored = sorted(name for name, problem in known.items() if problem.scored)
        properties = sorted({known[name].property or "" for name in scored} - {""})
        methods = sorted(self.assessments["method"].unique())
        return {"methods": methods, "datasets": scored, "properties": properties}

    def judged(self, settings: Settings) -> Judgement:
        """Judge with these settings, through the official scorer.

        Raises
        ------
        InputError
            When the switches exclude each other, or nothing is left to be judged.
        """
        methods, datasets = self.left_out(settings)
        runs = self.assessments
        runs = runs[~(runs["method"].isin(methods) | runs["dataset"].isin(datasets))]
        if runs.empty or not set(self.choices["datasets"]) - set(datasets):
            raise InputError("no run on a scored dataset is left to be judged")
        block = self.judge(settings)
        return judge(runs, self.problems, self.rules.model_copy(update={"judge": block}))

    def judge(self, settings: Settings) -> Judge:
        """Give the judge block of the rules with the switches that were turned.

        Raises
        ------
        InputError
            When the switches exclude each other.
        """
        turned = {name: value for name, value in settings.switches.items() if value != ""}
        block = self.rules.judge.model_dump(mode="json", by_alias=True) | turned
        return validate(Judge, block, "these switches")

    def left_out(self, settings: Settings) -> tuple[list[str], list[str]]:
        """Name the methods and the datasets that are left out, those of a property among them."""
        out = {kind: set(names) for kind, names in settings.without.items()}
        properties, datasets = out.get("properties", set()), out.get("datasets", set())
        for name in self.assessments["dataset"].unique():
            problem = self.problems.find(name)
            if problem is not None and problem.property in properties:
                datasets.add(name)
        return sorted(out.get("methods", set())), sorted(datasets)

    def with_runs(self, table: str) -> "Scene":
        """Add runs of one's own as CSV; a name that is taken gets ' (yours)'.

        Raises
        ------
        InputError
            When it is no run table; the sentence names the file, row or key.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "runs.csv"
            write_atomically(path, table)
            try:
                read = read_runs(path)
            except InputError as error:
                raise InputError(str(error).replace(f"{folder}/", "")) from None
        taken = set(self.assessments["method"])
        named = read.frame["method"].map(
            lambda method: f"{method} (yours)" if method in taken else method
        )
        frame = complete_assessments(
            replace(read, frame=read.frame.assign(method=named)), self.problems, self.rules.measure
        )
        kinds = {name: kind for name, kind in self.assessments.dtypes.items() if name in frame}
        both = pd.concat([self.assessments, frame], ignore_index=True).astype(kinds)
        return replace(self, assessments=both, own=(*self.own, *sorted(named.unique())))


def open_scene(
    runs: str = "demo", problems: str = "synthetic-2022", rules: str = "judging-2022", own: str = ""
) -> Scene:
    """Load a run table, problems and rules, and assess what is not yet; unchanged files take no time again.

    Raises
    ------
    InputError
        One sentence that names file, row or key, what was allowed and what came.

    Examples
    --------
    >>> scene = open_scene()
    >>> scene.judged(Settings()).ranking["method"].tolist()[0] != ""
    True
    """
    stamps = tuple(_stamp(place) for place in (runs, problems, rules))
    return _opened(runs, problems, rules, own.strip(), stamps)


@lru_cache(maxsize=8)
def _opened(runs: str, problems: str, rules: str, own: str, stamps: tuple[int, ...]) -> Scene:
    if own:
        scene = _opened(runs, problems, rules, "", stamps)
        return scene.with_runs(own)
    known, chosen = load_problems(problems), load_rules(rules)
    table = complete_assessments(read_runs(runs), known, chosen.measure, judge=chosen.judge)
    return Scene(table.reset_index(drop=True), known, chosen)


def _stamp(place: str) -> int:
    """Say when a file or a folder was changed last; what is changed is read again."""
    path = Path(place)
    files: list[Path] = []
    if path.is_file():
        files = [path]
    elif place and path.is_dir():
        files = visible(path)
    return max((file.stat().st_mtime_ns for file in files), default=0)
