"""The PySR paper's five empirical laws, all models of its runs, and a verdict on one model of them."""

import re
from pathlib import Path

import pandas as pd

from srlib.errors import ModelTextError
from srlib.expressions import compare, parse

# the targets were logarithms but for Hubble's; constants are free, exponents are not
LAWS = {
    "hubble": ("c*D", ["D"], {"D": (0.03, 2.0)}),
    "newton": ("log(m1*m2/r^2) + c", ["r", "m1", "m2"],
               {"r": (1e8, 1e10), "m1": (1e24, 1e30), "m2": (1e24, 1e30)}),
    "ideal_gas": ("log(n*T/V) + c", ["n", "T", "V"], {"n": (1, 50), "T": (250, 350), "V": (1, 50)}),
    "schechter": ("a*log(L) + b*L + c", ["L"], {"L": (1e7, 1e9)}),
    "planck": ("log(n^3/(exp(b*n/T) - 1)) + c", ["n", "T"], {"n": (1e13, 1e15), "T": (1e3, 1e4)}),
}  # fmt: skip
LONGEST = 40  # items of a model


def fronts(folder: Path) -> pd.DataFrame:
    """List all models of all runs: method, dataset, repetition and model; srlib itself reads one a run."""
    rows = []
    for path in sorted(folder.rglob("*_results.txt")):
        run = re.fullmatch(r"([^_]+)_(.+)_seed=(\d+)_v\d+_results\.txt", path.name).groups()
        lines = path.read_text(encoding="utf-8").splitlines()
        rows += [(*run, line.strip()) for line in lines if line.strip()]
    frame = pd.DataFrame(rows, columns=["method", "dataset", "repetition", "model"])
    return frame.astype({"repetition": int})


def judged(item: tuple[str, str]) -> str:
    """Give the kind of verdict on a model of a law, or why there is none."""
    law, text = item
    truth, features, domain = LAWS[law]
    free = sorted({"a", "b", "c"} & parse(truth).features)
    try:
        model = parse(text, features)
    except ModelTextError:
        return "unread"
    if model.features != set(features) or len(model.tape) > LONGEST:
        return "not looked at"
    return compare(parse(truth), model, domain, constants="free", free=free).kind
