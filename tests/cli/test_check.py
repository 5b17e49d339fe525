"""`srlib check`: a participant learns what is wrong before sending."""

from pathlib import Path

import pandas as pd
import pytest

from tests.builders import each

PROBLEMS = """
schema: 1
name: bakery
problems:
  - {dataset: bread, property: solution, features: [flour, water], truth: flour + 2*water,
     domain: {flour: [0, 2], water: [1, 3]}}
  - {dataset: cake, property: solution, features: [sugar], truth: 3*sugar}
  - {dataset: tea, property: solution, features: [sugar], truth: sugar, scored: false}
  - {dataset: ice, property: solution, features: [x1, x2], truth: x1 + x2, scored: false}
"""
GOOD = "Ana,bread,1,flour + 2*water\nAna,cake,1,3*sugar\n"
FAULTS = """
Ana,bread,2,flour + -> unparsed -> the end at position 7
Ana,bread,2,butter -> unparsed -> a feature (flour and water) was expected
Ana,bread,2,flour | water -> several_models -> one model
Ana,bread,2,"def f(flour): return m.predict(flour)" -> no_closed_form -> m.predict
Ana,bread,2, -> empty_model -> a model text was expected
Ana,bread,two,flour -> invalid_value -> repetition
Ana,bred,2,flour -> unknown_dataset -> bred
Ana,bread,1,flour -> invalid_value -> stands in row 1; row 3
Ana,bread,2,0.000*flour + water*1.23456789 -> few_digits -> 0.000
Ana,bread,2,1/(flour - flour) -> invalid_value -> inf
Ana,bread,2,x1 + flour -> unparsed -> state how features are named
Ana,ice,2,x1 -> names_ambiguous -> by the features' names and from x0
Ana,bread,2,"[flour, water]" -> several_models -> one model was expected, got ','
Ana,bread,2,"div(flour, water)" -> names_ambiguous -> gplearn's protected
"""


@pytest.fixture
def check(call):
    """Check a table; give the exit code, the findings, how each text was read, and the screen."""
    Path("problems.yaml").write_text(PROBLEMS)

    def run(rows, words="", header="method,dataset,repetition,model\n"):
        Path("s.csv").write_text(header + rows)
        code, output, _ = call(f"check s.csv --problems problems.yaml --out f.csv {words}")
        return code, pd.read_csv("f.csv"), pd.read_csv("f-read.csv"), output

    return run


@each("row code detail", FAULTS, "->")
def test_fault_of_a_row_is_a_finding(row, code, detail, check):
    exit_code, findings, *_ = check(GOOD + row + "\n")
    lines = findings[findings["code"] == code]
    assert exit_code == 1 and lines["help"].notna().all()
    assert lines["detail"].str.contains(detail, regex=False).any()
    assert 3 in lines["row"].tolist() or "protected" in detail


@pytest.mark.parametrize(("ending", "code"), [("", "invalid_value"), (" +", "unparsed")])
def test_text_readable_or_not_has_all_of_its_findings(ending, code, check):
    findings = check(f"{GOOD}Ana,ice,2,0.000*x1 + 0.00/(x1 - x1){ending}\n")[1]
    ambiguous = [] if ending else ["names_ambiguous"]
    assert set(findings["row"]) == {3}
    assert findings["code"].tolist() == [code, *ambiguous, "few_digits", "few_digits"]


@pytest.mark.parametrize("model", ["sugar/(flour - water)", "log(flour)/(water - 1)"])
def test_poles_at_equal_features_or_ends_of_ranges_are_no_finding(model, check):
    """The true model may have a pole where two features are equal, or at an end of their ranges."""
    domain = "{flour: [0, 1], water: [0, 1], sugar: [0, 1]}"
    problem = f"  - {{dataset: pie, property: solution, features: [flour, water, sugar], domain: {domain}}}\n"
    Path("problems.yaml").write_text(PROBLEMS + problem)
    assert check(f"{GOOD}Ana,pie,1,{model}\n")[0] == 0


def test_run_whose_data_are_unknown_or_others_is_a_finding(check):
    """Two seeds, and no third one: a score would exclude the run. What a data_seed says does not count."""
    data = "{train: '{data_seed}a.csv', test: '{data_seed}b.csv'}"
    more = f"  - {{dataset: ale, features: [hops], data_seeds: [5, 7], data: {data}}}\n"
    Path("problems.yaml").write_text(PROBLEMS + more)
    for name in ("5a", "5b", "7a", "7b"):
        Path(f"{name}.csv").write_text("hops,y\n1,2\n2,4\n3,6\n")
    rows = "Ana,ale,3,1/(hops - hops),5\nAna,ale,2,2*hops,5\nAna,ale,5,2*hops,5\n"
    rows += GOOD.replace("\n", ",\n")
    _, findings, _, output = check(rows, header="method,dataset,repetition,model,data_seed\n")
    assert findings.set_index("row")["code"].to_dict() == {1: "invalid_value", 2: "other_data"}
    infinite, unknown, other = findings["detail"]
    assert "the data of its dataset: 1 to 2, or one of the seeds 5, 7" in unknown
    assert other.startswith("data_seed 5 is not the seed of repetition 2;")
    assert f"dataset ale: {infinite}; {unknown}: " in output  # all findings of the first text


@each(
    "seeds count bread cake",
    """
 | 1 | 1 of 10 repetitions are there | there is no run on this dataset
data_seeds: [5, 6], | 2 | 1 of 2 repetitions are there | 1 of 10 repetitions are there
""",
)
def test_missing_runs_are_counted_by_data_seeds_or_rules(seeds, count, bread, cake, check):
    """The rules expect ten runs."""
    text = PROBLEMS.replace("{dataset: bread, ", f"{{dataset: bread, {seeds} ")
    Path("problems.yaml").write_text(text)
    code, findings, *_ = check("".join(GOOD.splitlines(True)[: int(count)]), "--rules judging-2022")
    missing = findings[findings["code"] == "missing_runs"].set_index("dataset")
    assert (code, missing["detail"].to_dict()) == (1, {"bread": bread, "cake": cake})


def test_names_of_features_are_recognised_or_stated(check):
    rows = "C,bread,1,x1 + 2*x2\nC,cake,1,3*x1\nD,bread,1,x0\nE,bread,1,water\nF,bread,1,x1\n"
    code, findings, read, output = check(rows)
    assert read["names"].tolist() == ["x1", "x1", "x0", "features"]
    first = "s.csv row 1: flour + 2*water | names x1 | flour, water | size 5 | values 3.5, 5.9, 4.3"
    assert output.splitlines()[0] == first
    assert code == 1 and findings["row"][findings["code"] == "unparsed"].tolist() == [5]
    _, findings, read, _ = check(rows, "--names F=x1")
    assert read["read_as"].tolist()[-1] == "flour"
    assert "unparsed" not in findings["code"].tolist()
    assert "names: s.csv has no method Nobody." in check(rows, "--names Nobody=x1")[-1]
