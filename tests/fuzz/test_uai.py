"""Hostile problems, evidence, queries, answers and references of inference: read and solved, or one sentence."""

import json
from pathlib import Path
from random import Random

import numpy as np

from srlib.inference import TooWideError, load_problem, most_probable, posterior, score_answers
from srlib.inference.references import compute_reference, find_reference
from tests.fuzz.bytes_and_cells import damaged
from tests.fuzz.harness import hammer

TOKENS = ("0", "1", "2", "-1", "0.5", "1e400", "nan", "inf", "-inf", "1e-320", "99999999999", "x", "c", "/*", "*/", "",
          "1e9", "1048577", "2147483648", "MARKOV", "-BEGIN-", "MPE", "1" * 600, "\xff", "\n", "0x1",
          "+1", "1_0")  # fmt: skip


def model(random: Random) -> str:
    variables = random.choice((1, 2, 3, 5, 30))
    states = [random.choice((1, 2, 2, 3, 7)) for _ in range(variables)]
    scopes = [
        random.sample(range(variables), min(variables, random.choice((0, 1, 2, 2, 3))))
        for _ in range(random.choice((0, 1, variables, 2 * variables)))
    ]
    tables = []
    for scope in scopes:
        size = int(np.prod([states[v] for v in scope]))
        tables.append(
            f"{size} "
            + " ".join(random.choice(("0", "1", "0.5", "1e-300", "3e5")) for _ in range(size))
        )
    head = f"MARKOV\n{variables}\n{' '.join(map(str, states))}\n{len(scopes)}\n"
    return (
        head
        + "\n".join(f"{len(s)} {' '.join(map(str, s))}" for s in scopes)
        + "\n"
        + "\n".join(tables)
        + "\n"
    )


def changed(text: str, random: Random) -> bytes:
    words = text.replace("\n", " \n ").split(" ")
    for _ in range(random.choice((0, 1, 2, 5))):
        at = random.randrange(len(words))
        words[at : at + random.choice((0, 1, 1, 3))] = [random.choice(TOKENS)]
    data = " ".join(words).encode("latin-1")
    return damaged(data, random) if random.random() < 0.1 else data


def attempt(seed: int, folder: Path) -> str:
    random = Random(seed)
    text, problems = model(random), folder / "problems"
    problems.mkdir()
    (problems / "p.uai").write_bytes(
        changed(text, random) if random.random() < 0.5 else text.encode()
    )
    beside = {
        "evid": random.choice(
            ("0", "1 0 0", "1\n1 0 0\n", "2 0 0 0 1", "/* one */ 1 0 0", "1001 " + "0 " * 1001)
        ),
        "query": random.choice(("1 0", "0", "2 0 1", "1 9")),
        "test": random.choice(("", "1 0 0 0 0 1 0", "2 0 0 1 1 0 1", "1 1 0 1 0 0 1 0 0")),
    }
    for kind, content in beside.items():
        if random.random() < 0.5:
            data = changed(content, random) if random.random() < 0.5 else content.encode()
            (problems / f"p.uai.{kind}").write_bytes(data)
    found = load_problem(problems / "p.uai")
    said = "read"
    for problem in found[:3]:
        try:
            value, rows = posterior(problem.model, problem.evidence)
            best, states = most_probable(problem.model, problem.evidence)
            assert best <= value + 1e-6 * max(1, abs(value)) or value == -np.inf
            assert rows is None or all(abs(row.sum() - 1) < 1e-9 for row in rows)
            assert len(states) == len(problem.model.cardinalities)
        except TooWideError:
            said = "too wide"
    if random.random() < 0.3:
        (folder / f"{found[0].name}.reference.json").write_bytes(reference(found[0], random))
        find_reference(found[0], folder)
    for task in random.sample(("PR", "MAR", "MPE", "MMAP", "MLC"), 3):
        answers = folder / "answers" / "solver"
        answers.mkdir(parents=True, exist_ok=True)
        answer = random.choice(
            (
                f"{task}\n1 0",
                f"{task}\n-3.5",
                f"{task}\n1\n2 1 0",
                f"{task}\n2 2 0.5 0.5 2 1 0",
                task,
                "",
            )
        )
        (answers / f"p.uai.{task}").write_bytes(changed(answer, random))
    scored = score_answers(found[:3], folder / "answers")
    assert scored.scores["score"].dropna().between(0, 100).all()
    return said


def reference(problem: object, random: Random) -> bytes:
    kept = json.loads(json.dumps(compute_reference(problem).model_dump()))  # type: ignore[arg-type]
    for _ in range(random.choice((0, 1, 2))):
        kept[random.choice(sorted(kept))] = random.choice(
            (
                None,
                5,
                "x",
                [],
                {},
                [[]],
                [[0.5, 0.5]],
                {"MPE p": [5]},
                {"MPE p": [[], []]},
                float("nan"),
                -1e300,
            )
        )
    data = json.dumps(kept).encode()
    return damaged(data, random) if random.random() < 0.3 else data


def test_uai() -> None:
    counts = hammer("uai", 200)
    assert counts["read"] > counts.total() / 10
    assert counts["refused"] > counts.total() / 5
