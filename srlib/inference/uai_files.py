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
    """Reader that takes the numbers of a text one after the other.

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
        """Number of numbers that were not taken yet."""
        return len(self.values) - self.position

    def error(self, position: int, message: str) -> InputError:
        """Return the exception that names the file and the token at a position."""
        return InputError(f"{self.source} token {self.first + position}: {message}")

    def take_floats(self, count: int, name: str) -> Array:
        """Take any numbers; `name` says in an error what they are."""
        if count > self.remaining:
            raise self.error(len(self.values), f"the file ends where {name} was expected")
        self.position += count
        return self.values[self.position - count : self.position]

    def take_numbers(
        self,
        count: int,
        name: str,
        low: float,
        high: float = sys.float_info.max,
        integral: bool = False,
    ) -> Array:
        """Take numbers from low to high, both allowed."""
        start = self.position
        values = self.take_floats(count, name)
        allowed = (values >= low) & (values <= high)
        if integral:
            allowed &= values == np.floor(values)
        if not allowed.all():
            place = int(np.argmin(allowed))
            kind = "whole number" if integral else "number"
            expected = f"{name}, a {kind} from {low} to {high},"
            raise self.error(start + place, f"{expected} was expected, got {values[place]:g}")
        return values

    def take_integers(self, count: int, name: str, low: int = 0, high: int = 2**53) -> list[int]:
        """Take whole numbers from low to high, both allowed."""
        return self.take_numbers(count, name, low, high, integral=True).astype(int).tolist()

    def take_integer(self, name: str, low: int, high: int) -> int:
        """Take a whole number from low to high, both allowed."""
        return self.take_integers(1, name, low, high)[0]

    def take_variables(self, owner: str, n_variables: int, most: int) -> tuple[int, ...]:
        """Take the number of variables of `owner`, at most `most`, and these variables of a model."""
        count = self.take_integer(f"the number of variables of {owner}", 0, min(n_variables, most))
        variables = self.take_integers(count, f"a variable of {owner}", 0, n_variables - 1)
        if len(set(variables)) < count:
            raise self.error(self.position - 1, f"{owner} names a variable twice")
        return tuple(variables)

    def take_pairs(self, count: int, model: Model) -> Evidence:
        """Take pairs of a variable and its state; of a variable that occurs twice the last state counts."""
        evidence: Evidence = {}
        for _ in range(count):
            variable = self.take_integer("a variable", 0, len(model.cardinalities) - 1)
            most = model.cardinalities[variable] - 1
            evidence[variable] = self.take_integer(f"a state of variable {variable}", 0, most)
        return evidence

    def expect_end(self) -> None:
        """Raise an error where numbers are left."""
        if self.remaining:
            message = f"the end was expected, got {self.values[self.position]:g}"
            raise self.error(self.position, message)


def read_bytes(path: Path, limit: int = FILE_BYTES) -> bytes:
    """Return the content of a file without comments: lines that begin with c, and text between /* and */."""
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
    evidence_reader, query_reader, test_reader = [  # without numbers where there is no such file
        NumberReader(read_bytes(file) if file.is_file() else b"", file) for file in companions
    ]
    samples = read_evidence(evidence_reader, model)
    n_variables = len(model.cardinalities)
    query = (
        query_reader.take_variables("the query", n_variables, n_variables)
        if query_reader.remaining
        else ()
    )
    query_reader.expect_end()
    tests = read_tests(test_reader, model)
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
        table = reader.take_numbers(size, f"an entry of the table of function {number}", 0)
        functions.append((scope, table.reshape(shape)))
    reader.expect_end()
    return Model(tuple(cardinalities), tuple(functions))


def read_evidence(reader: NumberReader, model: Model) -> list[Evidence]:
    """Read the samples of a .evid file: pairs of variable and state, with or without a number of samples before them.

    It is one sample without their number if and only if 2 k numbers follow the first number k.
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


def read_tests(reader: NumberReader, model: Model) -> tuple[Test, ...]:
    """Read the MLC task: evidence and query variables of each line; no line where there is no such file."""
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
