"""UAI files: models (.uai) with evidence (.evid), queries (.query) and tests (.test) beside them become problems.

Errors name the file and the token, which is counted from 1 without comments, and say what was expected and what came.
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
MOST_AXES = 64  # of an array of NumPy

Array = NDArray[np.float64]
Evidence = dict[int, int]
Function = tuple[tuple[int, ...], Array]  # variables, and values with one axis a variable
Test = tuple[Evidence, tuple[int, ...]]


@dataclass(frozen=True)
class Model:
    """Product of functions of discrete variables; none of its values is negative.

    In a Bayesian network each function is the distribution of its last variable given the others.

    Parameters
    ----------
    cardinalities : tuple of int
        Number of states of each variable.
    functions : tuple of (tuple of int, array)
        Variables of each function, and its values with one axis a variable, in this order.
    """

    cardinalities: tuple[int, ...]
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class Problem:
    """A model with observations and queries.

    Parameters
    ----------
    name : str
        Name of the file without its suffix; NAME#0, NAME#1 and so on where the file holds several samples of evidence.
    stem : str
        Name of the file without its suffix.
    model : Model
        Variables and functions.
    evidence : dict of int to int
        Observed state of each observed variable.
    query : tuple of int
        Variables of the MMAP task; empty where there is none.
    tests : tuple of (dict, tuple)
        Evidence and query variables of each line of the MLC task; a file's first sample has them.
    digest : str
        Changes with the content of the files.
    """

    name: str
    stem: str
    model: Model
    evidence: Evidence
    query: tuple[int, ...] = ()
    tests: tuple[Test, ...] = ()
    digest: str = ""


class NumberReader:
    """Takes the numbers of a text from its beginning to its end.

    Parameters
    ----------
    data : bytes
        Numbers between blanks; nan and inf are numbers.
    source : str or Path
        Name of the file in errors.
    first : int
        Number of the first token within the file.
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
        """How many numbers were not taken yet."""
        return len(self.values) - self.position

    def error(self, position: int, message: str) -> InputError:
        """Exception that names the file and the token at a position."""
        return InputError(f"{self.source} token {self.first + position}: {message}")

    def floats(self, count: int, name: str) -> Array:
        """Take any numbers; `name` says in an error what they are."""
        if count > self.remaining:
            raise self.error(len(self.values), f"the file ends where {name} was expected")
        self.position += count
        return self.values[self.position - count : self.position]

    def numbers(
        self,
        count: int,
        name: str,
        low: float,
        high: float = sys.float_info.max,
        integral: bool = False,
    ) -> Array:
        """Take numbers from low to high, both allowed."""
        start = self.position
        values = self.floats(count, name)
        allowed = (values >= low) & (values <= high)
        if integral:
            allowed &= values == np.floor(values)
        if not allowed.all():
            place = int(np.argmin(allowed))
            kind = "whole number" if integral else "number"
            expected = f"{name}, a {kind} from {low} to {high},"
            raise self.error(start + place, f"{expected} was expected, got {values[place]:g}")
        return values

    def integers(self, count: int, name: str, low: int = 0, high: int = 2**53) -> list[int]:
        """Take whole numbers from low to high, both allowed."""
        return self.numbers(count, name, low, high, integral=True).astype(int).tolist()

    def integer(self, name: str, low: int, high: int) -> int:
        """Take a whole number from low to high, both allowed."""
        return self.integers(1, name, low, high)[0]

    def variables(self, owner: str, total: int, most: int) -> tuple[int, ...]:
        """Take how many variables `owner` has, and these variables, of `total` in the model and `most` at a time."""
        count = self.integer(f"the number of variables of {owner}", 0, min(total, most))
        variables = self.integers(count, f"a variable of {owner}", 0, total - 1)
        if len(set(variables)) < count:
            raise self.error(self.position - 1, f"{owner} names a variable twice")
        return tuple(variables)

    def pairs(self, count: int, model: Model) -> Evidence:
        """Take pairs of a variable and its state; of a variable that occurs twice the last state counts."""
        evidence: Evidence = {}
        for _ in range(count):
            variable = self.integer("a variable", 0, len(model.cardinalities) - 1)
            most = model.cardinalities[variable] - 1
            evidence[variable] = self.integer(f"a state of variable {variable}", 0, most)
        return evidence

    def end(self) -> None:
        """Raise an error where numbers are left."""
        if self.remaining:
            message = f"the end was expected, got {self.values[self.position]:g}"
            raise self.error(self.position, message)


def read_bytes(path: Path, limit: int = FILE_BYTES) -> bytes:
    """Content of a file without comments: lines that begin with c, and text between /* and */."""
    try:
        require(
            path.stat().st_size <= limit,
            f"{path.name}: a file of at most {limit:,} bytes was expected",
        )
        return COMMENT.sub(b"", contents(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def load_problems(folder: str | Path) -> list[Problem]:
    """Read all problems of a folder, sorted by name.

    Raises
    ------
    InputError
        Names the file and the token that is wrong, or says that there is no problem.
    """
    paths = sorted(Path(folder).glob("*.uai"))
    require(bool(paths), f"{folder}: no problem was found; a folder with files *.uai was expected")
    return [problem for path in paths for problem in load_problem(path)]


def load_problem(path: Path) -> list[Problem]:
    """Read a model and the files beside it; one problem for each sample of evidence."""
    model = read_model(path)
    companions = [path.with_name(f"{path.name}.{kind}") for kind in ("evid", "query", "test")]
    observed, queries, lines = [  # without numbers where there is no such file
        NumberReader(read_bytes(file) if file.is_file() else b"", file) for file in companions
    ]
    samples = read_evidence(observed, model)
    total = len(model.cardinalities)
    query = queries.variables("the query", total, total) if queries.remaining else ()
    queries.end()
    tests = read_tests(lines, model)
    content = digest([sha256(file) for file in (path, *companions) if file.is_file()])
    stem = printable(path.stem)
    problems = []
    for number, evidence in enumerate(samples):
        name = f"{stem}#{number}" if len(samples) > 1 else stem
        problems.append(Problem(name, stem, model, evidence, query, tests, content))
        tests = ()  # only the first sample has them
    return problems


def read_model(path: Path) -> Model:
    """Read a .uai file."""
    kind, *numbers = read_bytes(path).split(None, 1) or [b""]
    excerpt = kind[:20].decode(errors="replace")
    require(
        kind in (b"MARKOV", b"BAYES"),
        f"{path} token 1: MARKOV or BAYES was expected, got {excerpt!r}",
    )
    reader = NumberReader(b"".join(numbers), path, first=2)
    total = reader.integer("the number of variables", 1, reader.remaining)
    cardinalities = reader.integers(total, "a number of states", 1, STATES)
    states = sum(cardinalities)
    require(
        states <= ALL_STATES,
        f"{path}: at most {ALL_STATES} states of all variables together were expected, got {states}",
    )
    count = reader.integer("the number of functions", 0, len(reader.values))
    scopes = [reader.variables(f"function {number}", total, MOST_AXES) for number in range(count)]
    functions = []
    for number, scope in enumerate(scopes):
        shape = [cardinalities[v] for v in scope]
        size = min(math.prod(shape), 2**53)
        reader.integer(f"the size of the table of function {number}", size, size)
        table = reader.numbers(size, f"an entry of the table of function {number}", 0)
        functions.append((scope, table.reshape(shape)))
    reader.end()
    return Model(tuple(cardinalities), tuple(functions))


def read_evidence(reader: NumberReader, model: Model) -> list[Evidence]:
    """Read the samples of a .evid file: pairs of variable and state, with or without a number of samples before them.

    It is one sample without their number if and only if 2 k numbers follow the first number k.
    """
    samples = 1
    total = len(model.cardinalities)
    if not reader.remaining:
        return [{}]
    if reader.remaining != 1 + 2 * reader.values[0]:
        samples = reader.integer("the number of samples", 1, SAMPLES)
    evidence = [
        reader.pairs(reader.integer("the number of observations", 0, total), model)
        for _ in range(samples)
    ]
    reader.end()
    return evidence


def read_tests(reader: NumberReader, model: Model) -> tuple[Test, ...]:
    """Read the MLC task: evidence and query variables of each line; no line where there is no such file."""
    total = len(model.cardinalities)
    if not reader.remaining:
        return ()
    reader.integer("the number of variables", total, total)
    observed, query, _ = [
        reader.variables(group, total, total)
        for group in ("the evidence", "the query", "the hidden variables")
    ]
    lines = reader.integer("the number of lines", 0, reader.remaining)
    tests = tuple((reader.pairs(len(observed), model), query) for _ in range(lines))
    reader.end()
    return tests
