"""How long a user waits before anything happens."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", [["--help"], ["score", "--help"]], ids=" ".join)
def test_help(benchmark, words):
    call = [sys.executable, "-m", "srlib.cli.main", *words]
    benchmark.pedantic(subprocess.check_output, args=(call,), rounds=5)
