"""A competition: runs, the problems that they answer, the rules that judge them, and the table of the qualification."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import pandas as pd

from srlib.assessing.completing import complete_assessments
from srlib.cache import Cache
from srlib.errors import require_known
from srlib.expressions import parse
from srlib.files import DEMO
from srlib.judging.judgement import Judgement, judge, leave_out
from srlib.judging.qualification import R2_ASPECTS, Gate, Qualification, QualificationTable, qualify
from srlib.judging.real_world import Representatives, choose_representatives
from srlib.judging.robustness import Robustness, examine
from srlib.judging.screening import select_problems
from srlib.problems import Problems, load_problems
from srlib.progress import report_to
from srlib.prose import counted
from srlib.readers import RunSources, RunTable, read_runs
from srlib.readers.run_table import is_demo, list_sources
from srlib.result import Result
from srlib.rules import Rules, load_rules
from srlib.tables import ASSESSMENTS, set_types

TYPED = "(typed)"  # method of a model that was typed
DEMO_TABLES = {"qualification": "qualification", "real-world": "real_world"}  # by track


@dataclass(frozen=True)
class Resources:
    """What assessing may use of the machine.

    Parameters
    ----------
    timeout : float
        CPU seconds that one step on one model may take.
    jobs : int, optional
        Number of worker processes; by default one for each usable core.
    scheduler : str, optional
        Address of a Dask scheduler that does the work in place of local processes.
    cache : Cache, optional
        Where measured answers are stored; by default in the user's cache folder.
    on_progress : callable, optional
        Called with the numbers of measured and of all models, whenever one is measured.
    """

    timeout: float = 10.0
    jobs: int | None = None
    scheduler: str | None = None
    cache: Cache | None = None
    on_progress: Callable[[int, int], None] | None = None


KINDS = {
    "identical": "the truth",
    "offset": "the truth plus {constant:.6g}",
    "scale": "{constant:.6g} times the truth",
    "form": "the truth with other free constants",
    "different": "not the truth",
    "constant": "a constant",
    "unknown": "not known to be the truth",
}  # in words, by kind of solution


@dataclass(frozen=True, repr=False, eq=False)
class MeasuredModel(Result):
    """A model text that was measured like a run of a team; see `Competition.measure_model`.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row with the columns of the assessments; the method is `(typed)`.
    """

    frame: pd.DataFrame

    title = "Measured model"
    equations = ("model",)

    @property
    def sentences(self) -> list[str]:
        """What the model is beside the truth, its test R2 and its size; or the reason why it has none."""
        row = self.frame.iloc[0]
        kind = KINDS.get(row["solution_kind"], "no truth is known")
        parts = [kind.format(constant=row["solution_constant"])]
        if pd.notna(row["r2_test"]):
            parts.append(f"test R² {row['r2_test']:.3f}")
        if pd.notna(row["complexity"]):
            parts.append(counted(row["complexity"], "component"))
        first, *numbers = parts
        return [f"{'; '.join([first, ', '.join(numbers)])}."]


@dataclass(frozen=True)
class Competition:
    """A competition; methods return results or changed copies, and never change the competition itself.

    Parameters
    ----------
    runs : RunTable
        Runs or assessed runs.
    problems : Problems
        The datasets, their truths and data.
    rules : Rules
        What is measured, and how it becomes a ranking.
    qualified : QualificationTable, optional
        Table of the qualification. Who may be ranked follows from it by the rules; None: all methods are ranked.
    resources : Resources
        Limits and processes of assessing.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022").judge()
    >>> judgement.ranking["method"][0]
    'sparse-polynomial'
    """

    runs: RunTable
    problems: Problems
    rules: Rules
    qualified: QualificationTable | None = None
    resources: Resources = Resources()

    @classmethod
    def read(
        cls,
        runs: RunSources,
        problems: str | Path | Problems,
        rules: str | Path | Rules = "judging-2022",
        *,
        qualified: str | Path | pd.DataFrame = "",
        layout: str | None = None,
        names: Mapping[str, str] = {},
        aliases: Mapping[str, str] = {},
        data_root: str | Path | None = None,
        resources: Resources = Resources(),
    ) -> Self:
        """Read a competition from files, names of shipped files, and DataFrames.

        Parameters
        ----------
        runs : str, Path, DataFrame, or a sequence of them
            Runs or assessed runs, or 'demo'; see `srlib.read_runs`.
        problems : str or Path
            Problem file, folder in PMLB's layout, or shipped name.
        rules : str or Path
            Rules file or shipped name.
        qualified : str, Path or DataFrame
            Table of the qualification (qualification.csv or verdicts.csv), or 'demo'; empty: all methods are ranked.
        layout : str, optional
            Name or file of the tables' layout, if it is not recognised.
        names : mapping of str to str
            How each method names features in its texts: {METHOD: 'features', 'x0' or 'x1'}.
        aliases : mapping of str to str
            Names of methods, as {name in the tables: name that is used}; refused where two runs become one.
        data_root : str or Path, optional
            Folder of the data, in place of the one that the problem file names.
        resources : Resources
            Limits and processes of assessing.

        Returns
        -------
        Competition
            Nothing is assessed yet.

        Raises
        ------
        InputError
            When an input is not valid; the message names file, row or key, what was expected and what came.

        Examples
        --------
        >>> Competition.read("demo", "synthetic-2022", "proposal-2022").rules.name
        'proposal-2022'
        """
        problem_list = load_problems(problems, data_root)
        tracks = {problem.track for problem in problem_list.problems}
        demo_table = DEMO_TABLES.get(tracks.pop() if len(tracks) == 1 else "", "assessments")
        sources = [
            DEMO / f"{demo_table}.parquet" if is_demo(source) else source
            for source in list_sources(runs)
        ]
        table = None
        if isinstance(qualified, str) and qualified == "demo":
            cells = cls.read("demo", "qualification-2022").qualify().cells
            table = QualificationTable(cells, "demo")
        elif isinstance(qualified, pd.DataFrame) or qualified:
            table = QualificationTable.read(qualified)
        run_table = read_runs(sources, layout, names, aliases)
        return cls(run_table, problem_list, load_rules(rules), table, resources)

    @property
    def gate(self) -> Gate:
        """Who may be ranked, by these rules."""
        return Gate() if self.qualified is None else self.qualified.gate(self.rules)

    def assess(self, all_parts: bool = False) -> Self:
        """Return the competition with assessed runs; runs whose assessment is current are not measured again.

        Texts are processed in separate processes with time and memory limits, and answers are cached ($SRLIB_CACHE).
        Scripts need no ``if __name__ == "__main__"``: the processes do not import the caller's file.

        Parameters
        ----------
        all_parts : bool
            Whether all parts are measured, also those that no aspect of the rules needs.

        Raises
        ------
        InputError
            When a truth cannot be read or data are missing.
        InterruptedResultsError
            When processes were killed from outside; answers up to then are stored.

        Examples
        --------
        >>> Competition.read("demo", "synthetic-2022").assess().runs
        RunTable: 1,020 assessed runs: 6 methods on 17 datasets.
        """
        options = vars(self.resources).copy()
        with report_to(options.pop("on_progress")):
            frame = complete_assessments(
                self.runs,
                self.problems,
                self.rules.measure,
                judge_rules=None if all_parts else self.rules.judge,
                **options,
            )
        return replace(self, runs=replace(self.runs, frame=frame, kind="assessments"))

    def judge(self) -> Judgement:
        """Rank the methods by the rules; runs without a current assessment are assessed first.

        Returns
        -------
        Judgement
            Ranking, scores, aspects and ledger; higher scores are better.

        Raises
        ------
        NothingScoredError
            When no run could be scored; the `ledger` of the error's `judgement` states the reason for each run.
        InputError
            When no run is on a dataset that the rules score, or an input of assessing is not valid.

        Examples
        --------
        >>> Competition.read("demo", "synthetic-2022", qualified="demo").judge().ranking["method"].tolist()[:2]
        ['sparse-polynomial', 'deap']
        """
        # fails early if no run is on a scored dataset, as assessing takes long
        select_problems(self.runs.frame["dataset"].unique(), self.problems, self.rules.judge)
        runs = self.assess().runs
        reading = runs.notices, runs.unread_lines
        return judge(runs.frame, self.problems, self.rules, self.gate, *reading).checked()

    def robustness(self, resamples: int = 10_000, seed: int = 0) -> Robustness:
        """Examine whether the winner depends on a rule, a run, a dataset or a method.

        Parameters
        ----------
        resamples : int
            Number of re-draws of sources and runs.
        seed : int
            Seed of the resampling.

        Raises
        ------
        InputError
            When `resamples` or `seed` is no whole number, or as for `judge`.

        Examples
        --------
        >>> two = Competition.read("demo", "synthetic-2022").without(["deap", "ffx", "pyoperon", "LinearRegression"])
        >>> two.robustness(resamples=50).readings.winners
        ('sparse-polynomial',)
        """
        return examine(self.judge(), resamples, seed)

    def qualify(self) -> Qualification:
        """Compare every method with the baseline of the rules, on the problems of the track `qualification`.

        R2 is computed if the problem file has the data of all datasets of the stage, as files or recipes. Otherwise,
        also for datasets of PMLB, which would have to be downloaded, the R2 that the runs report is used.

        Raises
        ------
        InputError
            When no run is on such a dataset, no run has a test R2, or the baseline has no usable run.

        Examples
        --------
        >>> Competition.read("demo", "qualification-2022").qualify().verdicts["method"][0]
        'ffx'
        """
        stage = [p for p in self.problems.problems if p.track == "qualification"]
        if any(problem.data is None or problem.data.pmlb for problem in stage):
            return qualify(self.runs.frame, self.problems, self.rules)
        judge_rules = self.rules.judge.model_copy(update={"aspects": R2_ASPECTS})
        quick = replace(self, rules=self.rules.model_copy(update={"judge": judge_rules}))
        return qualify(quick.assess().runs.frame, self.problems, self.rules)

    def measure_model(self, text: str, dataset: str) -> MeasuredModel:
        """Measure a model text on a dataset like a run of a team, and compare it with the truth.

        Parameters
        ----------
        text : str
            The text, in the names of the dataset's features.
        dataset : str
            A dataset of the problems.

        Raises
        ------
        InputError
            When the dataset is unknown.
        ModelTextError
            When the text cannot be read; `text` and `position` say where.

        Examples
        --------
        >>> competition = Competition.read("demo", "synthetic-2022")
        >>> competition.measure_model("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 3.5", "exact_formula_easier")
        MeasuredModel: the truth plus 2.5; test R² 0.920, 12 components.
        """
        require_known(dataset, [each.dataset for each in self.problems.problems], "dataset")
        problem = self.problems.find(dataset)
        assert problem is not None
        parse(text, problem.features)
        run = {"method": TYPED, "dataset": dataset, "repetition": problem.first_seed, "model": text}
        runs = read_runs(pd.DataFrame([run]))
        return MeasuredModel(replace(self, runs=runs).assess(all_parts=True).runs.frame)

    def choose_representatives(self) -> Representatives:
        """Choose the model of each method that experts see on each dataset of the track `real-world`.

        Raises
        ------
        InputError
            When no run is on such a dataset, or none of them can be used.

        Examples
        --------
        >>> len(Competition.read("demo", "diabetes").choose_representatives().models)
        6
        """
        runs = self.assess(all_parts=True).runs
        return choose_representatives(runs.frame, self.problems, self.rules.judge)

    def with_rules(self, rules: str | Path | Rules) -> Self:
        """Return the competition under other rules.

        Parameters
        ----------
        rules : str or Path
            Rules file or shipped name.

        Raises
        ------
        InputError
            When the rules are not valid.

        Examples
        --------
        >>> Competition.read("demo", "synthetic-2022").with_rules("judging-2026").rules.name
        'judging-2026'
        """
        return replace(self, rules=load_rules(rules))

    def with_switches(self, switches: Mapping[str, Any]) -> Self:
        """Return the competition with other values of switches of the judge block.

        Parameters
        ----------
        switches : mapping of str to value
            Values by path, such as ``{"ties": "min", "aspects.accuracy.weight": 2.0}``.

        Raises
        ------
        InputError
            When a switch is unknown, a value is not allowed, or the switches exclude each other.

        Examples
        --------
        >>> Competition.read("demo", "synthetic-2022").with_switches({"ties": "min"}).rules.judge.ties
        'min'
        """
        return replace(self, rules=self.rules.with_switches(switches))

    def with_runs(self, own: RunSources) -> Self:
        """Return the assessed competition with further runs; a method whose name is taken becomes 'NAME (yours)'.

        Parameters
        ----------
        own : str, Path, DataFrame, or a sequence of them
            Runs; see `srlib.read_runs`.

        Raises
        ------
        InputError
            When the runs are not valid.

        Examples
        --------
        >>> mine = {"method": "deap", "dataset": ["noise_easy"], "repetition": [1], "model": ["x1"]}
        >>> Competition.read("demo", "synthetic-2022").with_runs(pd.DataFrame(mine)).runs.methods[2]
        'deap (yours)'
        """
        field, table = self.assess(), read_runs(own)
        own_names = {name: f"{name} (yours)" for name in field.runs.methods}
        own_table = replace(table, frame=table.frame.replace({"method": own_names}))
        own_runs = replace(self, runs=own_table).assess().runs
        frame = pd.concat([field.runs.frame, own_runs.frame], ignore_index=True)
        runs = replace(
            field.runs,
            frame=set_types(frame, ASSESSMENTS.columns),
            notices=(*field.runs.notices, *own_runs.notices),
            unread=(*field.runs.unread, *own_runs.unread),
        )
        return replace(field, runs=runs)

    def without(self, methods: Collection[str] = (), datasets: Collection[str] = ()) -> Self:
        """Return the competition without the runs of some methods or on some datasets.

        Parameters
        ----------
        methods, datasets : collection of str
            Names to leave out.

        Raises
        ------
        InputError
            When a name has no run, or no run is left.

        Examples
        --------
        >>> Competition.read("demo", "synthetic-2022").without(methods=["deap"]).runs.methods[1]
        'ffx'
        """
        frame = leave_out(self.runs.frame, methods, datasets)
        return replace(self, runs=replace(self.runs, frame=frame))
