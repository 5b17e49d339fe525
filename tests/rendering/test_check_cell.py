"""The check cell of the notebooks: it needs the files alone, and finds one corrupted number in them."""

import contextlib
import io
import re
from functools import cache

import pandas as pd
import pytest

from srlib.files import NOTEBOOKS
from tests.pages.harness import passed, sources, undrawn

REPORTS = sorted({path.stem for path in NOTEBOOKS.glob("*.ipynb")} - {"explore"})
QUICK = ("benchmark",)
CORRUPTED = """
benchmark tables/values B
benchmark tables/ranking score
benchmark tables/pairs-r2-test-numbers p_value
benchmark tables/pairs-r2-test-numbers effect
benchmark tables/statements holds
synthetic aspects value accuracy
synthetic aspects value property
synthetic aspects value_rounded simplicity
synthetic aspects value_rounded property
synthetic aspects aspect_rank accuracy
synthetic aspects aspect_rank simplicity
synthetic aspects n_runs accuracy
synthetic aspects n_runs property
properties aspects aspect_rank property
properties tables/mean-points alpha
noise tables/cells sensitivity
noise tables/cells accuracy
noise tables/overall sensitivity
noise tables/overall distance
noise tables/overall rank
noise tables/quality value
qualification qualification median_r2
qualification qualification rank_difference
qualification qualification n_runs
qualification verdicts margin
qualification verdicts mean_rank
qualification verdicts median_r2
qualification verdicts wins
qualification verdicts qualified
robustness resampling p_win
robustness leave_one_out rank
robustness significance wins
robustness tables/sources alpha
inference tables/scores score mean-field
inference tables/scores error mean-field
inference tables/scores max_error mean-field
inference tables/ranking score
inference tables/ranking rank
inference tables/ranking n_instances
inference tables/ranking p_win
"""
FEW_RUNS = """method,dataset,model
alpha,exact_formula_easier,0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1
alpha,featureselection_easy,0.11*x1^3
beta,exact_formula_easier,2.5*x2 - 1.5*x1 + sin(x1)
beta,featureselection_easy,x2*x3 + 0.2*x11
gamma,exact_formula_easier,2.5*x2
gamma,featureselection_easy,0.91*x2*x3 + 0.11*x1^3
"""
PUBLISHED = {"*A": 0.9, "B": 0.5, "dataset": 0.1}  # a mark at a name, and the name of a column
CLAIM = {"claim": "c", "metric": "r2_test", "better": ["A"], "than": ["dataset"]}


def marked(rows):
    """Cases by the notebook that they begin with; all but the quick ones are slow."""
    slow = {row: [] if row.split()[0] in QUICK else pytest.mark.slow for row in rows}
    return [pytest.param(*row.split(maxsplit=1), marks=mark) for row, mark in slow.items()]


def write_inputs(name, folder):
    """Write small tables for a notebook and give the parameters that name them; others take the demo."""
    if name == "benchmark":
        rows = [
            (m, f"d{d}", r2 * (1 - d / 20), 5.0) for m, r2 in PUBLISHED.items() for d in range(9)
        ]
        table = pd.DataFrame(rows[:-1], columns=["algorithm", "dataset", "r2_test", "model_size"])
        table.to_csv(folder / "runs.csv", index=False)
        own = {"tables": ["runs.csv"], "problems": "", "statements": [CLAIM | {"p_at_most": 0.05}]}
        return own | {"runs": str(folder)}
    if name in ("synthetic", "properties", "robustness"):
        models = pd.read_csv(io.StringIO(FEW_RUNS))
        runs = pd.concat([models.assign(repetition=number) for number in (1, 2, 3)])
        runs.to_csv(folder / "runs.csv", index=False)
        return {"runs": str(folder / "runs.csv")}
    return {}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Execute a notebook, once, up to its check cell; give that cell and all the names that it may use."""

    @cache
    def execute(name):
        folder = tmp_path_factory.mktemp(name)
        first, *cells, last = sources(name)
        parameters = {}
        exec(first, parameters)
        parameters |= write_inputs(name, folder) | {"output_dir": str(folder / "out")}
        space = dict(parameters)
        with pytest.MonkeyPatch.context() as patch, contextlib.chdir(NOTEBOOKS):
            undrawn(patch)
            for cell in cells:
                exec(cell, space)
        return last, parameters | {"output": folder / "out"}

    return execute


@pytest.mark.parametrize("name", marked(REPORTS))
def test_check_cell_confirms_with_pandas_and_the_files_alone(name, executed, capsys):
    cell, names = executed(name)
    imports = re.findall(r"^ *(?:import|from) .+", cell, re.MULTILINE)
    assert set(imports) <= {"import json", "import numpy as np", "import pandas as pd"}
    exec(cell, dict(names))
    assert passed(capsys.readouterr().out)


def test_a_new_report_has_a_number_whose_corruption_its_check_cell_has_to_find():
    """Two reports of today have none."""
    tried = {row.split()[0] for row in CORRUPTED.strip().splitlines()}
    assert set(REPORTS) - tried <= {"participant", "real_world"}


@pytest.mark.parametrize(("name", "place"), marked(CORRUPTED.strip().splitlines()))
def test_corrupted_number_is_found(name, place, executed, capsys):
    """The first number of a column, or the first in a row with that word."""
    cell, names = executed(name)
    file, column, *word = place.split()
    path = names["output"] / f"{file}.csv"
    text = path.read_text()
    table = pd.read_csv(path).astype("object")
    row = table.index[table.isin(word).any(axis=1) | (not word)][0]
    value = table.loc[row, column]
    table.loc[row, column] = not value if isinstance(value, bool) else value + 1
    table.to_csv(path, index=False)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            exec(cell, dict(names))
        assert "FAILED: " in capsys.readouterr().out
    finally:
        path.write_text(text)


SMALL_DISTANCE = {  # a method reaches what the truth reaches but for 0.0001
    "cells": """method,dataset,noise_level,reference_level,accuracy,reference_accuracy,sensitivity,guarded
A,d,0,0,0.9999,,,
A,d@0.2,0.2,0,0.7999,0.9999,1,False
""",
    "overall": "method,sensitivity,distance,guarded,missing,rank\nA,1,0.0001,False,0,1\n",
    "quality": """method,noise_level,value
(the truth),0,1
(the truth),0.2,0.8
A,0,0.9999
A,0.2,0.7999
""",
    "verdict": """name,value
verdict,"A: closest to what the truth itself reaches, <0.001 away in test R² on average."
limit,0.5
action,flag
""",
}


def test_distance_that_reads_as_less_than_a_thousandth_is_confirmed(tmp_path, capsys):
    (tmp_path / "tables").mkdir()
    for name, text in SMALL_DISTANCE.items():
        (tmp_path / "tables" / f"{name}.csv").write_text(text)
    exec(sources("noise")[-1], {"output": tmp_path})
    assert passed(capsys.readouterr().out)
