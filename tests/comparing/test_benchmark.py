"""From tables to values over datasets, with a ledger; published medians and statements from the reference data."""

import numpy as np
import pandas as pd
import pytest

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import compare
from srlib.comparing.filling import filled
from srlib.comparing.gathering import benchmark
from srlib.comparing.metrics import METRICS, Metric
from srlib.comparing.statements import check_statements
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.judging.assessments import compare_recorded
from srlib.ledger import conserve, to_frame
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


def test_values_are_medians_of_usable_runs_and_rates_count_failures(tmp_path):
    found = benchmark([runs(tmp_path, ROWS)])
    r2 = found.cells("r2_test")
    assert r2.loc["feynman_1@0"].to_dict() == {"A": 0.7, "B": 0.0}  # of 0.9999 and two that failed
    assert r2.index.tolist() == ["feynman_1@0", "feynman_1@0.01"]
    accurate = found.cells("accuracy_solution")
    assert (
        accurate.loc["feynman_1@0"].tolist() == [1 / 3, 1 / 3]
        and accurate.loc["1_fri_c0", "B"] == 0
    )
    size = found.cells("complexity_raw")
    assert size.loc["feynman_1@0"].tolist() == [7, 9] and "feynman_1@0.01" not in size.index
    assert found.aspects == ["r2_test", "accuracy_solution", "complexity_raw", "training_time_s"]


def test_every_run_is_accounted_for(tmp_path):
    found = benchmark([runs(tmp_path, ROWS)])
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
    found = benchmark([runs(tmp_path, ROWS)])
    # 0.2 and two that are absent
    assert found.values("r2_test", "Feynman", 0.01).to_dict("list") == {"A": [0.0]}
    tables = found.by_noise("accuracy_solution")
    assert list(tables) == ["Feynman", "Friedman"] and list(tables["Feynman"]) == [
        "noise 0",
        "noise 0.01",
    ]
    assert list(found.by_noise("accuracy_solution", most_groups=1)) == ["all datasets"]
    summary = found.summary().set_index(["metric", "group", "method"])
    assert summary.loc[("test R²", "Feynman", "A"), "value"] == pytest.approx(0.35)


def test_what_is_missing_is_filled_as_told():
    values = pd.DataFrame(
        {"A": [1.0, np.nan], "B": [2.0, 5.0], "C": [np.nan, 4.0]}, index=["d", "e"]
    )
    assert filled(values, "worst")[0].to_numpy().tolist() == [[1, 2, 0], [3, 5, 4]]
    lower = Metric("size", "lower")
    assert filled(values, "worst", lower)[0].to_numpy().tolist() == [[1, 2, 3], [6, 5, 4]]
    assert filled(values, "worst", METRICS["r2_test"])[0].to_numpy().tolist() == [
        [1, 2, 0],
        [0, 5, 4],
    ]
    assert filled(values, "worst", METRICS["solution"])[0].to_numpy().tolist() == [
        [1, 2, 0],
        [0, 5, 4],
    ]
    assert filled(values, "worst")[1]["action"].tolist() == ["replaced"] * 2
    table, ledger = filled(values, "drop")
    assert table.equals(values) and ledger["action"].tolist() == ["noted"] * 2


def test_a_cell_that_lost_all_runs_is_worth_no_more_than_one_of_them():
    """Sizes on d: A 1 and two failures, C 8, 1, 1. A failed run is worth 8; a third failure is no way back to 1."""
    size = {"A": [1, None, None], "B": [1, 1, 1], "C": [8, 1, 1]}
    for last, value in ((1, 8.0), (None, 8.0)):
        size["A"][0] = last
        rows = [("d", m, r, v) for m, runs in size.items() for r, v in enumerate(runs)]
        rows += [("e", m, 0, 3) for m in size]
        table = pd.DataFrame(rows, columns=["dataset", "method", "repetition", "value"])
        table = table.astype({"value": float}).assign(aspect="complexity", group="g")
        found = Benchmark(table, to_frame([]), {})
        assert found.values("complexity", missing="worst").loc["d"].tolist() == [value, 1.0, 1.0]
        again = compare(found, "complexity")
        compared = again.values  # noqa: PD011
        assert compared.loc["d", "A"] == value
    assert again.ledger["detail"].tolist() == ["no value; 8 stands in (worst)"]


def test_recorded_values_stand_beside_ours():
    table = pd.DataFrame({"method": "A", "dataset": "d", "repetition": [1, 2, 3, 4]})
    table["complexity"] = pd.array([5, 7, None, 3], dtype="Int64")
    table["simplified_complexity"] = [5.0, 8.0, 9.0, np.nan]
    table["r2_test"], table["r2_test_reported"] = (
        [0.5, -40.0, 1.0, 1.0],
        [0.5 + 1e-9, -40.00001, 0.9, np.nan],
    )
    found = compare_recorded(table).groupby("quantity")["agree"].apply(list).to_dict()
    assert found == {"complexity": [True, False], "r2_test": [True, True, False]}
    assert compare_recorded(pd.DataFrame()).empty
    sources = table.assign(r2_source=["recomputed", "reported", "none", "reported"])
    assert (
        compare_recorded(sources)["quantity"] == "r2_test"
    ).sum() == 1  # a reported R2 is not compared with itself


@pytest.fixture(scope="module")
def published(reference_data):
    folder = reference_data / "srbench"
    return benchmark(
        [read_results(folder / n) for n in ("blackbox_results_datasets.csv", "groundtruth.csv")]
    )


def test_published_medians_are_recomputed_exactly(published, reference_data):
    """All 63, to the last digit that is written.

    Six differ in the last of 53 bits, also where the median is itself one of the values (AIFeynman, 107 datasets):
    the two tables were not written with the same number of digits.
    """
    table = pd.read_csv(reference_data / "srbench" / "pareto.csv", dtype=str).set_index("algorithm")
    table.index = table.index.str.removeprefix("*")
    columns = {
        "r2_test": "r2_test",
        "complexity_raw": "model_size",
        "training_time_s": "training time (s)",
    }
    for aspect, column in columns.items():
        again = published.values(aspect).median()
        written = table[column].map(float)[again.index]
        assert len(again) == 21
        np.testing.assert_array_max_ulp(again.to_numpy(), written.to_numpy(), maxulp=1)


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
    # only the stricter correction says so
    alike = numbers.loc["the accuracies of SBP-GP and FEAT are alike"]
    assert alike["holm"] < 0.05 < alike["bonferroni"]


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
