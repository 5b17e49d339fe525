"""From tables to values over datasets, with a ledger; published medians and statements from the reference data."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

import srlib
from srlib.assessing.completing import add_metrics
from srlib.comparing.benchmark import read_benchmark
from srlib.comparing.comparison import compare_methods
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.ledger import check_run_counts
from srlib.problems import load_problems
from srlib.readers import read_results
from srlib.rules import load_rules
from srlib.tools.statements import check_statements
from srlib.yaml_files import load_yaml
from tests.builders import refused
from tests.comparing.brute_force import brute_force_p
from tests.comparing.small import benchmark_of

RUNS = """\
method,dataset,repetition,r2_test,complexity_raw,training_time_s,status,model
A,feynman_1@0,1,0.9995,5,1,ok,x
A,feynman_1@0,2,0.5,7,2,ok,x
A,feynman_1@0,3,0.7,9,3,ok,x
A,feynman_1@0.01,1,0.2,-1,1,ok,x
B,feynman_1@0,1,,5,1,ok,x
B,feynman_1@0,2,0.9999,4,1,ok,x
B,feynman_1@0,3,0.9,4,1,failed,x
B,1_fri_c0,1,-inf,4,1,ok,x
"""


def table_of(text=RUNS):
    return read_results(pd.read_csv(StringIO(text)))


def one_run_each(datasets):
    """Table of A and B with a run on each dataset."""
    rows = "".join(f"{method},{name},1,0.5,x\n" for method in "AB" for name in datasets)
    return table_of("method,dataset,repetition,r2_test,model\n" + rows)


def problems_of(tmp_path, defaults, *entries):
    text = f"schema: 1\nname: p\ndefaults: {{features: [x]{defaults}}}\nproblems:\n"
    (tmp_path / "p.yaml").write_text(text + "".join(f"- {{dataset: {entry}}}\n" for entry in entries))  # fmt: skip
    return load_problems(tmp_path / "p.yaml")


def test_cells_are_means_or_medians_of_the_runs_with_failed_runs_at_the_floor():
    benchmark = read_benchmark(table_of())
    median = read_benchmark(table_of(), aggregate="median")
    r2 = benchmark.cells("r2_test")
    assert r2.index.tolist() == ["feynman_1@0", "feynman_1@0.01"]
    # of 0.9995, 0.5 and 0.7; of 0.9999 and two that failed
    assert r2.loc["feynman_1@0"].tolist() == pytest.approx([2.1995 / 3, 0.9999 / 3])
    assert median.cells("r2_test").loc["feynman_1@0"].tolist() == [0.7, 0.0]
    accurate = benchmark.cells("accuracy_solution")
    assert accurate.loc["feynman_1@0"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert accurate.loc["1_fri_c0", "B"] == 0
    assert median.cells("complexity_raw").to_dict("index")["feynman_1@0"] == {"A": 7, "B": 4}
    assert "feynman_1@0.01" not in median.cells("complexity_raw").index


def test_every_run_is_counted_and_an_unusable_one_has_a_reason():
    benchmark = read_benchmark(table_of())
    assert benchmark.counts == check_run_counts(8, 5, benchmark.ledger) | {"what": "runs"}
    assert benchmark.ledger[["code", "row", "detail"]].to_numpy().tolist() == [
        ["nonfinite_r2", 8, "R2 on the test set is -inf, not finite"],
        ["nonfinite_r2", 5, "R2 on the test set is not stated, not finite"],
        ["failed_run", 7, "the run ended as failed: not stated"],
        ["invalid_value", 4, "left out: complexity_raw must be finite and at least 0, got '-1'"],
    ]


def test_runs_are_absent_only_against_a_stated_number(tmp_path):
    """Of A and B on feynman_1@0 three runs each; A has one on feynman_1@0.01."""
    benchmark = read_benchmark(table_of())
    assert benchmark.cells("r2_test").loc["feynman_1@0.01", "A"] == 0.2
    stated = read_benchmark(table_of(), repetitions=4)
    assert stated.counts == benchmark.counts
    assert stated.cells("r2_test").loc["feynman_1@0.01", "A"] == pytest.approx(0.2 / 4)
    assert stated.cells("accuracy_solution").loc["feynman_1@0", "A"] == 1 / 4
    lines = stated.ledger[stated.ledger["code"] == "missing_runs"]
    assert lines[["method", "dataset", "detail"]].agg(" ".join, axis=1).tolist() == [
        "B 1_fri_c0 3 of 4 runs are absent; each counts as a failed run",
        "A feynman_1@0 1 of 4 runs are absent; each counts as a failed run",
        "B feynman_1@0 1 of 4 runs are absent; each counts as a failed run",
        "A feynman_1@0.01 3 of 4 runs are absent; each counts as a failed run",
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"repetitions": 0}, "repetitions: a number from 1 on was expected, got 0"),
        ({"related": "all"}, "related: an empty text or 'none' was expected, got 'all'"),
        ({"alias": {"C": "A"}}, "alias: 'C' is no method; there are A, B"),
        ({"alias": {"B": "A"}}, "hold the same run: method 'A', dataset 'd', repetition 1"),
    ],
)
def test_a_wrong_option_ends_in_one_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        read_benchmark(one_run_each("d"), **options)


def test_a_problem_file_states_repetitions_and_sources(tmp_path):
    """Noise levels that it ties together are one unit, also where datasets are taken one by one."""
    problems = problems_of(
        tmp_path, ", data_seeds: [1, 2, 3, 4]", "d0, family: f", "d1, family: f", "base",
        "low, noise_level: 0.1, noise_reference: base", "high, noise_level: 0.3, noise_reference: low",
    )  # fmt: skip
    own = {"base": "base", "low": "base", "high": "base"}
    for related, units in (("", {"d0": "f", "d1": "f"}), ("none", {"d0": "d0", "d1": "d1"})):
        benchmark = read_benchmark(one_run_each(units | own), problems, related=related)
        assert benchmark.cells("r2_test").loc["d0", "A"] == 0.5 / 4
        assert benchmark.sources.to_dict() == units | own


def test_a_metric_that_only_one_file_reports_is_refused(tmp_path):
    """One team reports an R² of 0.99999, another brings texts alone: without problems the comparison is refused."""
    for team, r2 in (("A", "0.99999"), ("B", "")):
        rows = "".join(f"{team},d{i},1,{r2},5,1,x\n" for i in range(8))
        header = "method,dataset,repetition,r2_test,complexity_raw,training_time_s,model\n"
        (tmp_path / f"{team}.csv").write_text(header + rows)
    benchmark = read_benchmark([tmp_path / "A.csv", tmp_path / "B.csv"])
    with pytest.raises(
        InputError, match=r"B.csv: no run has a value of r2_test.*: name the problems, so"
    ):
        compare_methods(benchmark, "r2_test")
    assert "as reported" in compare_methods(benchmark, "complexity_raw").headline
    assert "as reported" not in compare_methods(benchmark, "training_time_s").headline


def test_a_reported_value_does_not_count_where_it_can_be_computed(tmp_path):
    """The liar reports 0.99999 for a constant, and that it is the truth; the other reports nothing for the truth.

    For solutions alone nothing is simplified.
    """
    data = pd.DataFrame({"x": np.linspace(1, 3, 40)}).assign(y=lambda table: 2 * table["x"] ** 2)
    data.to_csv(tmp_path / "train.csv", index=False)
    data.to_csv(tmp_path / "test.csv", index=False)
    defaults = ", truth: 2*x^2, data: {train: train.csv, test: test.csv}"
    names = ["d0", "d1"]
    problems = problems_of(tmp_path, defaults, *names)
    liar = pd.DataFrame({"dataset": names, "method": "liar", "repetition": 1, "model": "7"})
    claims = {"r2_test": 0.99999, "symbolic_solution": 1, "edit_distance": 0}
    honest = liar.assign(method="honest", model="2*x**2")
    for metric in ("r2_test", "solution", "edit_distance"):
        compared = srlib.compare([liar.assign(**claims), honest], metric, problems=problems)
        assert compared.leaders == ["honest"]
        assert "as reported" not in compared.sentences[0]
    measure = load_rules("judging-2022").measure
    verdicts = add_metrics(read_results(honest), problems, measure, ["solution"]).frame
    assert verdicts["solution"].all() and {*verdicts["simplify_status"]} == {"skipped"}
    assert verdicts["complexity"].isna().all() and (verdicts["r2_test"] == 1).all()


def test_rates_by_noise_have_all_methods_in_each_panel():
    """No team states the group of a dataset, else the others would lose in a panel of its own."""
    frame = table_of().frame
    stated = frame[frame["method"] == "A"].assign(method="C", group="own")
    benchmark = read_benchmark([frame, stated])
    panels = benchmark.by_noise("accuracy_solution")
    everybody = ["A", "B", "C"]
    assert {group: [*levels] for group, levels in panels.items()} == {
        "Feynman": ["noise 0", "noise 0.01"], "Friedman": ["all"],
    }  # fmt: skip
    assert all([*table] == everybody for levels in panels.values() for table in levels.values())
    assert panels["Feynman"]["noise 0.01"]["B"].tolist() == [0.0]


def test_methods_of_several_sources_are_compared_on_the_datasets_that_they_share():
    """Rows without a method are nobody's; the notice says what is left out."""
    runs = "method,dataset,repetition,r2_test,model\nA,d,1,0.9,x\nA,e,1,0.8,x\nB,d,1,0.7,x\n,d,1,0.7,x\n"
    benchmark = read_benchmark(table_of(runs), shared=True)
    assert benchmark.cells("r2_test").to_dict("index") == {"d": {"A": 0.9, "B": 0.7}}
    assert "Compared on 1 dataset, each at a noise level" in benchmark.notices[0]
    assert "1 run on others left out. What this cannot say" in benchmark.notices[0]
    with refused("shared: no dataset has runs of every method"):
        read_benchmark(table_of(runs.replace("B,d", "B,f")), shared=True)


def test_a_missing_cell_lies_beyond_the_worst_cell_and_the_worst_run():
    """The cells are 20 and 10, so a loss is 30; the worst run, 25 or 45, counts where it is worse."""
    head = "method,dataset,repetition,complexity_raw,model\nA,d,1,15,x\nB,d,1,10,x\nC,e,1,5,x\n"
    for runs, loss in (("A,d,2,25,x\n", 30), ("A,d,2,45,x\nA,d,3,0,x\n", 45)):
        benchmark = read_benchmark(table_of(head + runs))
        assert benchmark.values("complexity_raw").loc["d", "C"] == loss


def test_any_column_of_numbers_is_a_metric_with_a_stated_direction():
    """A text among the numbers is missing and in the ledger; without a direction the metric is refused."""
    rows = "".join(f"{m},d{i},1,x,{i + (m == 'B')}\n" for m in "AB" for i in range(1, 8))
    runs = table_of(f"method,dataset,repetition,model,energy_kwh\n{rows}A,d9,1,x,much\n")
    benchmark = read_benchmark(runs, metrics=["energy_kwh:lower"])
    assert benchmark.values("energy_kwh:lower").loc["d1"].tolist() == [1, 2]
    assert "energy_kwh" in benchmark.ledger["detail"].str.cat()
    assert compare_methods(benchmark, "energy_kwh:lower").leaders == ["A"]
    with refused("which values are better is not known; energy_kwh:lower or energy_kwh:higher"):
        read_benchmark(runs, metrics=["energy_kwh"])


@pytest.mark.parametrize(
    ("aspect", "values"),
    [
        ("score:higher", [[1, 2, 0], [3, 5, 4]]),
        ("complexity", [[1, 2, 3], [6, 5, 4]]),
        ("r2_test", [[1, 2, 0], [0, 5, 4]]),
        ("solution", [[1, 2, 0], [0, 5, 4]]),
    ],
)
def test_a_missing_cell_counts_as_a_loss(aspect, values):
    benchmark = benchmark_of([[1, 2, np.nan], [np.nan, 5, 4]], aspect=aspect)
    assert benchmark.values(aspect).to_numpy().tolist() == values


def test_a_failed_run_counts_as_the_worst_of_its_method_and_a_cell_of_failures_as_the_worst_of_all():
    """Sizes on d: A 1 and two failures, C 8, 1, 1. A failed run of A is worth 1; a third failure is worth 8."""
    for last, value in ((1, 1.0), (np.nan, 8.0)):
        sizes = [[last, np.nan, np.nan], [1, 1, 1], [8, 1, 1]]
        benchmark = benchmark_of([sizes, [[3] * 3] * 3], aspect="complexity")
        comparison = compare_methods(benchmark, "complexity")
        assert comparison.unit_values.loc["d000"].tolist() == pytest.approx([value, 1.0, 10 / 3])
    assert comparison.ledger["detail"].tolist() == ["no usable run; 8 stands in"]


def test_a_sentence_states_what_absent_runs_count_as():
    """A has 0.9 and -3, B 0.3 and 0.2, each one run of two; none of them counts as more than the floor."""
    runs = "method,dataset,repetition,r2_test,model\nA,d,1,0.9,x\nA,e,1,-3,x\nB,d,1,0.3,x\nB,e,1,0.2,x\n"
    comparison = srlib.compare(table_of(runs).frame, "r2_test", repetitions=2)
    assert "4 failed or absent runs count as -3 to 0: " in " ".join(comparison.details)
    assert comparison.unit_values["A"].tolist() == [0.45, -3]


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (["edit_distance"], "name the problems, so that .*edit_distance.* are computed"),
        (["r2_test"], "the tables hold no metric; name the problems, so that .* are computed"),
    ],
)
def test_runs_without_any_metric_and_problems_end_in_one_sentence(metrics, sentence):
    with pytest.raises(InputError, match=sentence) as error:
        read_benchmark(table_of("method,dataset,repetition,model\nA,d,1,x\n"), metrics=metrics)
    assert "--" not in str(error.value)


@pytest.fixture(scope="module")
def published(reference_data):
    folder = reference_data / "srbench"
    return [read_results(folder / n) for n in ("blackbox_results_datasets.csv", "groundtruth.csv")]


WRONG = [
    {"metric": "complexity_raw", "better": ["FEAT"], "than": ["LGBM"], "orders": [2, 3]},
    {"metric": "r2_test", "better": ["FEAT"], "than": ["Operon"], "p_at_most": 0.05},
    {"metric": "r2_test", "better": ["Operon"], "p_at_most": 6.4e-5},
    {"metric": "r2_test", "better": ["FEAT"], "first": 2},
    {"metric": "r2_test", "better": ["Operon"], "than": ["FEAT"], "not_shown": True},
]


def test_published_statements_hold_and_false_ones_do_not(published):
    suite = load_yaml(PARAMETERS / "suites" / "record.yaml")
    stated = suite["reports"][1]["parameters"]["statements"]
    wrong = [{"claim": "wrong"} | statement for statement in WRONG]
    claims = check_statements(read_benchmark(published), [*stated, *wrong])
    assert claims["holds"].tolist() == [True] * 12 + [False] * len(WRONG)
    assert [f"{p:.2g}" for p in claims["p_value"][:12].dropna()] == [
        "6.5e-05", "0.0003", "9.2e-22", "1.3e-07", "0.00012", "0.0015", "1.3e-21", "1.3e-21",
    ]  # fmt: skip
    # FEAT's 75.25 components against LGBM's 5,167.5, and GP-GOMEA's 25.5 against the random forest's 129,511
    assert claims["orders"][:12].dropna().tolist() == ["1.84 to 3.71"]


@pytest.mark.parametrize("aspect", ["r2_test", "complexity_raw"])
def test_all_decisions_on_the_published_tables_are_those_of_a_second_implementation(
    published, aspect
):
    """It flips one set of signs at a time, drawn with another seed; a p-value near 0.05 may fall on either side."""
    benchmark = read_benchmark(published)
    comparison, values = compare_methods(benchmark, aspect), benchmark.values(aspect)
    values = values.clip(lower=0) if aspect == "r2_test" else values
    values = values.groupby(comparison.units).mean()
    values = values if aspect == "r2_test" else np.log(values)
    pairs = comparison.pairs
    differences = values[pairs["method_a"]].to_numpy() - values[pairs["method_b"]].to_numpy()
    p_values = brute_force_p(differences, 4_000)
    assert len(pairs) == 210 and np.abs(p_values - pairs["p_value"]).max() < 0.03
    clear = np.abs(p_values - 0.05) > 0.01
    assert clear.sum() >= 200
    is_a = (differences.mean(axis=0) > 0) == (aspect == "r2_test")
    better = np.where(is_a, pairs["method_a"], pairs["method_b"])
    assert np.where(p_values <= 0.05, better, "")[clear].tolist() == pairs["better"][clear].tolist()


def test_where_units_and_datasets_have_two_leaders_one_sentence_says_both(published):
    comparison = compare_methods(read_benchmark(published), "r2_test")
    (sentence,) = [line for line in comparison.details if line.name == "dataset_leaders"]
    assert sentence == (
        "Over the sources KernelRidge has the best mean rank, and with each dataset as a unit, as papers often count, "
        "Operon (4.48): fri_* alone has 63 datasets."
    )
    alone = compare_methods(read_benchmark(published[:1], related="none"), "r2_test")
    assert alone.leaders == ["Operon"] and alone.pairs["n_units"].eq(122).all()
    assert not [line for line in alone.details if line.name == "dataset_leaders"]


SOURCES = {
    "d0,f\nd1,f\n": {"d0": "f", "d1": "f", "e": "e"},
    "d0@0.1,e\n": {"d0": "e", "d1": "d1", "e": "e"},
    "": "the table has no rows",
    "d9,f\n": "no run is on a dataset 'd9'",
    "d0,f\nd0,g\n": "dataset 'd0' has two sources, f and g",
    "d0@0,f\nd0@0.1,g\n": "dataset 'd0' has two sources, f and g",
    "d0,\n": "row 1: ",
}


@pytest.mark.parametrize("rows", SOURCES)
def test_a_table_of_sources_states_units_or_ends_in_one_sentence(rows, tmp_path):
    (tmp_path / "sources.csv").write_text("dataset,source\n" + rows)
    runs = one_run_each(["d0@0", "d0@0.1", "d1", "e"])
    expected = SOURCES[rows]
    if isinstance(expected, dict):
        benchmark = read_benchmark(runs, sources=tmp_path / "sources.csv")
        assert benchmark.sources.to_dict() == expected
        return
    with pytest.raises(InputError, match=f"sources.csv:? {expected}"):
        read_benchmark(runs, sources=str(tmp_path / "sources.csv"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"better": ["Nobody"]}, "no method 'Nobody'; there are m0, m1"),
        ({"worse": []}, "claim, metric and better were expected, and other keys among"),
        ({"metric": "r3"}, "metric 'r3' is in none of the tables; they hold r2_test"),
    ],
)
def test_a_statement_that_cannot_be_checked_ends_in_one_sentence(change, sentence):
    statement = {"claim": "c", "metric": "r2_test", "better": ["m0"], "first": 3} | change
    with pytest.raises(InputError, match=sentence):
        check_statements(benchmark_of(np.eye(2)), [statement])


LAYOUT = """
schema: 1
name: ours
source: us
columns: {method: algo, dataset: task, value: error}
constants: {aspect: NAME, repetition: 1}
"""


@pytest.mark.parametrize("scale", ["scale: log", ""])
def test_a_layout_states_that_values_are_compared_as_logarithms(scale, tmp_path):
    """A has half of B's error on each dataset; a column `scale` of the table decides nothing."""
    rows = [
        (m, f"d{i}", x * n, "log")
        for i, x in enumerate([1, 1e6, 3, 50, 1e-3, 8])
        for m, n in (("A", 1), ("B", 2))
    ]
    frame = pd.DataFrame(rows, columns=["algo", "task", "error", "scale"])
    layout = tmp_path / "ours.yaml"
    layout.write_text(LAYOUT.replace("NAME", "mape") + scale)
    pair = srlib.compare(frame, "mape:lower", layout=layout).pairs.loc[0]
    assert pair["better"] == ("A" if scale else "")
    assert (pair["effect"] == pytest.approx(0.5)) == bool(scale)
    if scale:
        layout.write_text(LAYOUT.replace("NAME", "r2_test") + scale)
        with refused("scale: log is not for r2_test, which is compared as"):
            srlib.compare(frame.assign(error=0.5), "r2_test", layout=layout)
