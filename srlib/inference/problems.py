"""Problems on disk: .uai models with .evid, .query and .test files beside them."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from srlib.errors import InputError
from srlib.files import digest, printable, sha256
from srlib.inference.model import Model
from srlib.inference.numbers import Cursor, EndedError, Values, content, numbers, uncommented
from srlib.limits import ALL_STATES, SAMPLES, STATES

HEAD = 1 << 20  # bytes looked at before the rest of a model is read
Evidence = dict[int, int]


@dataclass(frozen=True)
class Problem:
    """A model with what was observed and what is asked.

    Parameters
    ----------
    name : str
        Of the file without its suffix; with several samples of evidence NAME#0, NAME#1 and so on.
    model : Model
        Variables and functions.
    evidence : dict of int to int
        Observed state of each observed variable.
    query : tuple of int
        Variables of the MMAP task; empty where there is none.
    tests : tuple of (dict, tuple)
        Evidence and query variables of each line of the MLC task.
    sample, samples : int
        Which sample of evidence this is, and how many the file holds.
    digest : str
        Names the content of the files.
    """

    name: str
    model: Model
    evidence: Evidence
    query: tuple[int, ...] = ()
    tests: tuple[tuple[Evidence, tuple[int, ...]], ...] = ()
    sample: int = 0
    samples: int = 1
    digest: str = ""

    @property
    def stem(self) -> str:
        """Name of the files."""
        return self.name.removesuffix(f"#{self.sample}") if self.samples > 1 else self.name


def load_problems(folder: str | Path) -> list[Problem]:
    """Read all problems of a folder, sorted by name.

    Raises
    ------
    InputError
        Names the file and the token that is wrong, or says that there is no problem.
    """
    folder = Path(folder)
    found = {path.stem: path for path in folder.glob("*.uai")}
    if not found:
        raise InputError(f"{folder}: no problem was found; a folder with files *.uai was expected")
    return [problem for _, path in sorted(found.items()) for problem in load_problem(path)]


def load_problem(path: str | Path) -> list[Problem]:
    """Read a model and the files beside it; one problem for each sample of evidence."""
    path = Path(path)
    model = read_model(path)
    beside = {
        kind: path.with_name(f"{path.name}.{kind}") for kind in ("evid", "query", "test", "data")
    }
    there = [file for file in (path, *beside.values()) if file.is_file()]
    samples = read_evidence(beside["evid"], model) if beside["evid"] in there else [{}]
    query = ()
    if beside["query"] in there:
        query = read_query(beside["query"], model)
    tests = next(
        (read_tests(beside[kind], model) for kind in ("test", "data") if beside[kind] in there), ()
    )
    name = printable(path.stem)
    known = Problem(
        name,
        model,
        samples[0],
        query,
        tests,
        0,
        len(samples),
        digest([sha256(file) for file in there]),
    )
    if len(samples) == 1:
        return [known]
    return [replace(known, name=f"{name}#{k}", evidence=e, sample=k) for k, e in enumerate(samples)]


def read_model(path: str | Path) -> Model:
    """Read a .uai file.

    Raises
    ------
    InputError
        Names the file, the token (counted from 1, without comments), what was expected and what came.
    """
    path = Path(path)
    data = content(path)
    word = re.match(rb"\s*(\S{0,20})", data)
    kind, first = (word[1].decode(errors="replace") if word else ""), 2
    if kind not in ("MARKOV", "BAYES"):
        raise InputError(f"{path} token 1: MARKOV or BAYES was expected, got {kind!r}")
    data = data[word.end() :] if word else data
    most = len(data) // 2 + 1
    if len(data) > HEAD:  # what is wrong at its beginning is refused before the rest costs anything
        with suppress(EndedError):
            _model(
                Cursor(numbers(data[:HEAD].rsplit(None, 1)[0], path, first), path, first),
                kind,
                most,
            )
    return _model(Cursor(numbers(data, path, first), path, first), kind, most)


def _model(cursor: Cursor, kind: str, most: int) -> Model:
    cardinalities, scopes = _preamble(cursor, most)
    sizes = np.array([math.prod(float(cardinalities[v]) for v in scope) for scope in scopes])
    starts = np.concatenate([[0], np.cumsum(sizes + 1)])
    _check_tables(cursor, sizes, starts)
    offsets = tuple((starts[:-1] + 1).astype(int).tolist())
    return Model(kind, cardinalities, scopes, cursor.values[cursor.at :], offsets)


def _preamble(cursor: Cursor, most: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Read cardinalities and scopes."""
    variables = cursor.one("the number of variables", 1, most)
    cardinalities = tuple(cursor.take(variables, "a number of states", 1, STATES))
    if sum(cardinalities) > ALL_STATES:
        raise InputError(
            f"{cursor.source}: at most {ALL_STATES} states of all variables together were expected, "
            f"got {sum(cardinalities)}"
        )
    scopes = []
    for function in range(cursor.one("the number of functions", 0, most)):
        length = cursor.one("the number of variables of a function", 0, variables)
        scope = cursor.take(length, f"a variable of function {function}", 0, variables - 1)
        if len(set(scope)) < len(scope):
            token = cursor.first + cursor.at - 1
            raise InputError(
                f"{cursor.source} token {token}: function {function} names a variable twice"
            )
        scopes.append(tuple(scope))
    return cardinalities, tuple(scopes)


def _check_tables(cursor: Cursor, sizes: Values, starts: Values) -> None:
    """Each table has the size that its variables ask for, and finite entries that are not negative."""
    tail, first = cursor.values[cursor.at :], cursor.first + cursor.at
    there = starts[:-1][starts[:-1] < len(tail)].astype(int)
    for function in np.flatnonzero(tail[there] != sizes[: len(there)])[:1]:
        raise InputError(
            f"{cursor.source} token {first + there[function]}: the table of function {function} has "
            f"{sizes[function]:.0f} entries by its variables, {tail[there[function]]:g} were announced"
        )
    if starts[-1] > len(tail):
        function = int(np.argmax(starts[1:] > len(tail)))
        raise EndedError(
            f"{cursor.source} token {first + len(tail)}: the file ends in the table of function {function}, "
            f"which has {sizes[function]:.0f} entries"
        )
    rest = Cursor(tail, cursor.source, first)
    rest.at = int(starts[-1])
    rest.end()
    wrong = np.flatnonzero(~((tail >= 0) & (tail < np.inf)))
    if len(wrong):
        allowed = "a table entry must be a finite number and not negative"
        raise InputError(
            f"{cursor.source} token {first + wrong[0]}: {allowed}, got {tail[wrong[0]]:g}"
        )


def read_evidence(path: str | Path, model: Model) -> list[Evidence]:
    """Read a .evid file in any of its forms: one line, samples, with comments or without.

    It is one line of pairs if and only if there are 1 + 2 k numbers for the first number k; otherwise the first
    number counts samples.
    """
    cursor = Cursor(numbers(uncommented(content(Path(path))), path), path)
    if not cursor.left:
        return [{}]
    one_line = len(cursor.values) == 1 + 2 * cursor.values[0]
    samples = 1 if one_line else cursor.one("the number of samples", 1, SAMPLES)
    found = [
        _pairs(cursor, cursor.one("the number of observations", 0, len(model.cardinalities)), model)
        for _ in range(samples)
    ]
    cursor.end()
    return found


def _pairs(cursor: Cursor, count: int, model: Model) -> Evidence:
    found: Evidence = {}
    for _ in range(count):
        variable = cursor.one("a variable", 0, len(model.cardinalities) - 1)
        state = cursor.one(f"a state of variable {variable}", 0, model.cardinalities[variable] - 1)
        if found.setdefault(variable, state) != state:
            token = cursor.first + cursor.at - 1
            raise InputError(
                f"{cursor.source} token {token}: variable {variable} was observed in another state before"
            )
    return found


def _variables(cursor: Cursor, model: Model) -> tuple[int, ...]:
    count = cursor.one("a number of variables", 0, len(model.cardinalities))
    found = tuple(cursor.take(count, "a variable", 0, len(model.cardinalities) - 1))
    if len(set(found)) < len(found):
        raise InputError(
            f"{cursor.source} token {cursor.first + cursor.at - 1}: a variable is listed twice"
        )
    return found


def read_query(path: str | Path, model: Model) -> tuple[int, ...]:
    """Read the variables of the MMAP task."""
    cursor = Cursor(numbers(content(Path(path)), path), path)
    found = _variables(cursor, model)
    cursor.end()
    return found


def read_tests(path: str | Path, model: Model) -> tuple[tuple[Evidence, tuple[int, ...]], ...]:
    """Read the MLC task: for each line what is observed, and the variables that are asked for."""
    cursor = Cursor(numbers(content(Path(path)), path), path)
    cursor.one("the number of variables", len(model.cardinalities), len(model.cardinalities))
    observed, query, _ = (_variables(cursor, model) for _ in range(3))
    lines = []
    for line in range(cursor.one("the number of lines", 0, cursor.left)):
        pairs = _pairs(cursor, len(observed), model)
        if set(pairs) != set(observed):
            raise InputError(
                f"{path} line {line} of the tests: other variables are observed than the file announces"
            )
        lines.append((pairs, query))
    cursor.end()
    return tuple(lines)
