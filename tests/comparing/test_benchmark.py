"""From tables to values over datasets, with a ledger; published medians and statements from the reference data."""

import numpy as np
import pandas as pd
import pytest

import srlib
from srlib.comparing.benchmark import Benchmark, read_benchmark
from srlib.comparing.comparison import check_statements, compare
from srlib.comparing.metrics import METRICS, Metric, fill_losses
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.ledger import conserve
from srlib.problems import load_problems
from srlib.readers import read_results
from srlib.yaml_files import load_yaml


def runs(path, rows):
    columns = [
        "method",
        "dataset",
        "repetition",
        "r2_test",
        "complexity_raw",
        "training_time_s",
        "status",
    ]
    pd.DataFrame(rows, columns=columns).assign(model="x").to_csv(path / "runs.csv", index=False)
    return read_results(path / "runs.csv")


ROWS = [
    ("A", "feynman_1@0", 1, 0.9995, 5, 1.0, "ok"),
    ("A", "feynman_1@0", 2, 0.5, 7, 2.0, "ok"),
    ("A", "feynman_1@0", 3, 0.7, 9, 3.0, "ok"),
    ("A", "feynman_1@0.01", 1, 0.2, -1, 1.0, "ok"),
    ("B", "feynman_1@0", 1, np.nan, 5, 1.0, "ok"),
    ("B", "feynman_1@0", 2, 0.9999, 4, 1.0, "ok"),
    ("B", "feynman_1@0", 3, 0.9, 4, 1.0, "failed"),
    ("B", "1_fri_c0", 1, -np.inf, 4, 1.0, "ok"),
]


def test_values_are_means_or_medians_of_the_runs_and_failures_count(tmp_path):
    benchmark = read_benchmark([runs(tmp_path, ROWS)])
    r2 = benchmark.cells("r2_test")
    # of 0.9995, 0.5 and 0.7; of 0.9999 and two that failed
    assert r2.loc["feynman_1@0"].tolist() == pytest.approx([2.1995 / 3, 0.9999 / 3])
    assert r2.index.tolist() == ["feynman_1@0", "feynman_1@0.01"]
    median = read_benchmark([runs(tmp_path, ROWS)], aggregate="median")
    assert median.cells("r2_test").loc["feynman_1@0"].tolist() == [0.7, 0.0]
    accurate = benchmark.cells("accuracy_solution")
    assert accurate.loc["feynman_1@0"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert accurate.loc["1_fri_c0", "B"] == 0
    size = median.cells("complexity_raw")
    assert size.loc["feynman_1@0"].tolist() == [7, 9] and "feynman_1@0.01" not in size.index
    assert benchmark.aspects == [
        "accuracy_solution",
        "complexity_raw",
        "r2_test",
        "training_time_s",
    ]


def test_runs_are_absent_only_against_a_stated_number(tmp_path):
    """Of A and B on feynman_1@0 three runs each; A has one on feynman_1@0.01."""
    benchmark = read_benchmark([runs(tmp_path, ROWS)])
    assert benchmark.cells("r2_test").loc["feynman_1@0.01", "A"] == 0.2
    assert benchmark.counts["read"] == 8
    stated = read_benchmark([runs(tmp_path, ROWS)], repetitions=4)
    assert stated.counts == benchmark.counts
    assert stated.cells("r2_test").loc["feynman_1@0.01", "A"] == pytest.approx(0.2 / 4)
    assert stated.cells("accuracy_solution").loc["feynman_1@0", "A"] == 1 / 4
    lines = stated.ledger[stated.ledger["code"] == "missing_runs"]
    assert lines[["method", "dataset", "detail"]].to_numpy().tolist() == [
        ["B", "1_fri_c0", "3 of 4 runs are absent; each counts as a failed run"],
        ["A", "feynman_1@0", "1 of 4 runs are absent; each counts as a failed run"],
        ["B", "feynman_1@0", "1 of 4 runs are absent; each counts as a failed run"],
        ["A", "feynman_1@0.01", "3 of 4 runs are absent; each counts as a failed run"],
    ]
    with pytest.raises(InputError, match="repetitions: a number from 1 on was expected, got 0"):
        read_benchmark([runs(tmp_path, ROWS)], repetitions=0)


def test_the_problem_file_states_repetitions_and_sources(tmp_path):
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: p\ndefaults: {data_seeds: [1, 2, 3, 4], features: [x]}\nproblems:\n"
        "- {dataset: d0, family: f}\n- {dataset: d1, family: f}\n- {dataset: d2}\n"
    )
    rows = [(m, f"d{i}", 1, 0.5, 5, 1.0, "ok") for m in "AB" for i in range(3)]
    benchmark = read_benchmark([runs(tmp_path, rows)], load_problems(tmp_path / "p.yaml"))
    assert benchmark.cells("r2_test").loc["d0", "A"] == 0.5 / 4
    values = benchmark.values("r2_test")
    assert benchmark.units(values).tolist() == ["f", "f", "d2"]
    alone = read_benchmark(
        [runs(tmp_path, rows)], load_problems(tmp_path / "p.yaml"), related="none"
    )
    assert alone.units(values).tolist() == ["d0", "d1", "d2"]
    with pytest.raises(InputError, match="related: none was expected, got 'all'"):
        read_benchmark([], related="all")


def test_levels_of_noise_that_a_problem_file_ties_together_are_one_unit(tmp_path):
    """Also where datasets are taken one by one: they are the same dataset, as `d@0.1` and `d@0.2` are."""
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: p\ndefaults: {features: [x]}\nproblems:\n- {dataset: base}\n- {dataset: other}\n"
        "- {dataset: low, family: f, noise_level: 0.1, noise_reference: base}\n"
        "- {dataset: high, noise_level: 0.3, noise_reference: low}\n"
    )
    names, problems = ("base", "other", "low", "high"), load_problems(tmp_path / "p.yaml")
    rows = [(m, name, 1, 0.5, 5, 1.0, "ok") for m in "AB" for name in names]
    for related in ("", "none"):
        benchmark = read_benchmark([runs(tmp_path, rows)], problems, related=related)
        units = benchmark.units(benchmark.values("r2_test"))
        assert units.to_dict() == dict.fromkeys(names, "base") | {"other": "other"}


def test_a_metric_that_one_file_reports_does_not_leave_out_the_others(tmp_path):
    """One team reports an R² of 0.99999, two others bring texts alone: without problems the comparison is refused."""
    for team, r2 in (("A", 0.99999), ("B", None), ("C", None)):
        rows = [(team, f"d{i}", 1, r2, 5, 1.0, "ok") for i in range(8)]
        runs(tmp_path, rows)
        (tmp_path / "runs.csv").rename(tmp_path / f"{team}.csv")
    table = read_results(tmp_path)
    with pytest.raises(
        InputError, match="B.csv: no run has a value of r2_test, .* name the problems"
    ):
        compare(read_benchmark([table]), "r2_test")
    assert "as reported" in compare(read_benchmark([table]), "complexity_raw").headline
    assert "as reported" not in compare(read_benchmark([table]), "training_time_s").headline


def test_a_reported_value_does_not_win_where_it_can_be_computed(tmp_path):
    """The liar reports 0.99999 for a constant, and that it is the truth; the other reports nothing for the truth."""
    data = pd.DataFrame({"x": np.linspace(1, 3, 40)}).assign(y=lambda t: 2 * t["x"] ** 2)
    names, lines = [f"d{i}" for i in range(6)], []
    for name in names:
        data.to_csv(tmp_path / f"{name}.csv", index=False)
        data.to_csv(tmp_path / f"{name}t.csv", index=False)
        data_files = f"data: {{train: {name}.csv, test: {name}t.csv}}"
        truth = "truth: 2*x^2, " * (name < "d3")
        lines.append(f"- {{dataset: {name}, features: [x], {truth}{data_files}}}")
    (tmp_path / "p.yaml").write_text("schema: 1\nname: p\nproblems:\n" + "\n".join(lines) + "\n")
    for team, text, r2 in (("liar", "7", 0.99999), ("honest", "2*x**2", None)):
        table = pd.DataFrame({"dataset": names, "method": team, "repetition": 1, "model": text})
        claims = {"symbolic_solution": 1, "edit_distance": 0} if team == "liar" else {}
        table.assign(r2_test=r2, **claims).to_csv(tmp_path / f"{team}.csv", index=False)
    tables = [tmp_path / "liar.csv", tmp_path / "honest.csv"]
    compared = srlib.compare(tables, "r2_test", problems=tmp_path / "p.yaml")
    assert compared.leaders == ["honest"] and compared.pairs.loc[0, "better"] == "honest"
    assert "as reported" not in compared.sentences[0]
    for metric, values in (("solution", [1, 0]), ("edit_distance", [0, 1])):
        compared = srlib.compare(tables, metric, problems=tmp_path / "p.yaml")
        units = compared.unit_values[["honest", "liar"]]
        assert units.to_dict("index") == {
            name: dict(zip(units, values, strict=True)) for name in ("d0", "d1", "d2")
        }


def test_every_run_is_accounted_for(tmp_path):
    found = read_benchmark([runs(tmp_path, ROWS)])
    assert found.counts == conserve(8, 5, found.ledger) | {"what": "runs"}
    assert conserve(8, 5, found.ledger) == {"read": 8, "scored": 5, "excluded": 3}
    lines = found.ledger.set_index("code")
    assert lines["row"].groupby(level=0).apply(sorted).to_dict() == {
        "failed_run": [7], "invalid_value": [4], "nonfinite_r2": [5, 8],
    }  # fmt: skip
    assert (
        lines.loc["invalid_value", "detail"]
        == "complexity_raw cannot be -1.0; it counts as missing"
    )


def test_groups_and_noise_levels(tmp_path):
    benchmark = read_benchmark([runs(tmp_path, ROWS)])
    assert benchmark.values("r2_test", "Feynman", 0.01).to_dict("list") == {"A": [0.2]}
    tables = benchmark.by_noise("accuracy_solution")
    assert list(tables) == ["Feynman", "Friedman"]
    assert list(tables["Feynman"]) == ["noise 0", "noise 0.01"]


def test_no_team_states_the_group_of_a_dataset(tmp_path):
    """Else the others would lose in a panel in which one team alone has runs."""
    frame = runs(tmp_path, ROWS).frame
    stated = frame[frame["method"] == "A"].assign(method="C", group="own")
    panels = read_benchmark([read_results(frame), read_results(stated)]).by_noise("r2_test")
    assert {name: list(series["noise 0"]) for name, series in panels.items()} == {
        "Feynman": ["A", "B", "C"]
    }


def test_a_missing_cell_is_a_loss():
    cells = pd.DataFrame(
        {"A": [1.0, np.nan], "B": [2.0, 5.0], "C": [np.nan, 4.0]}, index=["d", "e"]
    )
    nothing = pd.Series(np.nan, cells.index)
    for metric, values in (
        (Metric("score"), [[1, 2, 0], [3, 5, 4]]),
        (Metric("size", "lower"), [[1, 2, 3], [6, 5, 4]]),
        (METRICS["r2_test"], [[1, 2, 0], [0, 5, 4]]),
        (METRICS["solution"], [[1, 2, 0], [0, 5, 4]]),
    ):
        assert fill_losses(cells, metric, nothing).to_numpy().tolist() == values


def test_a_cell_that_lost_all_runs_is_worth_no_more_than_one_of_them():
    """Sizes on d: A 1 and two failures, C 8, 1, 1. A failed run is worth 8; a third failure is no way back to 1."""
    size = {"A": [1, None, None], "B": [1, 1, 1], "C": [8, 1, 1]}
    for last, value in ((1, 17 / 3), (None, 8.0)):
        size["A"][0] = last
        rows = [("d", m, r, v) for m, sizes in size.items() for r, v in enumerate(sizes)]
        rows += [("e", m, 0, 3) for m in size]
        table = pd.DataFrame(rows, columns=["dataset", "method", "repetition", "value"])
        table = table.astype({"value": float}).assign(
            aspect="complexity", group="g", source=table["dataset"]
        )
        comparison = compare(Benchmark(table), "complexity")
        assert comparison.unit_values.loc["d"].tolist() == pytest.approx([value, 1.0, 10 / 3])
    assert comparison.ledger["detail"].tolist() == ["no usable run; 8 stands in"]


def test_two_names_of_a_method_are_joined(tmp_path):
    rows = [("RILSROLS", f"a{i}", 0, "score", 1.0 + i) for i in range(4)]
    rows += [("rils-rols", f"b{i}", 0, "score", 1.0 + i) for i in range(4)]
    columns = ["method", "dataset", "repetition", "aspect", "value"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "m.csv", index=False)
    table = read_results(tmp_path / "m.csv")
    joined = read_benchmark([table], alias={"rils-rols": "RILSROLS"})
    assert list(joined.values("score")) == ["RILSROLS"]
    with pytest.raises(
        InputError, match="alias: 'rils' is no method; there are RILSROLS, rils-rols"
    ):
        read_benchmark([table], alias={"rils": "RILSROLS"})


@pytest.fixture(scope="module")
def published(reference_data):
    folder = reference_data / "srbench"
    return read_benchmark(
        [read_results(folder / n) for n in ("blackbox_results_datasets.csv", "groundtruth.csv")]
    )


WRONG = [
    {
        "claim": "two orders at least",
        "metric": "complexity_raw",
        "better": ["FEAT"],
        "than": ["LGBM"],
        "orders": [2, 3],
    },
    {
        "claim": "worse",
        "metric": "r2_test",
        "better": ["FEAT"],
        "than": ["Operon"],
        "p_at_most": 0.05,
    },
    {"claim": "too sure", "metric": "r2_test", "better": ["Operon"], "p_at_most": 6.4e-5},
    {"claim": "first", "metric": "r2_test", "better": ["FEAT"], "first": 2},
    {
        "claim": "alike",
        "metric": "r2_test",
        "better": ["Operon"],
        "than": ["FEAT"],
        "not_shown": True,
    },
]


@pytest.fixture(name="claims", scope="module")
def claims_fixture(published):
    """The statements that are published and, beneath, false ones: each metric's claims are worked out once."""
    suite = load_yaml(PARAMETERS / "suites" / "srbench.yaml")
    stated = suite["reports"][0]["parameters"]["statements"]
    return check_statements(published, [*stated, *WRONG])


def test_the_published_statements_hold(claims):
    claims = claims.iloc[: -len(WRONG)]
    assert len(claims) == 12 and claims["holds"].all()
    numbers = claims.dropna(subset=["p_value"]).set_index("claim")
    assert [f"{p:.2g}" for p in numbers["p_value"]] == [
        "6.5e-05", "0.0003", "9.2e-22", "1.3e-07", "0.00012", "0.0015", "1.3e-21",
        "1.3e-21",
    ]  # fmt: skip
    # FEAT's 75.25 components against LGBM's 5,167.5, and GP-GOMEA's 25.5 against the random forest's 129,511
    assert claims["orders"].dropna().tolist() == ["1.84 to 3.71"]


def test_one_unit_gives_one_story_about_a_pair(published, reference_data):
    """No pair is better with an effect or an interval on the other side, and the leader of the paper leads."""
    comparison = compare(published, "r2_test")
    told = comparison.pairs[comparison.pairs["better"] != ""]
    ahead = np.where(told["better"] == told["method_a"], 1, -1)
    assert (np.sign(told["effect"]) == ahead).all()
    assert (ahead * told["effect_low"] > 0).all() and (ahead * told["effect_high"] > 0).all()
    assert "the 63 datasets of fri_* count as one" in comparison.headline
    paper = read_results(reference_data / "srbench" / "blackbox_results_datasets.csv")
    alone = compare(read_benchmark([paper], related="none"), "r2_test")
    own = alone.pairs[alone.pairs["method_a"] == "Operon"].set_index("method_b")
    assert alone.leaders == ["Operon"] and own["n_units"].eq(122).all()
    shared = own.drop("AIFeynman")  # which lacks 15 datasets, here losses
    assert f"{shared['p_value'].max():.2g}" == "6.5e-05"
    sizes = compare(read_benchmark([paper], related="none"), "complexity_raw").pairs
    row = sizes.set_index(["method_a", "method_b"]).loc["FEAT", "SBP-GP"]
    assert f"{row['p_value']:.2g}" == "9.2e-22" and row["better"] == "FEAT"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            {"claim": "c", "metric": "r2_test", "better": ["Nobody"], "first": 3},
            "no method 'Nobody'",
        ),
        ({"claim": "c", "metric": "r2_test", "better": ["FEAT"]}, "keys must be among"),
        (
            {"claim": "c", "metric": "r2_test", "better": ["FEAT"], "worse": []},
            "keys must be among",
        ),
        (
            {"claim": "c", "metric": "r3", "better": ["FEAT"], "first": 1},
            "metric 'r3' is in none of the tables",
        ),
    ],
)
def test_statements_that_cannot_be_checked(published, statement, said):
    with pytest.raises(InputError, match=said):
        check_statements(published, [statement])


def test_a_false_statement_does_not_hold(claims):
    wrong = claims.tail(len(WRONG))
    assert wrong["claim"].tolist() == [one["claim"] for one in WRONG] and not wrong["holds"].any()
