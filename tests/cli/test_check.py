"""`srlib check`: a participant learns what is wrong before sending."""

import pandas as pd
import pytest

from srlib.cli.main import main

PROBLEMS = """
schema: 1
name: bakery
problems:
  - {dataset: bread, property: solution, features: [flour, water], truth: flour + 2*water,
     domain: {flour: [0, 2], water: [1, 3]}}
  - {dataset: cake, property: solution, features: [sugar], truth: 3*sugar}
  - {dataset: tea, property: solution, features: [sugar], truth: sugar, scored: false}
"""
HEAD = "method,dataset,repetition,model\n"
GOOD = HEAD + "Ana,bread,1,flour + 2*water\nAna,cake,1,3*sugar\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "problems.yaml").write_text(PROBLEMS)
    return tmp_path


def found(here, text, *options):
    (here / "s.csv").write_text(text)
    code = main(["check", "s.csv", "--problems", "problems.yaml", "--out", "f.csv", *options])
    return code, pd.read_csv("f.csv"), pd.read_csv("f-read.csv")


@pytest.mark.parametrize(
    ("row", "code", "said"),
    [
        ("Ana,bread,2,flour +", "unparsed", "the end at position 7"),
        ("Ana,bread,2,butter", "unparsed", "a feature (flour and water) was expected"),
        ("Ana,bread,2,flour | water", "several_models", "one model"),
        ('Ana,bread,2,"def f(flour): return m.predict(flour)"', "no_closed_form", "m.predict"),
        ("Ana,bread,2,", "empty_model", "no model text"),
        ("Ana,bread,two,flour", "invalid_value", "repetition"),
        ("Ana,bred,2,flour", "unknown_dataset", "bred"),
        ("Ana,bread,1,flour", "invalid_value", "stands in row 1; row 3"),
        ("Ana,bread,2,0.000*flour + water*1.23456789", "few_digits", "0.000"),
        ("Ana,bread,2,1/(flour - flour)", "invalid_value", "inf"),
        ("Ana,bread,2,x1 + flour", "names_ambiguous", "x0 and from x1"),
        ('Ana,bread,2,"div(flour, water)"', "names_ambiguous", "gplearn's protected"),
    ],
)
def test_each_fault_in_one_row(here, row, code, said):
    text = GOOD + row + "\n"
    exit_code, findings, _ = found(here, text)
    assert exit_code == 1
    lines = findings[findings["code"] == code]
    assert len(lines)
    assert lines["detail"].str.contains(said, regex=False).any()
    assert lines["help"].notna().all()
    if "protected" not in said and "twice" not in said:
        assert 3 in lines["row"].tolist()


def test_a_run_that_does_not_say_its_data_is_found_before_it_is_sent(here):
    """Two seeds, and no third one: a score would exclude the run. What a data_seed says does not count."""
    data = "{train: '{data_seed}a.csv', test: '{data_seed}b.csv'}"
    more = f"  - {{dataset: ale, features: [hops], data_seeds: [5, 7], data: {data}}}\n"
    (here / "problems.yaml").write_text(PROBLEMS + more)
    for seed in (5, 7):
        for part in "ab":
            (here / f"{seed}{part}.csv").write_text("hops,y\n1,2\n2,4\n3,6\n")
    rows = [line + "," for line in GOOD.splitlines()[1:]]
    rows += ["Ana,ale,3,2*hops,5", "Ana,ale,2,2*hops,5", "Ana,ale,5,2*hops,5"]
    _, findings, _ = found(here, "\n".join([HEAD.strip() + ",data_seed", *rows]) + "\n")
    assert findings.set_index("row")["code"].to_dict() == {3: "invalid_value", 4: "other_data"}
    details = findings.set_index("code")["detail"]
    assert "the data of its dataset: 1 to 2, or one of the seeds 5, 7" in details["invalid_value"]
    assert details["other_data"].startswith("data_seed 5 is ignored: the repetition, 2, says")


def test_what_is_missing(here):
    code, findings, _ = found(here, HEAD + "Ana,bread,1,flour\n", "--rules", "judging-2022")
    assert code == 1
    missing = findings[findings["code"] == "missing_runs"]
    assert dict(zip(missing["dataset"], missing["detail"], strict=True)) == {
        "bread": "1 of 10 repetitions are there",
        "cake": "there is no run on this dataset",
    }


def test_no_run_is_missing_that_nobody_has_data_for(here):
    """The rules expect ten runs; bread has data for two, of which Ana sent one."""
    text = PROBLEMS.replace("{dataset: bread,", "{dataset: bread, data_seeds: [5, 6],")
    (here / "problems.yaml").write_text(text)
    findings = found(here, GOOD, "--rules", "judging-2022")[1]
    missing = findings[findings["code"] == "missing_runs"]
    assert dict(zip(missing["dataset"], missing["detail"], strict=True)) == {
        "bread": "1 of 2 repetitions are there",
        "cake": "1 of 10 repetitions are there",
    }


def test_how_each_text_names_features_and_what_is_stated_for_a_team(here, capsys):
    rows = "C,bread,1,x1 + 2*x2\nC,cake,1,3*x1\nD,bread,1,x0\nE,bread,1,water\nF,bread,1,x1\n"
    code, findings, read = found(here, HEAD + rows)
    assert read["names"].tolist() == ["x1", "x1", "x0", "features", "x0 or x1"]
    first = 's.csv row 1: flour + 2*water | names x1 | ["flour", "water"] | size 5 | values 2, 5, 8'
    assert capsys.readouterr().out.splitlines()[0] == first
    assert read["read_as"].tolist()[-1] == "water"
    assert code == 1 and findings["code"].tolist().count("names_ambiguous") == 1
    code, findings, read = found(here, HEAD + rows, "--names", "F=x1")
    assert read["read_as"].tolist()[-1] == "flour" and "names_ambiguous" not in set(
        findings["code"]
    )
    assert main(["check", "s.csv", "--problems", "problems.yaml", "--names", "Nobody=x1"]) == 1
    assert "names: s.csv has no method Nobody." in capsys.readouterr().out
