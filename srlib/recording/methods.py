"""Method files (parameters/methods/*.yaml): what to run, with what parameters, and where its model stands."""

import importlib
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from srlib.errors import InputError
from srlib.files import digest, shipped
from srlib.yaml_files import Strict, load_yaml, validate

Name = Annotated[str, Field(min_length=1)]
Reference = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]


class NotImportableError(ImportError):
    """What a method is made of cannot be imported; such a failure is never kept."""


class ModelText(Strict):
    """Where a fitted estimator keeps its model: attribute, method, or a function of `recording.texts`."""

    attribute: Name | None = None
    """attribute of the fitted estimator that holds the text"""
    method: Name | None = None
    """method that returns the text"""
    arguments: dict[str, Any] = {}
    """what that method takes"""
    text: (
        Literal["linear", "polynomial", "gplearn", "operon", "deap", "ffx", "participant"] | None
    ) = None
    """one of srlib's own writers"""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(map(bool, (self.attribute, self.method, self.text))) != 1:
            raise ValueError("exactly one of attribute, method and text was expected")
        if self.arguments and not self.method:
            raise ValueError("arguments belong to a method only")
        return self


class Method(Strict):
    """One method."""

    name: Name
    """its name in all tables"""
    estimator: Reference
    """MODULE:CLASS with scikit-learn's fit and predict"""
    parameters: dict[str, Any] = {}
    """arguments of the class; {estimator: ..., parameters: ...} stands for such an object"""
    seed_parameter: Name | None = None
    """argument that takes the run's seed"""
    names_parameter: Name | None = None
    """argument that takes the list of feature names"""
    model: ModelText
    """where a fitted estimator keeps its model"""
    names: Literal["features", "x0", "x1", "auto"] = "features"
    """how the text names features: by their names, by position from x0 or x1, or as each text tells (auto)"""
    warm_up: Annotated[str, Field(pattern=r"^(fit|[A-Za-z_][\w.]*:[A-Za-z_][\w.]*)$")] | None = None
    """MODULE:FUNCTION called before the clock starts, or fit: once on the first ten rows"""
    package: Name | None = None
    """module whose version is reported, where it is not the estimator's own"""
    budget: dict[str, Any] = {}
    """what the method may spend, as stated; for the reports"""
    threads: Annotated[int, Field(ge=1)] = 1
    """threads that a run may use"""

    @model_validator(mode="before")
    @classmethod
    def _with_model(cls, entry: Any) -> Any:
        if isinstance(entry, dict) and entry.get("model") is None:
            raise ValueError(
                "the key model is missing; it says where the text stands: {attribute: NAME}, "
                "{method: NAME}, or {text: KIND} for a writer of srlib"
            )
        return entry

    def digest(self) -> str:
        """Hash of the whole entry, in hexadecimal."""
        return digest(self.model_dump(mode="json", exclude={"package"}))


class MethodFile(Strict):
    """The file as it stands."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    """version of this layout: 1"""
    methods: Annotated[tuple[Method, ...], Field(min_length=1)]
    """one entry for each method"""

    @model_validator(mode="after")
    def _unique(self) -> Self:
        names = [method.name for method in self.methods]
        for name, count in Counter(names).items():
            if count > 1:
                raise ValueError(f"method {name} is listed twice in methods")
        return self


def load_methods(name_or_path: str | Path) -> tuple[Method, ...]:
    """Read a method file.

    Parameters
    ----------
    name_or_path : str or Path
        A YAML file, or the bare name of a shipped one.

    Raises
    ------
    InputError
        One sentence that names the file and the key.

    Examples
    --------
    >>> [method.name for method in load_methods("demo")][0]
    'LinearRegression'
    """
    path = shipped("methods", name_or_path)
    return validate(MethodFile, load_yaml(path), path).methods


def build(method: Method, features: tuple[str, ...], seed: int) -> Any:
    """Make the estimator of one run.

    Raises
    ------
    NotImportableError
        When its module or class cannot be imported.
    Exception
        Whatever the class raises.
    """
    extra: dict[str, Any] = {}
    if method.seed_parameter:
        extra[method.seed_parameter] = seed
    if method.names_parameter:
        extra[method.names_parameter] = list(features)
    return find(method.estimator)(
        **{key: _made(value) for key, value in method.parameters.items()}, **extra
    )


def find(reference: str) -> Any:
    """Import MODULE:NAME; modules of the current folder can be imported, too.

    Raises
    ------
    NotImportableError
        When there is no such module, it raises while it is imported, or has no such name.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    module, _, name = reference.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise NotImportableError(f"{reference}: {type(error).__name__}: {error}") from error
    return found


def _made(value: Any) -> Any:
    """Build the nested estimators and the tuples of a parameter."""
    if (
        isinstance(value, dict)
        and "estimator" in value
        and set(value) <= {"estimator", "parameters"}
    ):
        if not isinstance(value["estimator"], str) or ":" not in value["estimator"]:
            raise InputError(f"estimator: MODULE:CLASS was expected, got {value['estimator']!r}")
        return find(value["estimator"])(
            **{key: _made(v) for key, v in value.get("parameters", {}).items()}
        )
    if isinstance(value, dict):
        return {key: _made(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        numbers = all(isinstance(v, (int, float)) for v in value)
        if numbers:
            return tuple(value)
        return [_made(v) for v in value]
    return value
