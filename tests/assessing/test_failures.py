"""Why runs have no usable model or test R2: the first reason, by hand."""

import numpy as np
import pandas as pd
import pytest

from srlib.assessing.failures import find_failures
from tests.expressions.cases import cells

# status, parse_status, data_status, r2_source, r2_test, first code
REASONS = """
    ok       ok              ok        recomputed  0.9   -
    ok       ok              nan       reported    0.9   -
    failed   empty           nan       none        nan   failed_run
    timeout  ok              nan       none        0.9   failed_run
    memory   empty           nan       none        nan   memory
    crashed  unparsed        nan       none        nan   crashed
    ok       empty           nan       none        nan   empty_model
    ok       nonfinite       nan       none        nan   unparsed
    ok       several_models  nan       none        nan   several_models
    ok       no_closed_form  nan       none        0.9   no_closed_form
    ok       ok              unstated  none        0.9   invalid_value
    ok       ok              nan       none        nan   nonfinite_r2
    ok       ok              timeout   recomputed  nan   machine_limit
    ok       ok              error     recomputed  nan   crashed
    ok       ok              ok        recomputed  -inf  nonfinite_r2
"""
COLUMNS = ("status", "parse_status", "data_status", "r2_source", "r2_test")


@pytest.mark.parametrize("row", cells(REASONS))
def test_the_first_reason_of_a_run_counts(row):
    *values, code = row
    run = dict(zip(COLUMNS, values, strict=True))
    run |= {
        "r2_test": float(run["r2_test"]),
        "data_status": run["data_status"].replace("nan", "") or None,
    }
    failures = find_failures(pd.DataFrame([run]))
    codes = [code for mask, code, _ in failures if np.asarray(mask, dtype=bool)[0]]
    assert [*codes, "-"][0] == code
