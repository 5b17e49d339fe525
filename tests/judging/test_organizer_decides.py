"""What a team does to win beside better models: it gains nothing, and the others lose nothing."""

import pandas as pd
import pytest

import srlib
from srlib.judging import judge, judge_runs
from srlib.judging.explain import trace
from srlib.problems import load_problems
from srlib.tables import ASSESSMENTS, RUNS
from tests.judging.small import DTYPES, problems, row, rules, verdict

TABLE = {
    ("A", "formula"): {"r2_test": [0.9, 0.9], "complexity": [10, 10]},
    ("B", "formula"): {"r2_test": [0.8, 0.8], "complexity": [9, 9]},
    ("A", "optima"): {"r2_test": [0.9, 0.9]},
    ("B", "optima"): {"r2_test": [0.7, 0.7]},
}


def base_rows() -> list[dict]:
    """Rows of A and B on two datasets, two repetitions each."""
    return [
        row(method, dataset, n, **{name: values[n - 1] for name, values in cells.items()})
        for (method, dataset), cells in TABLE.items()
        for n in (1, 2)
    ]


def judge_rows(rows, block):
    return judge(pd.DataFrame(rows).astype(DTYPES), problems(), block)


CLAIMS = {"str": "1", "category": "1", "int": 1, "Int": 1, "float": 1.0, "bool": True}


def test_no_column_of_a_team_decides(tmp_path):
    """C claims the best in every column that srlib knows, and in some that it does not; data and truths are at hand."""
    recipe = "{generator: formula, arguments: {features: {a: [uniform, 1, 3], b: [uniform, 1, 3]}}}"
    entries = [
        f"{{dataset: d{i}, truth: a*b + {i}, property: solution, data_seeds: [1, 2], data: {recipe}}}"
        for i in range(3)
    ]
    path = tmp_path / "p.yaml"
    path.write_text(f"schema: 1\nname: p\nproblems: [{', '.join(entries)}]\n")
    keys = pd.MultiIndex.from_product([["d0", "d1", "d2"], [1, 2]], names=["dataset", "repetition"])
    texts = {"A": "a*b + 1", "B": "a + b", "C": "b"}
    tables = [keys.to_frame(index=False).assign(method=m, model=t) for m, t in texts.items()]
    contract = {name: CLAIMS[kind] for name, kind in ASSESSMENTS.columns.items()}
    claims = contract | dict.fromkeys(
        ["edit_distance", "symbolic_solution", "group", "weight", "value"], 1
    )
    for name in (*RUNS.required, "status", "names", "seed", "data_seed", "training_time_s"):
        del claims[name]
    boasting = [*tables[:2], tables[2].assign(**claims)]
    plain, claimed = (judge_runs(t, path) for t in (tables, boasting))
    pd.testing.assert_frame_equal(claimed.ranking, plain.ranking)
    for metric in ("r2_test", "solution", "complexity", "edit_distance"):
        plain, claimed = (srlib.compare(t, metric, problems=path) for t in (tables, boasting))
        pd.testing.assert_frame_equal(claimed.unit_values, plain.unit_values)


def test_a_method_may_count_its_repetitions_from_zero():
    block = rules("judging-2022", repetitions=2)
    from_one = judge_rows(base_rows(), block)
    rows = [r | {"repetition": r["repetition"] - (r["method"] == "B")} for r in base_rows()]
    from_zero = judge_rows(rows, block)
    pd.testing.assert_frame_equal(from_zero.ranking, from_one.ranking)
    assert from_zero.ledger["code"].tolist() == from_one.ledger["code"].tolist()
    again = judge_rows([*rows, row("B", "formula", 2, r2_test=1.0)], block)
    assert again.ledger["code"].tolist().count("extra_runs") == 1


def test_seeds_of_a_problem_are_its_repetitions(tmp_path):
    """By number or by seed, but not both for one seed; the rules' ten play no part."""
    path = tmp_path / "seeds.yaml"
    path.write_text(
        "schema: 1\nname: seeds\nproblems:\n"
        "  - {dataset: d, property: solution, truth: a, features: [a], target: y, data_seeds: [860, 5390]}\n",
        encoding="utf-8",
    )
    rows = [row("A", "d", n) for n in (1, 2)] + [row("B", "d", n) for n in (860, 5390)]
    rows += [row("A", "d", 3), row("A", "d", 860), row("B", "d", 7270)]
    judged = judge(pd.DataFrame(rows).astype(DTYPES), load_problems(path), rules("judging-2022"))
    lines = judged.ledger[judged.ledger["code"] == "extra_runs"]
    assert sorted(zip(lines["method"], lines["repetition"], strict=True)) == [
        ("A", 3),
        ("A", 860),
        ("B", 7270),
    ]
    assert judged.ranking["rank"].tolist() == [1, 1]
    assert "missing_runs" not in set(judged.ledger["code"])
    assert judged.notices == ()


def test_as_many_runs_are_expected_as_a_dataset_has_data_for(tmp_path):
    """B lacks one of the two runs on `few`, and three of the ten that the rules expect on `none` and on `many`."""
    path = tmp_path / "seeds.yaml"
    lines = ("few, data_seeds: [1, 2]", "none", f"many, data_seeds: {[*range(1, 13)]}")
    entries = [f"  - {{dataset: {line}, features: [a]}}\n" for line in lines]
    path.write_text("schema: 1\nname: seeds\nproblems:\n" + "".join(entries), encoding="utf-8")
    numbers = {"few": 2, "none": 10, "many": 10}
    rows = [row("A", name, n) for name, runs in numbers.items() for n in range(1, runs + 1)]
    rows += [
        row("B", "few", 1),
        *(row("B", name, n) for name in ("none", "many") for n in range(1, 8)),
    ]
    judged = judge(pd.DataFrame(rows).astype(DTYPES), load_problems(path), rules("judging-2022"))
    absent = judged.ledger[judged.ledger["code"] == "missing_runs"].set_index("dataset")
    assert set(absent["method"]) == {"B"} and {k: v[:8] for k, v in absent["detail"].items()} == {
        "few": "1 of 2 r", "none": "7 of 10 ", "many": "7 of 10 "
    }  # fmt: skip
    assert judged.notices == ()


@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
def test_a_dataset_is_judged_alike_whatever_other_datasets_have_data_for(rank_per, tmp_path):
    """B lacks one run of two on `few`; on `many` five are expected by the rules, and on `one` a single one."""
    path, entry = tmp_path / "seeds.yaml", "{dataset: few, data_seeds: [4, 5]}"
    few = [row("A", "few", 4), row("A", "few", 5, r2_test=0.7), row("B", "few", 5, r2_test=0.8)]
    more = [row(method, "many", n) for method in "AB" for n in range(1, 6)]
    more += [row("A", "one", 3), row("B", "one", 3)]
    block, tables = rules("judging-2022", rank_per=rank_per, repetitions=5), []
    for entries, rows in (
        (entry, few),
        (entry + ", {dataset: many}, {dataset: one, data_seeds: [3]}", few + more),
    ):
        head = "schema: 1\nname: seeds\ndefaults: {features: [a]}\n"
        path.write_text(f"{head}problems: [{entries}]\n")
        aspects = judge(pd.DataFrame(rows).astype(DTYPES), load_problems(path), block).aspects
        tables.append(aspects[aspects["dataset"] == "few"].reset_index(drop=True))
    pd.testing.assert_frame_equal(*tables)


def test_each_repetition_is_ranked_where_datasets_have_seeds_of_their_own(tmp_path):
    """On `few` B lacks the run on seed 4: ranks 2 and 1 of A, 1 and 2 of B, who is better on seed 5."""
    path = tmp_path / "seeds.yaml"
    path.write_text(
        "schema: 1\nname: seeds\ndefaults: {features: [a]}\n"
        "problems: [{dataset: few, data_seeds: [4, 5]}, {dataset: many}]\n"
    )
    rows = [row(method, "many", n) for method in "AB" for n in range(1, 6)]
    rows += [row("A", "few", 4), row("A", "few", 5), row("B", "few", 5, r2_test=0.95)]
    block = rules("judging-2022", repetitions=5, rank_per="repetition")
    judged = judge(pd.DataFrame(rows).astype(DTYPES), load_problems(path), block)
    found = judged.aspects.query("dataset == 'few' and aspect == 'accuracy'")
    assert found[["method", "aspect_rank"]].to_numpy().tolist() == [["A", 1.5], ["B", 1.5]]
    steps = trace(judged, "A", "few").query("step == 'run_rank' and aspect == 'accuracy'")
    assert steps["value"].tolist() == [2, 1]


def test_repetitions_of_numbered_data_are_places_even_where_a_seed_has_the_number(tmp_path):
    path = tmp_path / "seeds.yaml"
    path.write_text(
        "schema: 1\nname: seeds\nproblems:\n"
        "  - {dataset: d, property: solution, truth: a, features: [a], target: y, numbered: true, "
        "data_seeds: [7, 2, 1]}\n",
        encoding="utf-8",
    )
    rows = [row("A", "d", n) for n in (1, 2, 3)] + [row("B", "d", n) for n in (1, 2, 7)]
    judged = judge(pd.DataFrame(rows).astype(DTYPES), load_problems(path), rules("judging-2022"))
    lines = judged.ledger[judged.ledger["code"] == "extra_runs"]
    assert list(zip(lines["method"], lines["repetition"], strict=True)) == [("B", 7)]


def test_a_column_of_data_seeds_is_ignored_and_named(tmp_path):
    """B says that all of its runs were made on the data of seed 3; what is judged stays, and the ledger says so."""
    path = tmp_path / "seeds.yaml"
    path.write_text(
        "schema: 1\nname: seeds\nproblems:\n  - {dataset: d, property: solution, truth: a, features: [a], "
        "target: y, data: {test: '{data_seed}.csv'}, data_seeds: [3, 5]}\n",
        encoding="utf-8",
    )
    rows = [row(method, "d", n) for method in "AB" for n in (1, 2)]
    stated = [r | {"data_seed": 3 if r["method"] == "B" else None} for r in rows]
    tables = [pd.DataFrame(table).astype(DTYPES) for table in (rows, stated)]
    tables[1]["data_seed"] = tables[1]["data_seed"].astype("Int64")
    block, seeds = rules("judging-2022"), load_problems(path)
    before, after = (judge(table, seeds, block) for table in tables)
    pd.testing.assert_frame_equal(after.ranking, before.ranking)
    lines = after.ledger[after.ledger["code"] == "other_data"]
    assert lines[["method", "repetition"]].to_numpy().tolist() == [["B", 2]]
    assert set(lines["action"]) == {"noted"} and "data_seed 3 is ignored" in lines["detail"].iloc[0]


@pytest.mark.parametrize("clean", [0.95, 0.9, 0.87, 0.8, 0.3])
@pytest.mark.parametrize("repeated", ["aggregate", "repetition"])
def test_a_worse_model_on_the_clean_reference_gains_nothing(clean, repeated):
    """B loses what the truth loses; with a worse clean model it would look as if noise took nothing from it."""
    block = rules("judging-2022", repetitions=2, rank_per=repeated)
    table = {
        ("A", "noise_base"): {"r2_test": [0.99, 0.99]},
        ("A", "noise_hard"): {"r2_test": [0.83, 0.83]},
        ("B", "noise_base"): {"r2_test": [1.0, 1.0]},
        ("B", "noise_hard"): {"r2_test": [0.81, 0.81]},
    }
    worse = table | {("B", "noise_base"): {"r2_test": [clean, clean]}}
    before, after = verdict(table, 2, block), verdict(worse, 2, block)
    flagged = after.ledger[after.ledger["code"] == "reference_worse"]
    assert flagged["method"].tolist() == ["B"] * (clean < 0.81 + 0.075)
    if len(flagged):
        ranks = [j.ranking.set_index("method")["score"] for j in (before, after)]
        assert ranks[1]["B"] <= ranks[0]["B"] and ranks[1]["A"] >= ranks[0]["A"]
