"""Problems and references of strangers: what is easy stays quick however large, what is wrong is one sentence."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from srlib import limits
from srlib.cache import Cache
from srlib.errors import InputError
from srlib.inference import Problem, elimination, load_problem, most_probable, posterior
from srlib.inference.elimination import TooWideError, elimination_order
from srlib.inference.numbers import uncommented
from srlib.inference.reference import find_reference, write_reference

pytestmark = pytest.mark.slow


def written(text: str, folder: Path, evidence: str | None = None) -> list[Problem]:
    (folder / "p.uai").write_text(text)
    if evidence is not None:
        (folder / "p.uai.evid").write_text(evidence)
    return load_problem(folder / "p.uai")


def unary(n: int) -> str:
    scopes = "".join(f"1 {i}\n" for i in range(n))
    return f"MARKOV\n{n}\n{'2 ' * n}\n{n}\n{scopes}{'2 0.5 1.5 ' * n}"


def star(n: int) -> str:
    scopes = "".join(f"2 0 {i}\n" for i in range(1, n))
    return f"MARKOV\n{n}\n{'2 ' * n}\n{n - 1}\n{scopes}{'4 1 2 2 1 ' * (n - 1)}"


def two_hubs(n: int) -> str:
    scopes = "".join(f"3 0 1 {i}\n" for i in range(2, n))
    return f"MARKOV\n{n}\n{'2 ' * n}\n{n - 2}\n{scopes}{'8 1 2 2 1 1 2 2 1 ' * (n - 2)}"


def steps(work: Callable[[], object]) -> int:
    """Calls and lines that Python carries out: what a busy machine cannot change."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("shape", [unary, star, two_hubs])
def test_the_cost_of_a_variable_does_not_grow_with_their_number(
    shape: Callable[[int], str], tmp_path: Path
) -> None:
    counts = []
    for n in (150, 600):
        problem = written(shape(n), tmp_path)[0]
        elimination_order.cache_clear()
        counts.append(steps(lambda p=problem: posterior(p.model, p.evidence)))
    assert counts[1] < 4.4 * counts[0]


@pytest.mark.parametrize("shape", [unary, star])
def test_twenty_thousand_variables(shape: Callable[[int], str], tmp_path: Path) -> None:
    n = 20_000
    problem = written(shape(n), tmp_path, f"{n // 2} " + " ".join(f"{i} 1" for i in range(n // 2)))[
        0
    ]
    value, found = posterior(problem.model, problem.evidence)
    best, states = most_probable(problem.model, problem.evidence)
    assert found is not None
    assert len(found) == len(states) == n
    assert best < value


def test_tables_are_limited_one_by_one_and_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = written(star(5), tmp_path)[0]  # four tables of 4 entries, one of 2
    shape = (problem.model.cardinalities, problem.model.scopes, frozenset())
    for name, least in (("WIDTH_BITS", 2.0), ("ENTRIES", 18.0)):
        elimination_order.cache_clear()
        monkeypatch.setattr(elimination, name, least)
        assert len(elimination_order(*shape)) == 5
        elimination_order.cache_clear()
        monkeypatch.setattr(elimination, name, least - 0.5)
        with pytest.raises(TooWideError):
            elimination_order(*shape)
        monkeypatch.undo()
    elimination_order.cache_clear()


@pytest.mark.parametrize("samples", [limits.SAMPLES, limits.SAMPLES + 1])
def test_samples_are_counted(samples: int, tmp_path: Path) -> None:
    if samples == limits.SAMPLES:
        assert len(written(unary(2), tmp_path, f"{samples} " + "0 " * samples)) == samples
        return
    with pytest.raises(
        InputError,
        match="the number of samples, a whole number from 1 to 1000, was expected, got",
    ):
        written(unary(2), tmp_path, f"{samples} " + "0 " * samples)


def test_comments_are_taken_out_in_one_pass() -> None:
    assert uncommented(b"1 /* a /* b */ 2 */ 3 /* 4") == b"1  2 */ 3 /* 4"
    begun = b"/* " * 10**6  # 10**12 steps, if each of them looked for its end
    assert uncommented(begun) == begun


@pytest.mark.parametrize("name", ["p.uai", "p.uai.evid"])
def test_a_pipe_is_no_problem(name: str, tmp_path: Path) -> None:
    (tmp_path / "p.uai").write_text(unary(1))
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    if name == "p.uai":
        with pytest.raises(InputError, match="p.uai: a regular file was expected"):
            load_problem(tmp_path / "p.uai")
    else:
        assert load_problem(tmp_path / "p.uai")[0].evidence == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[" * 100_000, "not a reference in JSON"),
        ("[]", "not a reference: input should be a valid dictionary"),
        ('{"mar": 5}', "key 'mar': input should be a valid"),
        ('{"mar": [["a", 0]]}', "key 'mar.0.0': input should be a valid number, got 'a'"),
        ('{"mar": [[2, 0]]}', "key 'mar.0.0': input should be less than or equal to 1"),
        ('{"log10_Z": "1"}', "key 'log10_Z': input should be a valid number, got '1'"),
        ('{"log10_Z": NaN}', "key 'log10_Z': a number or minus infinity was expected"),
        ('{"log10_Z": ' + "9" * 400 + "}", "key 'log10_Z'"),
        ('{"mmap": [1]}', "key 'mmap': input should be a valid dictionary"),
        ('{"mlc": {"lines": {}}}', "key 'mlc.lines': input should be a valid"),
        ('{"digest": 5}', "key 'digest': input should be a valid string, got 5"),
        ("\udcff", "not a reference in JSON"),
    ],
)
def test_kept_references_are_checked(text: str, sentence: str, tmp_path: Path) -> None:
    problem = written(unary(1), tmp_path)[0]
    (tmp_path / "p.reference.json").write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=f"p.reference.json: .*{sentence}") as caught:
        find_reference(problem, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_sound_reference_is_taken(tmp_path: Path) -> None:
    problem = written(unary(1), tmp_path)[0]
    write_reference(problem, find_reference(problem, cache=Cache(None)), tmp_path)
    again = json.loads((tmp_path / "p.reference.json").read_text())
    assert find_reference(problem, tmp_path) == again
    assert again["mar"][0] == pytest.approx([0.25, 0.75])
