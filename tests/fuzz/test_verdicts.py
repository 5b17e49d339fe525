"""Verdicts on models whose values explode: everything ends, and a witness differs."""

import collections
import os
import time
import traceback
import warnings
from pathlib import Path
from random import Random

import pytest

from srlib.expressions import compare, parse
from srlib.workers import bounded_map
from tests.fuzz.verdicts import judge

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("SRLIB_FUZZ_SECONDS", "0"))  # 0: the few cases of an ordinary run
FIRST = int(os.environ.get("SRLIB_FUZZ_SEED", "0"))
BATCH, CASES, CASE_S = 25, 150, 20.0
KINDS = {"identical", "offset", "scale", "different", "constant", "unknown"}
TOWERS = ("exp({})", "exp(-{})", "9**({})", "({})**9", "sin({})", "1/({})", "cosh({})", "gamma({})",
          "log({})", "0*({})",
          "({0})-({0})", "tan({})", "floor({})", "mod({}, 3)", "sqrt(abs({}))", "0.0005*({})", "max({}, y)",
          "({})**({})")  # fmt: skip
LEAVES = (
    "x",
    "y",
    "9",
    "0.5",
    "1e300",
    "1e-300",
    "-2",
    "x*y",
    "x - y",
    "0",
    "9**9**9**9",
    "1.0003",
    "x**2.0003",
)


def tower(random: Random) -> str:
    """Nest functions that explode, vanish or are undefined."""
    text = random.choice(LEAVES)
    for _ in range(random.randrange(1, 7)):
        text = random.choice(TOWERS).replace("{0}", "{}").replace("{}", text)
        if len(text) > 2000:
            break
    return text


def attempt(seed: int, folder: Path) -> str:
    random = Random(seed)
    truth = random.choice(("x", "x*y", "x + 1", tower(random)))
    model = random.choice(("{}", "x + {}", "x*(1 + {})", "x + 0*{}", "x + 1e-9*({})")).format(
        tower(random)
    )
    domain = {name: random.choice(((1, 5), (0, 1e9), (-5, 5), (1, 1e6))) for name in ("x", "y")}
    found = compare(parse(truth), parse(model), domain)
    assert found.kind in KINDS
    if found.kind == "different":
        witness = found.witness
        assert witness["model"] is None or witness["difference"] != 0.0
    if found.kind in ("identical", "offset", "scale"):
        assert found.deviation is None or not found.deviation > 0.05, "it is another function"
    if found.kind == "identical":
        assert all(move["percent"] is None or abs(move["percent"]) <= 0.5 for move in found.moved)
    return found.kind


def carry_out(start: int) -> tuple[dict[str, int], list[str]]:
    """Try a batch of seeds, in a worker; what failed, with its seed."""
    counts: collections.Counter[str] = collections.Counter()
    faults = []
    warnings.simplefilter("error", RuntimeWarning)
    for seed in range(start, start + BATCH):
        begun = time.process_time()
        try:
            counts[attempt(seed, Path())] += 1
        except Exception:
            faults.append(f"seed {seed}: {traceback.format_exc()[-1500:]}")
        if time.process_time() - begun > CASE_S:
            faults.append(f"seed {seed} took {time.process_time() - begun:.0f} s")
    return dict(counts), faults


def starts():
    begun, start = time.monotonic(), FIRST
    while time.monotonic() - begun < SECONDS if SECONDS else start < FIRST + CASES:
        yield start
        start += BATCH


def test_no_verdict_on_random_pairs_is_false() -> None:
    assert [fault for number in range(200) if (fault := judge(0, number)[2])] == []


def test_verdicts() -> None:
    counts: collections.Counter[str] = collections.Counter()
    for _, outcome in bounded_map(
        carry_out, starts(), timeout=1500, cpu_seconds=20 * CASE_S, jobs=1
    ):
        assert outcome.status == "ok", outcome.detail
        counts.update(outcome.value[0])
        assert not outcome.value[1], "\n".join(outcome.value[1])
    print(f"verdicts: {counts.total()} inputs, {dict(counts)}")
    assert counts["different"] > counts.total() / 20
