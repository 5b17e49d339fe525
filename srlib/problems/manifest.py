"""The problem file's schema: what is stated of a dataset, checked for contradictions."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from srlib import limits
from srlib.files import digest
from srlib.problems.generators import GENERATORS
from srlib.yaml_files import About, Strict, Text

Property = Literal[
    "solution", "relevant_features", "local_optima", "extrapolation", "noise_sensitivity"
]
Name = Annotated[str, Field(min_length=1)]
_computed = property  # the class below has a field of that name
Level = Annotated[float, Field(ge=0, lt=1)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
End = Annotated[float, Field(allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, le=limits.WHOLE_NUMBER)]
Names = Annotated[tuple[Name, ...], Field(max_length=limits.FEATURES)]


class Data(Strict):
    """Where a dataset's rows come from: one of a generator, files, and PMLB."""

    generator: Name | None = None
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
    train_share: Annotated[float, Field(gt=0, lt=1)] = 0.75
    """share of the rows of file or pmlb that are for training"""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        files = self.train or self.test or self.extrapolation
        if sum(map(bool, (self.generator, files, self.file, self.pmlb))) != 1:
            raise ValueError(
                "exactly one of generator, test (a file), file (of all rows) and pmlb was expected"
            )
        if files and not self.test:
            raise ValueError("a test file was expected beside the others")
        if self.generator and self.generator not in GENERATORS:
            raise ValueError(
                f"generator must be one of {', '.join(GENERATORS)}, got {self.generator!r}"
            )
        if self.arguments and not self.generator:
            raise ValueError("arguments belong to a generator only")
        ratio = self.arguments.get("ratio", 0)
        if not (isinstance(ratio, int | float) and 0 <= ratio < 1):
            raise ValueError(
                f"arguments.ratio: a noise level in [0, 1) was expected, got {ratio!r}"
            )
        for key, value in self.arguments.items() if self.generator != "formula" else ():
            if isinstance(value, int | float) and not abs(value) <= limits.FEATURES:
                raise ValueError(
                    f"arguments.{key}: a number of at most {limits.FEATURES} was expected, got {value}"
                )
        if len({*self.files.values()}) < len(self.files):
            raise ValueError(
                f"partitions overlap: one file stands for two, {', '.join(self.files.values())}"
            )
        return self

    @property
    def apart(self) -> bool:
        """Whether there are extrapolation rows apart from the test rows."""
        return bool(self.extrapolation or self.arguments.get("extrapolation"))

    @property
    def files(self) -> dict[str, str]:
        """The stated file names by key."""
        named = {"file": self.file, "train": self.train, "test": self.test}
        named["extrapolation"] = self.extrapolation
        return {partition: name for partition, name in named.items() if name}


class Defaults(Strict):
    """Values of problems that do not state their own."""

    track: Name | None = None
    """track of the problems that state none"""
    property: Property | None = None
    """property of the problems that state none"""
    family: str | None = None
    """family of the problems that state none"""
    difficulty: str | None = None
    """difficulty of the problems that state none"""
    features: Names | None = None
    """features of the problems that state none"""
    target: Name | None = None
    """target of the problems that state none"""
    scored: bool | None = None
    """whether problems that do not say so are scored"""
    weight: Weight | None = None
    """weight of the problems that state none"""
    data_seeds: tuple[Seed, ...] | None = None
    """seeds of the problems that state none"""
    numbered: bool | None = None
    """for the problems that do not say: whether a repetition is a number before it is a seed"""


class Problem(Strict):
    """One dataset and what is known about it."""

    dataset: Name
    """its name; one entry for each noise level"""
    track: Name = "synthetic"
    """rules score the tracks that they name"""
    property: Property | None = None
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
    irrelevant: Names | None = None
    """features that it does not depend on; the others are relevant"""
    surrogates: Names | None = None
    """features that approximate a part of the truth and lead into local optima"""
    noise_level: Level = 0.0
    """share of the target's variance that is noise, from 0 to below 1"""
    noise_reference: str | None = None
    """the dataset with less noise that this one is compared with"""
    domain: dict[str, tuple[End, End]] | None = None
    """range of each feature, such as {x1: [-5, 5]}; else as seen in the data, else 1 to 5"""
    data: Data | None = None
    """where the rows come from; without data, R2 is the one that the runs report"""
    data_seeds: tuple[Seed, ...] = ()
    """seeds of the data; each makes, splits or names one set of rows"""
    numbered: bool = False
    """true where a repetition that could be a number or a seed is a number, 1 for the first of data_seeds"""
    scored: bool = True
    """false for a dataset that is a reference only"""
    weight: Weight = 1.0
    """how often the dataset counts in the final score"""
    description: Text | None = None
    """what the dataset is about, for everybody; stands on the pages"""
    task: str | None = None
    """what is predicted from what, in a few sentences, for the expert who judges the models"""
    _root: Path = PrivateAttr(default=Path())

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, content: Any) -> Any:
        """Derive irrelevant from relevant and the other way round."""
        if not isinstance(content, dict) or not isinstance(content.get("features"), (list, tuple)):
            return content
        for stated, other in (("relevant", "irrelevant"), ("irrelevant", "relevant")):
            known = content.get(stated)
            if isinstance(known, (list, tuple)) and content.get(other) is None:
                stated_names = set(map(str, known))
                rest = tuple(n for n in content["features"] if str(n) not in stated_names)
                return content | {other: rest}
        return content

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.features)) < len(self.features):
            raise ValueError(f"dataset {self.dataset}: a feature is listed twice in features")
        features = set(self.features)
        for key in ("relevant", "irrelevant", "surrogates", "domain"):
            for name in getattr(self, key) or () if features else ():
                if name not in features:
                    raise ValueError(
                        f"dataset {self.dataset}: {key} names {name!r}, which is not in features"
                    )
        for key in ("irrelevant", "surrogates"):
            both = set(self.relevant or ()) & set(getattr(self, key) or ())
            if both:
                raise ValueError(
                    f"dataset {self.dataset}: {min(both)!r} is both in relevant and in {key}"
                )
        for name, (low, high) in (self.domain or {}).items():
            if not low < high:
                raise ValueError(
                    f"dataset {self.dataset}: domain of {name!r}: low < high expected, got {low}:{high}"
                )
        for name in self.constants:
            if name in features or name not in (self.truth or ""):
                raise ValueError(
                    f"dataset {self.dataset}: constants names {name!r}, which must be in the truth and be no feature"
                )
        if len(set(self.data_seeds)) < len(self.data_seeds):
            raise ValueError(f"dataset {self.dataset}: a seed is listed twice in data_seeds")
        if self.property == "noise_sensitivity" and self.noise_reference is None and self.scored:
            raise ValueError(
                f"dataset {self.dataset}: property noise_sensitivity needs a noise_reference"
            )
        # tells its own, when it is read
        recipe = self.data is not None and self.data.generator == "formula"
        if self.property == "local_optima" and not (self.surrogates or recipe):
            raise ValueError(f"dataset {self.dataset}: property local_optima needs surrogates")
        return self

    def __hash__(self) -> int:
        """Hash what an assessment reads; problems that are equal have equal data."""
        return hash(self.digest)

    @_computed
    def root(self) -> Path:
        """Folder that file names in `data` are relative to."""
        return self._root

    @_computed
    def known_truth(self) -> str | None:
        """Return the truth if all of its constants have values; None where it states a form only."""
        if self.constants:
            return None
        return self.truth

    @_computed
    def known_names(self) -> tuple[str, ...]:
        """Name what a truth may use: features, then constants of any value."""
        return (*self.features, *self.constants)

    @_computed
    def digest(self) -> str:
        """Hash of all that an assessment reads from here (of the data, their own hash is what counts)."""
        keys = {"dataset", "features", "target", "truth", "domain", "data", "numbered", "constants"}
        return digest({key: value for key, value in self.content.items() if key in keys})

    @_computed
    def content(self) -> dict[str, Any]:
        """All that is judged by; keys that came later only where they are stated, so that older digests stand."""
        found = self.model_dump(mode="json", exclude={"description"})
        if not self.numbered:
            del found["numbered"]
        if not self.constants:
            del found["constants"]
        if self.data is not None and self.data.file is None:
            del found["data"]["file"]
        return found


class Manifest(About):
    """A problem file as it stands."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    """version of this layout: 1"""
    name: Name
    """name of the problems, as reports show it"""
    data_root: str = "."
    """folder of the data files, relative to this file"""
    defaults: Defaults = Defaults()
    """values of problems that do not state their own"""
    problems: Annotated[tuple[Problem, ...], Field(min_length=1)]
    """one entry for each dataset"""

    @model_validator(mode="before")
    @classmethod
    def _apply_defaults(cls, content: Any) -> Any:
        """Fill what a problem leaves out from the defaults block."""
        if isinstance(content, dict) and isinstance(content.get("defaults"), dict):
            defaults, problems = content["defaults"], content.get("problems")
            known = {key: value for key, value in defaults.items() if key in Defaults.model_fields}
            if isinstance(problems, list):
                values = sum(len(v) if isinstance(v, (list, str)) else 1 for v in known.values())
                if values * len(problems) > limits.FILLED:
                    raise ValueError(
                        f"defaults: at most {limits.FILLED} values were expected in all problems together, "
                        f"got {values} for each of {len(problems)}"
                    )
                filled = [known | entry if isinstance(entry, dict) else entry for entry in problems]
                return content | {"problems": filled}
        return content

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        levels: dict[str, float] = {}
        for problem in self.problems:
            if problem.dataset in levels:
                raise ValueError(f"dataset {problem.dataset} is listed twice in problems")
            levels[problem.dataset] = problem.noise_level
        for problem in self.problems:
            if problem.noise_reference is None:
                continue
            if problem.noise_reference not in levels:
                reference = f"noise_reference {problem.noise_reference!r}"
                raise ValueError(
                    f"dataset {problem.dataset}: {reference} is no dataset of this file"
                )
            if levels[problem.noise_reference] == problem.noise_level:
                raise ValueError(
                    f"dataset {problem.dataset}: noise_level is that of its noise_reference"
                )
        return self
