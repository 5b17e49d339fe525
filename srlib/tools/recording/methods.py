"""Methods: method files (parameters/methods/*.yaml), a participant's estimator, and SRBench's regressor.py."""

import importlib.metadata
import inspect
import pkgutil
import re
import runpy
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mode
from typing import Annotated, Any, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from srlib.errors import InputError, require
from srlib.files import digest, sha256, shipped
from srlib.yaml_files import Strict, load_yaml, validate

TIME_LIMIT_S = 600.0  # for one run, and for importing an estimator
# names of time limits in seconds, in SRBench's files
TIME_LIMIT_NAMES = ("max_time", "timeout", "time_limit", "max_seconds")
SUPPORTED_SETTINGS = {"test_params", "use_dataframe", "pre_train", "max_train_samples",
                      "skip_tuning"}  # fmt: skip
MODULE_ENDS = (".py", "/__init__.py")
Name = Annotated[str, Field(min_length=1)]
Reference = Annotated[str, Field(pattern=r"^([A-Za-z_][\w.]*:[A-Za-z_][\w.]*|.+\.py)$")]


class ModelText(Strict):
    """Source of a fitted estimator's model text: an attribute, or a writer of `srlib.tools.recording.texts`."""

    attribute: Name | None = None
    """attribute of the fitted estimator that holds the text, or method without arguments that returns it"""
    text: Literal["linear", "polynomial", "gplearn", "operon", "participant"] | None = None
    """writer of srlib; participant: the estimator's attribute `model`"""

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if bool(self.attribute) == bool(self.text):
            raise ValueError("exactly one of attribute and text was expected")
        return self


class Method(Strict):
    """Method: an estimator with its parameters, and the source of its model's text."""

    name: Name
    """its name in all tables"""
    estimator: Reference
    """MODULE:CLASS with scikit-learn's fit and predict, or a regressor.py; its path starts at the method file"""
    parameters: dict[str, Any] = {}
    """arguments of the class; {estimator: ..., parameters: ...} stands for such an object"""
    seed_parameter: Name = "random_state"
    """argument that takes the run's seed, where the class has it"""
    model: ModelText
    """where a fitted estimator keeps its model; of a regressor.py its function `model` gives it"""
    names: Literal["features", "x0", "x1", "auto"] = "features"
    """how the text names features: by their names, by position from x0 or x1, or as each text tells (auto)"""
    warm_up: Literal["fit"] | None = None
    """fit: it is fitted once on the first ten rows before the clock starts"""
    package: Name | None = None
    """module whose version is reported, where it is not the estimator's own"""
    budget: dict[str, Any] = {}
    """what the method may spend, as stated; for the reports"""

    @model_validator(mode="before")
    @classmethod
    def _complete_model(cls, entry: Any) -> Any:
        if isinstance(entry, dict) and str(entry.get("estimator")).endswith(".py"):
            return {"names": "auto", "model": {"text": "participant"}} | entry
        return entry

    @property
    def is_written(self) -> bool:
        """Whether srlib writes the model's text."""
        return self.model.text not in (None, "participant")

    def digest(self) -> str:
        """Return a hexadecimal hash of the entry without `package`; of a regressor.py only the file name counts."""
        entry = self.model_dump(mode="json", exclude={"package"})
        return digest(entry | {"estimator": Path(self.estimator).name})


class MethodFile(Strict):
    """Content of a method file."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    """version of this layout: 1"""
    methods: Annotated[tuple[Method, ...], Field(min_length=1)]
    """one entry for each method"""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [method.name for method in self.methods]
        if len(set(names)) < len(names):
            raise ValueError(f"method {mode(names)} is listed twice in methods")
        return self


def load_methods(name_or_path: str | Path) -> tuple[Method, ...]:
    """Return the methods of a method file, or the method of a regressor.py, named after its folder.

    The code of a regressor.py is not executed. Modules beside a method file can be imported from then on, also in
    workers.

    Parameters
    ----------
    name_or_path : str or Path
        Method file (YAML), name of a shipped one, or SRBench's regressor.py.

    Raises
    ------
    InputError
        When the file is not valid; the message names file and key.

    Examples
    --------
    >>> [method.name for method in load_methods("demo")][0]
    'LinearRegression'
    """
    path = Path(name_or_path)
    if path.suffix == ".py":
        name = path.resolve().parent.name if path.stem == "regressor" else path.stem
        methods = (Method.model_validate({"name": name, "estimator": path.name}),)
    else:
        path = shipped("methods", name_or_path)
        methods = validate(MethodFile, load_yaml(path), path).methods
        if (folder := str(path.resolve().parent)) not in sys.path:
            sys.path.append(folder)
    resolved = []
    for method in methods:
        if method.estimator.endswith(".py"):
            file = path.resolve().parent / method.estimator
            require(file.is_file(), f"{path.parent / method.estimator}: no such file")
            method = method.model_copy(update={"estimator": str(file)})
        resolved.append(method)
    return tuple(resolved)


def participant(reference: str, baseline: str) -> Method:
    """Return the method of a participant's estimator, named after its class.

    If the baseline has this name, the method is named after the whole reference. The estimator has its default
    parameters, and gets the seed if it has a parameter `random_state`. If its attribute `model` is a text, this is the
    model's text.

    Examples
    --------
    >>> participant("sklearn.linear_model:Lasso", "LinearRegression").name
    'Lasso'
    """
    name = reference.rpartition(":")[2]
    return Method(
        name=reference if name == baseline else name,
        estimator=reference,
        model=ModelText(text="participant"),
    )


def build_estimator(
    method: Method, features: Sequence[str], seed: int, time_limit: float = TIME_LIMIT_S
) -> Any:
    """Return the estimator of one run; a regressor.py gets the time limit in seconds.

    Raises
    ------
    InputError
        When the module or class cannot be imported.
    Exception
        Any exception that the class raises.
    """
    if method.estimator.endswith(".py"):
        return Regressor(method.estimator, method.parameters, features, seed, time_limit)
    parameters = dict(method.parameters)
    if method.seed_parameter in inspect.signature(import_name(method.estimator)).parameters:
        parameters[method.seed_parameter] = seed
    return build_value({"estimator": method.estimator, "parameters": parameters})


def build_value(value: Any) -> Any:
    """Return a parameter's value with nested estimators built; lists become tuples."""
    if isinstance(value, list):
        return tuple(map(build_value, value))
    if not isinstance(value, dict) or "estimator" not in value:
        return value
    arguments = {key: build_value(item) for key, item in value.get("parameters", {}).items()}
    return import_name(value["estimator"])(**arguments)


def import_name(reference: str) -> Any:
    """Return the object MODULE:NAME; modules of the current folder can be imported, too.

    Raises
    ------
    InputError
        When the module does not exist, raises an exception, or lacks the name.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        return pkgutil.resolve_name(reference)
    except Exception as error:
        raise InputError(
            f"{reference} cannot be imported ({type(error).__name__}: {error}); install it, or put its module beside "
            "the method file"
        ) from error


def try_import(reference: str) -> None:
    """Import MODULE:NAME; return None, because returning the object would import it in the caller's process."""
    import_name(reference)


def read_origins(methods: Iterable[Method]) -> dict[str, dict[str, str]]:
    """Return {method: {`entry`, `source`, `version`}}: everything on which its runs depend apart from data and seed.

    `entry` is the hash of the method's entry; `source` that of the files of the modules that it names, without modules
    that these import; `version` has name and version of the package (empty without an installed package). No module is
    imported.

    Examples
    --------
    >>> read_origins(load_methods("demo"))["LinearRegression"]["version"].split()[0]
    'scikit-learn'
    """
    packages = importlib.metadata.packages_distributions()
    origins = {}
    for method in methods:
        modules = re.findall(r"([A-Za-z_][\w.]*):[A-Za-z_]", method.model_dump_json())
        names = [f"{module.replace('.', '/')}{end}" for module in modules for end in MODULE_ENDS]
        paths = {Path(folder, name) for folder in (*sys.path, ".") for name in names}
        files = paths | {Path(method.estimator)}
        hashes = sorted((file.name, sha256(file)) for file in files if file.is_file())
        package = method.package or re.split("[.:]", method.estimator)[0]
        installed = packages.get(package, [])[:1]
        version = "".join(f"{name} {importlib.metadata.version(name)}" for name in installed)
        entry = {"entry": method.digest(), "source": digest(hashes), "version": version}
        origins[method.name] = entry
    return origins


class Regressor:
    """Estimator of a regressor.py; its code is executed, so it must only be created in the process of a run.

    The estimator is not tuned; `hyper_params` and `complexity` of the file are not used.

    Parameters
    ----------
    path : str
        The file; it can import modules beside it.
    parameters : mapping
        Parameters or attributes of the estimator that the method file sets.
    features : sequence of str
        Names of the columns.
    seed : int
        Seed, which is set if the estimator has a parameter or an attribute `random_state`.
    time_limit : float
        Seconds of the run. If the estimator has its own time limit, it is set to a tenth (at most a minute) less, also
        after the file's `pre_train`.

    Raises
    ------
    ValueError
        When the file lacks est or model, or has a setting that is not supported, such as scaling of the data.
    """

    def __init__(
        self,
        path: str,
        parameters: Mapping[str, Any],
        features: Sequence[str],
        seed: int,
        time_limit: float,
    ) -> None:
        sys.path.insert(0, str(Path(path).parent))
        self.namespace = runpy.run_path(path, run_name="regressor")
        if not {"est", "model"} <= self.namespace.keys():
            raise ValueError("est and model were expected, as SRBench defines them")
        self.settings: dict[str, Any] = dict(self.namespace.get("eval_kwargs", {}))
        for name, value in self.settings.items():
            if value and name not in SUPPORTED_SETTINGS:
                raise ValueError(
                    f"regressor.py: eval_kwargs[{name!r}] = {value!r} is not supported"
                )
        self.estimator, self.features = self.namespace["est"], list(features)
        seconds = int(max(1.0, time_limit - min(60.0, time_limit / 10)))
        self.values = {
            **dict.fromkeys(TIME_LIMIT_NAMES, seconds),
            **parameters,
            "random_state": seed,
        }
        self._set_values()

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit as SRBench does: call `pre_train`, then fit on at most `max_train_samples` rows, drawn with seed 0."""
        most_rows = self.settings.get("max_train_samples") or len(y)
        if most_rows < len(y):
            rows = np.random.default_rng(0).choice(len(y), most_rows, replace=False)
            X, y = X[rows], y[rows]
        self.table = pd.DataFrame(X, columns=self.features)
        if self.settings.get("pre_train"):
            self.settings["pre_train"](self.estimator, self._input(X), y)
            self._set_values()  # pre_train may have set a longer time limit
        self.estimator.fit(self._input(X), y)
        return self

    def predict(self, X: np.ndarray) -> Any:
        """Return the estimator's predictions, unchecked."""
        return self.estimator.predict(self._input(X))

    @property
    def model(self) -> Any:
        """Result of the file's function `model` for the fitted estimator and the training data; None without it."""
        model = self.namespace["model"]
        if model is None:
            return None
        n_arguments = len(inspect.signature(model).parameters)
        return model(*[self.estimator, self.table][:n_arguments])

    def _input(self, X: np.ndarray) -> Any:
        """Return the rows as the file requires them: a table with names, or an array."""
        if self.settings.get("use_dataframe", True):
            return pd.DataFrame(X, columns=self.features)
        return X

    def _set_values(self) -> None:
        """Set the estimator's parameters, or else its attributes of these names; skip names that it does not have."""
        for name, value in self.values.items():
            if name in getattr(self.estimator, "get_params", dict)():
                self.estimator.set_params(**{name: value})
            elif hasattr(self.estimator, name):
                setattr(self.estimator, name, value)
