"""Datasets of a problem file, with checks of their keys, and collections of all datasets of a file."""

import builtins
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import mode
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, FiniteFloat, NonNegativeInt, model_validator

from srlib import limits
from srlib.files import digest
from srlib.problems.generators import GENERATORS, Ratio, Share
from srlib.yaml_files import Strict, Text


def refuse_repeats(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values unchanged; raise ValueError if a value is listed twice."""
    if len(set(values)) < len(values):
        raise ValueError(f"{mode(values)!r} is listed twice")
    return values


Property = Literal[
    "solution", "relevant_features", "local_optima", "extrapolation", "noise_sensitivity"
]
Name = Annotated[str, Field(min_length=1)]
Distinct = AfterValidator(refuse_repeats)
Names = Annotated[tuple[Name, ...], Field(max_length=limits.FEATURES), Distinct]


class Data(Strict):
    """Source of a dataset's rows: one of a generator, files, and PMLB."""

    generator: Annotated[str, Field(pattern=f"^({'|'.join(GENERATORS)})$")] | None = None
    """name of a generator that makes the rows: one of srlib's own tasks, or formula"""
    arguments: dict[str, Any] = {}
    """what the generator takes; those of formula are keys of their own here"""
    train: Name | None = None
    """file of the training rows; {data_seed} in its name stands for the seed"""
    test: Name | None = None
    """file of the test rows, on which accuracy is measured"""
    extrapolation: Name | None = None
    """file of rows outside the training range"""
    file: Name | None = None
    """one file of all rows, which the seed splits by train_share"""
    pmlb: Annotated[str, Field(pattern=r"^\w[\w.-]*$")] | None = None
    """name of a PMLB dataset, whose rows are split by the seed"""
    train_share: Share = 0.75
    """share of the rows of file or pmlb that are for training"""

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        """Return the data; raise ValueError unless they have exactly one source."""
        sources = [self.generator, self.test, self.file, self.pmlb]
        if sources.count(None) != 3 or (not self.test and (self.train or self.extrapolation)):
            raise ValueError(
                "exactly one of generator, test (a file, perhaps with train and extrapolation), file (of all rows) and "
                "pmlb was expected"
            )
        return self


class Problem(Strict):
    """One dataset and what is known about it."""

    dataset: Name
    """its name; one entry for each noise level"""
    track: Name = "synthetic"
    """rules score the tracks that they name"""
    property: Property | None = None  # so properties of this class are `builtins.property`
    """what the dataset tests beside accuracy and simplicity"""
    family: str | None = None
    """group of datasets, for tables and figures"""
    difficulty: str | None = None
    """easy, medium, hard; for tables and figures"""
    features: Names = ()
    """names of the columns that models may use, in order; else all but the target"""
    target: Name | None = None
    """column that is predicted; else the last one"""
    truth: Name | None = None
    """the formula in the features' names: a model equal to it, up to a constant, is a solution"""
    constants: Names = ()
    """names in the truth that stand for constants of any value, for rules with solution_constants: free"""
    relevant: Names | None = None
    """features that the target depends on; the others are irrelevant"""
    surrogates: Names | None = None
    """features that approximate a part of the truth and lead into local optima"""
    noise_level: Ratio = 0.0
    """share of the target's variance that is noise, from 0 to below 1"""
    noise_reference: str | None = None
    """the dataset with less noise that this one is compared with"""
    domain: dict[str, tuple[FiniteFloat, FiniteFloat]] | None = None
    """range of each feature, such as {x1: [-5, 5]}; else as seen in the data, else 1 to 5"""
    data: Data | None = None
    """where the rows come from; without data, R2 is the one that the runs report"""
    data_seeds: Annotated[tuple[NonNegativeInt, ...], Distinct] = ()
    """seeds of the data, one for each repetition; each makes, splits or names its rows"""
    numbered: bool | None = None
    """how a repetition that can be both is read: true as a place in data_seeds (1 is the first), false as a seed"""
    scored: bool = True
    """false for a dataset that is a reference only"""
    weight: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    """how often the dataset counts in the final score"""
    description: Text | None = None
    """what the dataset is about, for everybody; stands on the pages"""
    task: str | None = None
    """what is predicted from what, in a few sentences, for the expert who judges the models"""
    _root: Path = Path()

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        """Return the problem; raise ValueError if its keys contradict each other."""
        for key in ("relevant", "surrogates", "domain"):
            unknown = sorted(set(getattr(self, key) or ()).difference(self.features))
            if self.features and unknown:
                raise ValueError(f"{self}: {key} names {unknown[0]!r}, which is not in features")
        if self.target in self.features:
            raise ValueError(f"{self}: the target {self.target!r} is also in features")
        for name, (low, high) in (self.domain or {}).items():
            if low >= high:
                raise ValueError(
                    f"{self}: domain of {name!r}: low < high expected, got {low}:{high}"
                )
        for name in self.features:
            if name in self.constants:
                raise ValueError(f"{self}: constants names {name!r}, which is also in features")
        for number, seed in enumerate(self.data_seeds, start=1):
            if self.numbered is None and number != seed and number in self.data_seeds:
                raise ValueError(
                    f"{self}: data_seeds: {number} is a seed and the number of another seed: state numbered: true "
                    f"(repetition {number} is that number) or numbered: false (it is the seed)"
                )
        if self.property == "noise_sensitivity" and self.noise_reference is None and self.scored:
            raise ValueError(f"{self}: property noise_sensitivity needs a noise_reference")
        return self

    def __str__(self) -> str:
        """Return 'dataset NAME', for the start of a message."""
        return f"dataset {self.dataset}"

    def __hash__(self) -> int:
        """Return the hash of name and folder, which are equal for equal problems."""
        return hash((self.dataset, self._root))

    @builtins.property
    def root(self) -> Path:
        """Folder that file names in `data` are relative to."""
        return self._root

    @builtins.property
    def files(self) -> dict[str, str]:
        """Names of the data files by key of `data`; empty if the rows do not come from files."""
        keys = {"train", "test", "extrapolation", "file"}
        return self.data.model_dump(include=keys, exclude_none=True) if self.data else {}

    @builtins.property
    def irrelevant(self) -> tuple[str, ...]:
        """Features that are not relevant; empty if the relevant ones are not stated."""
        relevant = frozenset(self.features if self.relevant is None else self.relevant)
        return tuple(name for name in self.features if name not in relevant)

    def expected_runs(self, repetitions: int) -> int:
        """Return the number of runs expected of a method: `repetitions`, or one per data seed if these are fewer."""
        return min(repetitions, len(self.data_seeds) or repetitions)

    @builtins.property
    def first_seed(self) -> int:
        """Seed of the data of the first repetition."""
        return (*self.data_seeds, 1)[0]

    def data_seed(self, repetition: int) -> int | None:
        """Return the seed of the data that a repetition uses.

        With several data seeds, a repetition is a seed or the position of a seed, counted from 1; a number that can be
        both is a position if `numbered` is true, else a seed. With a single data seed, all repetitions use this seed.
        Without data seeds, the repetition itself is the seed.

        Returns
        -------
        int or None
            None if no data seed fits the repetition.

        Examples
        --------
        >>> problem = Problem(dataset="d", data_seeds=(21, 22))
        >>> problem.data_seed(2), problem.data_seed(21), problem.data_seed(3)
        (22, 21, None)
        """
        seeds = self.data_seeds
        if len(seeds) < 2:
            return seeds[0] if seeds else repetition
        is_seed = repetition in seeds
        if 1 <= repetition <= len(seeds) and (self.numbered or not is_seed):
            return seeds[repetition - 1]
        return repetition if is_seed else None

    @builtins.property
    def known_truth(self) -> str | None:
        """Truth if all of its constants have values; None if it is not stated or only a form with free constants."""
        return None if self.constants else self.truth

    @builtins.property
    def digest(self) -> str:
        """Hash of all fields that an assessment depends on; the rows of the data have their own hash."""
        keys = {"dataset", "features", "target", "truth", "domain", "data"}
        # keys that were introduced later are only hashed if they are stated, so that older digests stay valid
        keys |= {key for key in ("numbered", "constants") if getattr(self, key)}
        content = self.model_dump(mode="json", include=keys)
        if self.data and not self.data.file:
            del content["data"]["file"]
        return digest(content)


@dataclass(frozen=True)
class Problems:
    """The problems of one file or folder.

    Attributes
    ----------
    name : str
        Name that the file states, or name of the folder.
    path : Path
        File or folder that was read.
    problems : tuple of Problem
        Problems in the order of the file, or sorted by name.
    about : dict of str to str
        Information in the file about the competition: date, deadline, contact, description.
    """

    name: str
    path: Path
    problems: tuple[Problem, ...]
    about: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _by_name(self) -> dict[str, Problem]:
        """Problems by the name of their dataset."""
        return {problem.dataset: problem for problem in self.problems}

    def find(self, dataset: str) -> Problem | None:
        """Return the problem of a dataset.

        A problem file lists each noise level as a separate dataset. In a folder in PMLB's layout, `NAME@LEVEL` is the
        dataset NAME with this noise level, as in SRBench.

        Returns
        -------
        Problem or None
            None if there is no such dataset, or LEVEL is not a number in [0, 1).

        Examples
        --------
        >>> from srlib.problems import load_problems
        >>> problems = load_problems("synthetic-2022")
        >>> problems.find("noise_base").noise_level
        0.0
        >>> problems.find("noise_base@0.2") is None
        True
        """
        problem = self._by_name.get(dataset)
        if problem or not self.path.is_dir():
            return problem
        name, _, level = dataset.rpartition("@")
        with suppress(KeyError, ValueError):
            if 0 <= float(level) < 1:
                return self._by_name[name].model_copy(
                    update={"dataset": dataset, "noise_level": float(level)}
                )
        return None

    def origin(self, dataset: str) -> tuple[str, str]:
        """Return name and family of the dataset at the end of this dataset's chain of noise references.

        For a dataset without a reference these are its own name and family. The family is empty if it is not stated.

        Examples
        --------
        >>> from srlib.problems import load_problems
        >>> load_problems("synthetic-2022").origin("noise_easy")[0]
        'noise_base'
        """
        problem = self.find(dataset)
        while problem and problem.noise_reference:
            problem = self.find(problem.noise_reference)
        return (problem.dataset, problem.family or "") if problem else (dataset, "")
