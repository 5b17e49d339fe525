"""What the benchmarks of model text run inside workers, and how complexities are compared."""

import time

import pandas as pd
import sympy
from sympy.parsing.sympy_parser import parse_expr

from srlib.expressions import Expression, count_sympy, simplify


def simplified(rounded: Expression) -> float:
    """CPU seconds of simplifying and counting a model whose constants are rounded already."""
    start = time.process_time()
    simplify(rounded, round_constants="never")
    return time.process_time() - start


def plainly_simplified(text: str) -> float:
    """CPU seconds of the plain way."""
    start = time.process_time()
    model = parse_expr(text)
    floats = {value: sympy.Float(round(float(value), 3)) for value in model.atoms(sympy.Float)}
    count_sympy(sympy.simplify(model.xreplace(floats)))
    return time.process_time() - start


def agreement(table: pd.DataFrame, recorded: pd.DataFrame) -> str:
    """Share of simplified complexities that equal the recorded ones; both tables have the runs in one order."""
    ok = (table["simplify_status"] == "ok").to_numpy() & recorded["simplified_complexity"].notna().to_numpy()
    ours, theirs = table["complexity"].to_numpy(float)[ok], recorded["simplified_complexity"].to_numpy()[ok]
    return (
        f"simplified complexity as SRBench recorded it: {(ours == theirs).mean():.1%} of {ok.sum()} runs; "
        f"ours smaller {(ours < theirs).mean():.1%}, larger {(ours > theirs).mean():.1%}; "
        f"within 10%: {(abs(ours - theirs) <= 0.1 * theirs).mean():.1%}"
    )
