"""Texts that two dialects read in two ways: which reading is taken, for the ledger."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

_CALLS = r"(?:^|[(,])\s*(?:add|sub|mul|div|mult|fdim)\("
# what a text holds (for RE2: no look-around), what else it must and must not hold, and how it is read
READINGS = (
    (r"(?:^|[(,+*/ -])div\(", "", "",
     "div(a, b) was read as gplearn's protected division: 1 where abs(b) <= 0.001 (not as a plain one)"),
    (r"(?:^|[(, ])(?:sqrt|log|inv)\(", _CALLS, r"pow\(|mylog\(",
     "sqrt, log and inv of prefix form were read as gplearn's protected ones (not as plain ones)"),
    (r"[\w)]\s*%\s*[\w(]", "", "",
     "% was read as the remainder of a division, as in Python (not as a protected division)"),
    (r"(?:^|\W)logit\(", "", "",
     "logit(x) was read as FEAT's 1/(1 + exp(-x)) (not as log(x/(1 - x)))"),
    (r"(?:^|\W)relu\(", "", "",
     "relu(x) was read as max(x, 0) (FEAT's own gives 0.01 where x <= 0)"),
    (r"(?:^|\W)gauss\(", "", "",
     "gauss(x) was read as exp(-x**2) (FEAT's own has a centre that its text does not print)"),
    (r"\(-?[\d.]+\*[^()+/ -]+/-?[\d.]+\*", "", "",
     "a*x/b*y was read from the left, as (a*x/b)*y (FEAT prints its quotient (a*x)/(b*y) in this way)"),
    (r"(?:^|\W)logical_(?:or|and)\(", "", "",
     "arguments of logical_or and logical_and were read as true where they are not 0 (PySR: above 0)"),
    (r"""^\s*\[[^'"\]]*,""", "", "",
     "a list was read as the sum of its terms, as BSR has it (not as several models)"),
)  # fmt: skip


def ambiguous(texts: pd.Series) -> Iterator[tuple[str, pd.Series]]:
    """Find the texts that another dialect reads otherwise.

    Yields
    ------
    tuple of str and Series of bool
        How such texts were read, and which ones they are; none without a text.
    """
    codes, distinct = pd.factorize(texts)
    once = pd.Series(distinct, dtype="str")
    for pattern, also, never, sentence in READINGS:
        there = once.str.contains(pattern, na=False)
        if also and there.any():
            there &= once.str.contains(also, na=False)
        if never and there.any():
            there &= ~once.str.contains(never, na=False)
        if there.any():
            # the last for the code of no text, -1
            found = np.append(there.to_numpy(dtype=bool), False)
            yield sentence, pd.Series(found[codes], texts.index)
