"""Read UAI files: a model (.uai) and its evidence (.evid), query (.query) and tests (.test) become problems.

Errors name the file and the token (counted from 1, without comments), and what was expected and found there.
"""

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from srlib.errors import InputError, require
from srlib.files import contents, digest, printable, sha256
from srlib.limits import ALL_STATES, FILE_BYTES, SAMPLES, STATES

COMMENT = re.compile(rb"(?ms)^[ \t]*c[^\n]*|/\*.*?(?:\*/|\Z)")
NUMBER = re.compile(rb"(?i)[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf|nan")
SUM_TOLERANCE = 0.01  # of a distribution
MOST_AXES = 64  # limit of NumPy's arrays

Array = NDArray[np.float64]
Evidence = dict[int, int]
Function = tuple[tuple[int, ...], Array]  # variables, and values with one axis per variable
Test = tuple[Evidence, tuple[int, ...]]


@dataclass(frozen=True)
class UaiModel:
    """Product of nonnegative functions of discrete variables.

    In a Bayesian network each function is the distribution of its last variable given its other variables.

    Parameters
    ----------
    cardinalities : tuple of int
        Number of states of each variable.
    functions : tuple of (tuple of int, array)
        Variables of each function, and its values with one axis per variable, in the order of the variables.
    """

    cardinalities: tuple[int, ...]
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class UaiProblem:
    """A model with observations and queries.

    Parameters
    ----------
    name : str
        Name of the .uai file without suffix; NAME#0, NAME#1 and so on if there are several samples of evidence.
    stem : str
        Name of the .uai file without suffix.
    model : UaiModel
        Variables and functions.
    evidence : dict of int to int
        Observed state of each observed variable.
    query : tuple of int
        Query variables of the MMAP task; empty without this task.
    tests : tuple of (dict, tuple)
        Evidence and query variables of each line of the MLC task; only the first sample of a file has them.
    digest : str
        Hash of the content of the problem's files.
    """

    name: str
    stem: str
    model: UaiModel
    evidence: Evidence
    query: tuple[int, ...] = ()
    tests: tuple[Test, ...] = ()
    digest: str = ""


class NumberReader:
    """Reader of the numbers in a text, one after the other.

    Parameters
    ----------
    data : bytes
        Numbers separated by blanks; nan and inf are numbers.
    source : str or Path
        Name of the file in error messages.
    first : int
        Position of the first token in the file, counted from 1.
    """

    def __init__(self, data: bytes, source: object, first: int = 1) -> None:
        self.source = source
        self.first = first
        self.position = 0
        try:  # without a list of the tokens, which would take many times the memory of the file
            self.values: Array = np.fromstring(data.strip(), sep=" ")  # type: ignore[call-overload]
        except ValueError:
            words = data.split()
            position = next(i for i, word in enumerate(words) if not NUMBER.fullmatch(word))
            excerpt = words[position][:20].decode(errors="replace")
            raise self.error(position, f"a number was expected, got {excerpt!r}") from None

    @property
    def remaining(self) -> int:
        """Count of numbers that are still unread."""
        return len(self.values) - self.position

    def error(self, position: int, message: str) -> InputError:
        """Return an InputError that names the file and the token at a position."""
        return InputError(f"{self.source} token {self.first + position}: {message}")

    def take(self, count: int, name: str, low: float, high: float, kind: str = "number") -> Array:
        """Read `count` numbers of a kind (number or whole number) from low to high, both included.

        `name` describes them in errors.
        """
        values = self.values[self.position : self.position + count]
        if len(values) < count:
            raise self.error(len(self.values), f"the file ends where {name} was expected")
        allowed = (values >= low) & (values <= high)
        if kind == "whole number":
            allowed &= values == np.floor(values)
        if not allowed.all():
            place = int(np.argmin(allowed))
            expected = f"{name}, a {kind} from {low} to {high}, was expected"
            raise self.error(self.position + place, f"{expected}, got {values[place]:g}")
        self.position += count
        return values

    def take_integers(self, count: int, name: str, low: int, high: int) -> list[int]:
        """Read `count` whole numbers from low to high, both included."""
        return self.take(count, name, low, high, "whole number").astype(int).tolist()

    def take_integer(self, name: str, low: int, high: int) -> int:
        """Read a whole number from low to high, both included."""
        return self.take_integers(1, name, low, high)[0]

    def take_variables(self, owner: str, n_variables: int, most: int) -> tuple[int, ...]:
        """Read a number of variables, at most `most`, and then these variables; `owner` describes them in errors."""
        count = self.take_integer(f"the number of variables of {owner}", 0, min(n_variables, most))
        variables = self.take_integers(count, f"a variable of {owner}", 0, n_variables - 1)
        if len(set(variables)) < count:
            raise self.error(self.position - 1, f"{owner} names a variable twice")
        return tuple(variables)

    def take_state(self, variable: int, model: UaiModel) -> int:
        """Read a state of a variable."""
        most = model.cardinalities[variable] - 1
        return self.take_integer(f"a state of variable {variable}", 0, most)

    def take_pairs(self, count: int, model: UaiModel) -> Evidence:
        """Read `count` pairs of variable and state; if a variable occurs twice, the last state counts."""
        most = len(model.cardinalities) - 1
        variables = (self.take_integer("a variable", 0, most) for _ in range(count))
        return {variable: self.take_state(variable, model) for variable in variables}

    def expect_end(self) -> None:
        """Raise InputError if numbers are left."""
        if self.remaining:
            message = f"the end was expected, got {self.values[self.position]:g}"
            raise self.error(self.position, message)


def read_bytes(path: Path, limit: int = FILE_BYTES) -> bytes:
    """Return the content of a file without comments, which are lines that begin with c, and text in /* ... */."""
    try:
        require(
            path.stat().st_size <= limit,
            f"{path.name}: a file of at most {limit:,} bytes was expected",
        )
        return COMMENT.sub(b"", contents(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def load_problems(folder: str | Path) -> list[UaiProblem]:
    """Read all problems of a folder, sorted by name.

    Raises
    ------
    InputError
        When a file is wrong (the message names file and token), or the folder holds no problem.
    """
    paths = sorted(Path(folder).glob("*.uai"))
    require(bool(paths), f"{folder}: no problem was found; a folder with files *.uai was expected")
    return [problem for path in paths for problem in load_problem(path)]


def load_problem(path: Path) -> list[UaiProblem]:
    """Read a model and the files beside it, and return one problem per sample of evidence."""
    model, stem = read_model(path), printable(path.stem)
    companions = [path.with_name(f"{path.name}.{kind}") for kind in ("evid", "query", "test")]
    files = [file for file in companions if file.is_file()]
    content = digest([sha256(file) for file in (path, *files)])
    evidence, query, tests = (
        NumberReader(read_bytes(file) if file in files else b"", file) for file in companions
    )
    samples = read_evidence(evidence, model)
    n_variables = len(model.cardinalities)
    variables = query.remaining and query.take_variables("the query", n_variables, n_variables)
    query.expect_end()
    lines = read_tests(tests, model)
    names = [f"{stem}#{number}" if len(samples) > 1 else stem for number in range(len(samples))]
    return [  # only the first sample has the tests
        UaiProblem(
            name, stem, model, sample, variables or (), lines if name == names[0] else (), content
        )
        for name, sample in zip(names, samples, strict=True)
    ]


def read_model(path: Path) -> UaiModel:
    """Read a .uai file."""
    kind, *numbers = read_bytes(path).split(None, 1) or [b""]
    excerpt = kind[:20].decode(errors="replace")
    require(
        kind in (b"MARKOV", b"BAYES"),
        f"{path} token 1: MARKOV or BAYES was expected, got {excerpt!r}",
    )
    reader = NumberReader(b"".join(numbers), path, first=2)
    n_variables = reader.take_integer("the number of variables", 1, reader.remaining)
    cardinalities = reader.take_integers(n_variables, "a number of states", 1, STATES)
    states = sum(cardinalities)
    require(
        states <= ALL_STATES,
        f"{path}: at most {ALL_STATES} states of all variables together were expected, got {states}",
    )
    count = reader.take_integer("the number of functions", 0, len(reader.values))
    scopes = [
        reader.take_variables(f"function {number}", n_variables, MOST_AXES)
        for number in range(count)
    ]
    functions = []
    for number, scope in enumerate(scopes):
        shape = [cardinalities[v] for v in scope]
        size = min(math.prod(shape), 2**53)
        reader.take_integer(f"the size of the table of function {number}", size, size)
        name = f"an entry of the table of function {number}"
        table = reader.take(size, name, 0, sys.float_info.max).reshape(shape)
        sums = table.sum(axis=-1) if scope and kind == b"BAYES" else np.ones(1)
        if not np.all(is_one := np.abs(sums - 1) <= SUM_TOLERANCE):
            expected = f"each distribution of function {number} of a BAYES network must sum to 1"
            raise reader.error(reader.position - 1, f"{expected}, got {sums[~is_one][0]:g}")
        functions.append((scope, table))
    reader.expect_end()
    return UaiModel(tuple(cardinalities), tuple(functions))


def read_evidence(reader: NumberReader, model: UaiModel) -> list[Evidence]:
    """Read the samples of evidence in a .evid file; one empty sample if the file is missing or empty.

    A sample is a number k and k pairs of variable and state. The number of samples stands before the first sample; it
    is absent if exactly 2 k numbers follow the first number k.
    """
    n_samples = 1
    n_variables = len(model.cardinalities)
    if not reader.remaining:
        return [{}]
    if reader.remaining != 1 + 2 * reader.values[0]:
        n_samples = reader.take_integer("the number of samples", 1, SAMPLES)
    evidence = [
        reader.take_pairs(reader.take_integer("the number of observations", 0, n_variables), model)
        for _ in range(n_samples)
    ]
    reader.expect_end()
    return evidence


def read_tests(reader: NumberReader, model: UaiModel) -> tuple[Test, ...]:
    """Read the lines of the MLC task from a .test file: evidence and query variables; empty without a file."""
    n_variables = len(model.cardinalities)
    if not reader.remaining:
        return ()
    reader.take_integer("the number of variables", n_variables, n_variables)
    observed, query, _ = [
        reader.take_variables(group, n_variables, n_variables)
        for group in ("the evidence", "the query", "the hidden variables")
    ]
    n_lines = reader.take_integer("the number of lines", 0, reader.remaining)
    tests = tuple((reader.take_pairs(len(observed), model), query) for _ in range(n_lines))
    reader.expect_end()
    return tests
