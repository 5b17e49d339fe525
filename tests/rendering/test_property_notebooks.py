"""The notebooks about properties and noise on small tables: they run, and their check cells find a corrupted number."""

import re

import nbformat
import pandas as pd
import pytest

from srlib.files import NOTEBOOKS
from tests.gauntlet.pages import drawn_once

MODELS = {
    "alpha": {
        "exact_formula_easier": "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1",
        "featureselection_easy": "0.11*x1^3 + 0.1*x12",
    },
    "beta": {
        "exact_formula_easier": "2.5*x2 - 1.5*x1 + sin(x1)",
        "featureselection_easy": "x2*x3 + 0.2*x11 + x15",
    },
}
RATES = """algorithm,dataset,target_noise,data_group,symbolic_solution_rate_(%),accuracy_solution
A,f1,0,Feynman,100,1
A,f1,0.01,Feynman,50,1
B,f1,0,Feynman,10,0
B,f1,0.01,Feynman,10,0
A,s1,0,Strogatz,80,1
A,s1,0.01,Strogatz,70,0
"""


def execute(name, folder, **parameters):
    """Run all code cells but the last, with these parameters; give the last and its names."""
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    cells = [cell.source for cell in cells if cell.cell_type == "code"]
    space = {}
    exec(cells[0], space)
    assert set(parameters) <= set(space)
    space |= parameters | {"output_dir": str(folder)}
    with drawn_once():
        for cell in cells[1:-1]:
            exec(cell, space)
    return cells[-1], space


@pytest.fixture(name="properties", scope="module")
def properties_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("properties")
    rows = [
        {"method": method, "dataset": dataset, "repetition": 1, "model": text, "data_seed": 2082}
        for method, texts in MODELS.items()
        for dataset, text in texts.items()
    ]
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    return folder, *execute("properties", folder, runs=str(folder / "runs.csv"))


@pytest.fixture(name="noise", scope="module")
def noise_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("noise")
    (folder / "groundtruth.csv").write_text(RATES)
    runs = str(folder / "groundtruth.csv")
    return folder, *execute("noise", folder, runs=runs, metric="solution")


def test_datasets_go_from_easy_to_hard_and_metrics_have_names(properties, noise):
    """The table of solutions goes as the problem file does; captions say what a metric is, not what its column is."""
    solved = properties[2]["found"]["dataset"].drop_duplicates().tolist()
    assert solved == ["exact_formula_easier", "featureselection_easy"]
    (table,) = (noise[0] / "tables").glob("levels-*eynman*.tex")
    assert "Share of symbolic solutions of each method" in " ".join(table.read_text().split())


def corrupt(path, column):
    table = pd.read_csv(path)
    table[column] = table[column].astype("float64")
    table.loc[0, column] += 1
    table.to_csv(path, index=False)


@pytest.mark.parametrize("name", ["properties", "noise"])
def test_the_check_cell_confirms(name, request, capsys):
    _, cell, space = request.getfixturevalue(name)
    exec(cell, dict(space))
    assert re.search(r"^checks passed: (\d+) of \1$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "file", "column"),
    [
        ("properties", "aspects", "aspect_rank"),
        ("properties", "tables/places", "mean_rank"),
        ("properties", "tables/places", "place"),
        ("properties", "tables/scores-relevant_features", "S1"),
        ("properties", "tables/use-relevant_features-numbers", "x12"),
        ("noise", "tables/pairs", "sensitivity"),
        ("noise", "tables/pairs", "quality_1"),
        ("noise", "tables/overall", "sensitivity"),
        ("noise", "tables/overall", "place_flag"),
        ("noise", "tables/overall", "place_worst_rank"),
        ("noise", "tables/quality", "value"),
    ],
)
def test_a_corrupted_number_is_found(name, file, column, request, capsys):
    folder, cell, space = request.getfixturevalue(name)
    path = folder / f"{file}.csv"
    text = path.read_text()
    if file == "aspects":
        table = pd.read_csv(path).sort_values(
            "aspect", key=lambda names: names != "property", kind="stable"
        )
        table.to_csv(path, index=False)
    corrupt(path, column)
    try:
        with pytest.raises(AssertionError, match="not confirmed"):
            exec(cell, dict(space))
    finally:
        path.write_text(text)
    capsys.readouterr()


def test_published_rates_need_no_problems(noise):
    _, _, space = noise
    assert space["sentence"].startswith(
        "A: least sensitive to noise, 30.000 in share of symbolic solutions"
    )
    assert "The guard finds 1 of 2 methods" in space["sentence"]
    assert space["noisy"].counts == {"read": 6, "scored": 6, "excluded": 0}


@pytest.mark.parametrize("planted", [None, "A: least", "B: least", "equal"])
def test_where_all_are_equally_sensitive_the_answer_says_so_and_the_check_holds_it_to_it(
    planted, tmp_path, capsys
):
    """A sentence that names somebody, or says of others that they are equal, is found."""
    lines = [line for line in RATES.splitlines() if not line.startswith("A,s")]
    lines[3] = "B,f1,0,Feynman,60,0"
    rates = "\n".join(lines)
    if planted == "equal":
        rates = RATES
    (tmp_path / "groundtruth.csv").write_text(rates)
    runs = str(tmp_path / "groundtruth.csv")
    cell, space = execute("noise", tmp_path, runs=runs, metric="solution")
    equal = "Least sensitive to noise: nobody, all 2 methods share the place, "
    assert space["sentence"].startswith(equal) == (planted != "equal")
    if planted is None:
        exec(cell, space)
        assert "FAILED" not in capsys.readouterr().out
        return
    path = tmp_path / "tables" / "verdict.csv"
    said = path.read_text()
    wrong = said.replace(equal, f"{planted} sensitive to noise, ")
    if planted == "equal":
        wrong = said.replace("A: least sensitive to noise, ", equal)
    assert wrong != said
    path.write_text(wrong)
    with pytest.raises(AssertionError, match="not confirmed"):
        exec(cell, space)


def test_methods_that_share_the_place_may_differ_in_sensitivity(tmp_path, capsys):
    """Where the guard puts all last, the answer says from what to what they reach, and the check holds it to both."""
    rates = RATES + "B,s1,0,Strogatz,10,0\nB,s1,0.01,Strogatz,0,0\n"
    for name in ("f1,{},Feynman", "s1,{},Strogatz"):
        rates += f"C,{name.format(0)},90,0\nC,{name.format(0.01)},30,0\n"
    (tmp_path / "groundtruth.csv").write_text(rates)
    runs = str(tmp_path / "groundtruth.csv")
    parameters = {"runs": runs, "metric": "solution", "rules": "judging-2026", "least": 101.0}
    cell, space = execute("noise", tmp_path, **parameters)
    all_share = "nobody, all 3 methods share the place, 5.000 to 60.000 "
    assert space["sentence"].startswith(f"Least sensitive to noise: {all_share}")
    exec(cell, dict(space))
    assert "FAILED" not in capsys.readouterr().out
    path = tmp_path / "tables" / "verdict.csv"
    path.write_text(path.read_text().replace(all_share, all_share.replace("60.000", "61.000")))
    with pytest.raises(AssertionError, match="the answer names the least sensitive"):
        exec(cell, space)
