"""Hostile YAML: problem, rules, method and suite files that are changed until they are wrong, or too much."""

from pathlib import Path
from random import Random

import pytest

from srlib.errors import InputError, SrlibError
from srlib.files import PARAMETERS
from srlib.problems import load_problems, partitions
from srlib.recording.methods import load_methods
from srlib.rendering.suite import load_suite
from srlib.rules import load_rules
from srlib.yaml_files import load_yaml
from tests.fuzz.bytes_and_cells import TEXTS, damaged
from tests.fuzz.harness import hammer

pytestmark = pytest.mark.slow

LOADERS = {
    "problems": load_problems,
    "rules": load_rules,
    "methods": load_methods,
    "suites": load_suite,
}
SMALL = """schema: 1
name: small
defaults: {track: synthetic, target: y, data_seeds: [1, 2]}
problems:
  - {dataset: base, features: [a, b, c], relevant: [a], truth: "2*a", scored: false, domain: {a: [1, 2]}}
  - {dataset: noisy, features: [a, b, c], irrelevant: [b, c], property: noise_sensitivity, noise_level: 0.1,
     noise_reference: base}
  - dataset: made
    data_seeds: [1]
    data: {generator: formula, arguments: {formula: x1 + s1, features: {x1..x3: [uniform, -5, 5], s1: [grid, 0, 1]},
           surrogates: {s2: x1*x2}, extrapolation: {x1: [uniform, 6, 8]}, rows: {train: 50, test: 20}}}
  - {dataset: old, features: [x1], data: {generator: noise_2022, arguments: {ratio: 0.1}}}
  - {dataset: filed, features: [x], data: {test: t.csv}}
"""
SCALARS = (
    *(text for text in TEXTS if text.isprintable()), "x1..x9999", "x1..x99999999999", "1e8", "100000000000", "-1", "[]",
    "{}", "[[]]", "*a", "&a [1]", "!!int 5", "!!python/name:os.system", "!x y", "? a", "- a", ".inf", ".nan", "1e999",
    "2147483648", "18446744073709551616", "[1, 2]", "[2, 1]", "{a: b}", "null", "0o7", "0x1F", "|\n x", "'", "x: y",
    "[uniform, 1, 1]", "[normal, 0, 1e300]", "[integers, -1e15, 1e15]", "[loguniform, 1e-300, 1]", "<<: {a: 1}", "%TAG",
)  # fmt: skip


def sources() -> list[tuple[str, str]]:
    shipped = [
        (kind, path.read_text())
        for kind in LOADERS
        for path in sorted((PARAMETERS / kind).glob("*.yaml"))
    ]
    return [("problems", SMALL)] * len(shipped) + [
        pair for pair in shipped if len(pair[1]) < 20_000
    ]


def changed(text: str, random: Random) -> str:
    for _ in range(random.choice((1, random.choice((1, 1, 2, 4))))):
        lines = text.split("\n")
        at, what = random.randrange(len(lines)), random.randrange(9)
        if what == 0:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif what == 1:
            del lines[at]
        elif what == 2:
            lines[at] = " " * random.choice((0, 1, 2, 8)) + lines[at].lstrip()
        elif what == 3:
            lines[at] = f"{lines[at]} &a{at}" if random.random() < 0.5 else f"{lines[at]} *a{at}"
        elif what == 4:
            lines.insert(
                at,
                random.choice(
                    ("---", "...", "# c", "\t", "<<: *a", "a: &a {b: *a}", "? [1]", "}" * 9)
                ),
            )
        else:
            words = lines[at].replace(",", " , ").replace("}", " } ").replace("]", " ] ").split(" ")
            place = random.randrange(len(words))
            words[place] = random.choice(SCALARS)
            lines[at] = " ".join(words)
        text = "\n".join(lines) or "x"
    return text


def bomb(random: Random) -> str:
    """Aliases of aliases, merges of merges, depth, length."""
    what, size = random.randrange(6), random.choice((3, 30, 300, 10_000))
    if what < 2:
        inside = ["[*a{0}, *a{0}, *a{0}]", "{{<<: [*a{0}, *a{0}]}}"][what]
        first = ["a0: &a0 [1]", "a0: &a0 {k: 1}"][what]
        return "\n".join([first, *(f"a{i + 1}: &a{i + 1} {inside.format(i)}" for i in range(size))])
    deep = ["[" * size, "{a: " * size, "- " * size][what % 3]
    if what < 5:
        return f"schema: {deep}"
    return "schema: 1\nname: n\nproblems:\n" + "  - {dataset: d}\n" * size


def attempt(seed: int, folder: Path) -> str:
    random = Random(seed)
    kind, text = random.choice(sources())
    text = bomb(random) if random.random() < 0.1 else changed(text, random)
    data = text.encode(errors="surrogatepass")
    (folder / "f.yaml").write_bytes(damaged(data, random) if random.random() < 0.15 else data)
    (folder / "t.csv").write_text("x,y\n1,2\n")
    load_yaml(folder / "f.yaml")
    found = LOADERS[kind](folder / "f.yaml")
    if kind != "problems":
        return f"read {kind}"
    for problem in found.problems[:5]:  # type: ignore[union-attr]
        assert len(problem.features) <= 10_000
        hash(problem)
        try:
            partitions(problem, problem.data_seeds[0] if problem.data_seeds else 1)
        except SrlibError as error:
            assert isinstance(error, InputError)
            assert "\n" not in str(error), str(error)
    return "read problems"


def test_yaml() -> None:
    counts = hammer("yaml", 400)
    assert counts["read problems"] > counts.total() / 20
    assert counts["refused"] > counts.total() / 3
