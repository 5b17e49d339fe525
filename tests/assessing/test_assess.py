"""Assessing: accuracy, features and solutions by hand, and whose columns are whose."""

import contextlib
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import r2_score

from srlib.assessing import assess
from srlib.assessing.assess import answer_questions, digest_measuring
from srlib.assessing.cases import PARTS, Case, find_predictions
from srlib.assessing.measure import (
    PRELOAD,
    Question,
    compare_with_truth,
    measure_data,
    measure_edits,
    measure_model,
    measure_predictions,
)
from srlib.cache import Cache
from srlib.errors import InputError, InterruptedResultsError
from srlib.expressions import count_sympy, parse, to_sympy
from srlib.expressions.evidence import Equivalence
from srlib.judging import judge
from srlib.problems import Problem, load_problems
from srlib.readers import read_runs, runs_of
from srlib.rules import load_rules
from srlib.tables import ASSESSMENTS, RUNS, conform
from srlib.workers import Outcome, bounded_map
from tests.expressions.cases import cells, each_row
from tests.workers_cases import list_imports

RULES = load_rules("judging-2022")
MEASURE = RULES.measure
MODULE = import_module("srlib.assessing.assess")
PROBLEMS = """
schema: 1
name: small
problems:
  - dataset: line
    property: solution
    features: [a, b]
    target: y
    truth: 2*a + b
    data: {train: "{data_seed}_train.csv", test: "{data_seed}_test.csv"}
    data_seeds: [1, 2]
  - {dataset: unseen, property: solution, features: [u], truth: u^2}
  - {dataset: bare, property: relevant_features, features: [x1, x3], relevant: [x1]}
  - {dataset: law, property: solution, features: [x], truth: c*x^2, constants: [c]}
  - {dataset: faint, property: solution, features: [a, b], truth: 2*a + 0.02*b}
  - {dataset: plain, property: solution, features: [a, b], truth: 2*a}
  - {dataset: ratio, property: solution, features: [a, b], truth: c*a, constants: [c]}
  - {dataset: unknown, property: relevant_features, features: [a, b], relevant: [a]}
  - dataset: far
    property: extrapolation
    features: [x]
    target: y
    data: {train: near.csv, test: middle.csv, extrapolation: far.csv}
"""
ROWS = """method,dataset,repetition,model,r2_test,complexity_raw
M,line,1,2*a + b,0.5,7
M,line,2,1.5*a + b - b + 0,0.5,7
N,line,1,"a +",,
N,line,2,log(a - 1000),,
P,line,1,9**9**9**9*a,,
P,line,2,,,
Q,unseen,1,2*u*u,0.75,3
Q,elsewhere,1,u,,
"""


# model, parse_status, r2_source, features_used, bad_predictions, solution_kind, solution, solution_constant
EXPECTED = """
    2*a + b            ok        recomputed  ('a', 'b')  0     identical  True   nan
    1.5*a + b - b + 0  ok        recomputed  ('a',)      0     different  False  nan
    a +                unparsed  none        None        <NA>  nan        <NA>   nan
    log(a - 1000)      ok        recomputed  ('a',)      60    different  False  nan
    9**9**9**9*a       ok        recomputed  None        60    different  False  nan
    nan                empty     none        None        <NA>  nan        <NA>   nan
    2*u*u              ok        reported    ('u',)      <NA>  scale      True   2.0
    u                  ok        none        None        <NA>  nan        <NA>   nan
"""


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """The target of `line` is its truth; that of `far` is x, and 2*x on the extrapolation rows."""
    folder, rng = tmp_path_factory.mktemp("small"), np.random.default_rng(5)
    for name in ("1_train", "1_test", "2_train", "2_test"):
        frame = pd.DataFrame(rng.uniform(0, 1, (30, 2)), columns=["a", "b"])
        frame.assign(y=2 * frame["a"] + frame["b"]).to_csv(folder / f"{name}.csv", index=False)
    (folder / "near.csv").write_text("x,y\n0,0\n1,1\n2,2\n")
    (folder / "middle.csv").write_text("x,y\n3,3\n4,4\n5,5\n")
    (folder / "far.csv").write_text("x,y\n10,20\n11,22\n12,24\n")
    (folder / "small.yaml").write_text(PROBLEMS)
    (folder / "runs.csv").write_text(ROWS)
    return load_problems(folder / "small.yaml")


@pytest.fixture(scope="module")
def runs(problems):
    return read_runs(problems.path.parent / "runs.csv").frame


@pytest.fixture(scope="module")
def table(runs, problems):
    return assess(runs, problems, MEASURE, cache=Cache(None), timeout=5, jobs=1)


def runs_with(models, dataset, **columns):
    """Runs of one method on one dataset, a repetition each."""
    frame = pd.DataFrame({"method": "M", "dataset": dataset, "model": models, "status": "ok"})
    frame["repetition"] = range(1, len(models) + 1)
    return conform(frame.assign(**columns), RUNS, "runs")


def assess_alone(runs, problems, **changes):
    """Assess with nothing stored, perhaps with other values of measure switches."""
    measure = MEASURE.model_copy(update=changes)
    return assess(runs, problems, measure, cache=Cache(None), timeout=20, jobs=1)


def test_by_hand(table, problems):
    """R2 is recomputed where there are data, and features are those of the simplified model."""
    columns = ["model", "parse_status", "r2_source", "features_used", "bad_predictions", "solution_kind", "solution",
               "solution_constant"]  # fmt: skip
    assert table[columns].map(str).to_numpy().tolist() == cells(EXPECTED)
    assert set(ASSESSMENTS.required) <= set(table.columns)
    assert set(table["measure_digest"]) == {digest_measuring(MEASURE)}
    data = pd.read_csv(problems.path.parent / "2_test.csv")
    other_r2 = r2_score(data["y"], 1.5 * data["a"])
    expected = [1.0, pytest.approx(other_r2, rel=1e-12), *[None] * 4, 0.75, None]
    assert (
        table["r2_test"].astype(object).where(table["r2_test"].notna(), None).tolist() == expected
    )
    assert table["r2_test_reported"][0] == 0.5 and "position" in table["detail"][2]
    assert table["complexity"][1] < table["complexity_raw"][1]
    assert table["solution_evidence"][1]["witness"]["point"]
    assert table["simplified_size"].fillna(0).tolist() == [5, 3, 0, 4, 0, 0, 5, 0]


def test_a_term_that_changes_no_prediction_is_named_and_not_counted(problems):
    table = assess_alone(runs_with(["2*a + b + 1e-17*a*b", "2*a + b"], "line"), problems)
    assert table["dust"].tolist() == [("1e-17*a*b",), None]
    assert table["complexity"].tolist() == [5, 5] and table["complexity_raw"][0] > 5


def test_extrapolation_is_measured_on_its_own_rows(problems):
    """x at 10 11 12 for 20 22 24: residuals 10 11 12, deviations -2 0 2: R2 = 1 - 365/8."""
    value = measure_data(
        Question(
            "data", parse("x"), {"sweep": False, "metrics": ["mae_test"]}, problems.find("far")
        )
    )
    assert (value["r2_train"], value["r2_test"]) == (1.0, 1.0)
    assert value["r2_extrapolation"] == pytest.approx(1 - 365 / 8)


@pytest.mark.parametrize(
    ("stored", "agrees"),
    [
        # the training row at 0 is predicted as a share of the largest, which is 2
        ({"train": [2 * 5e-7, 1.0, 2.0]}, True),
        ({"train": [2 * 2e-6, 1.0, 2.0]}, False),
        ({"train": [5.0, 1.0, 2.0]}, False),
        # a disk that was full leaves no arrays: they neither agree with the text, nor differ from it
        ({}, None),
        ({"train": [], "test": []}, None),
    ],
)
def test_predictions_have_to_agree_to_a_millionth_of_the_largest(
    stored, agrees, problems, tmp_path
):
    np.savez(tmp_path / "run.npz", **stored)
    (tmp_path / "empty.npz").touch()
    assert find_predictions("empty.npz", tmp_path) is None
    path, far = find_predictions("run.npz", tmp_path), problems.find("far")
    value = measure_predictions(Question("predictions", parse("x"), {}, far, predictions=path))
    assert value["text_matches_predictions"] is agrees


def test_answering_imports_nothing_as_every_process_would_import_it_again():
    truth, model = parse("2*x*exp(y)"), parse("2.00001*x*exp(y) + 1e-9")
    settings = {"free": (), "domain": {}, "constants": "3 decimals"}
    questions = [
        Question("solution", model, settings, other_model=truth),
        Question("size", model, {"round_constants": "never", "work": 80_000}),
    ]
    calls = [(measure_model, question) for question in questions]
    preload = (
        *PRELOAD,
        measure_model.__module__,
    )  # of the servers that the other tests have started
    outcomes = bounded_map(list_imports, calls, timeout=60, preload=preload, jobs=1)
    assert [outcome.value for _, outcome in outcomes] == [[], []]


@each_row(
    "kind solution",
    """
        identical  True
        offset     True
        scale      True
        different  False
        constant   False
        unknown    None
    """,
)
def test_what_could_not_be_decided_is_not_refuted(kind, solution, monkeypatch):
    monkeypatch.setattr("srlib.assessing.measure.compare", lambda *_, **__: Equivalence(kind))
    settings = {"free": (), "domain": {}, "constants": "3 decimals"}
    answer = compare_with_truth(Question("solution", parse("x"), settings, other_model=parse("x")))
    assert (answer["solution_kind"], str(answer["solution"])) == (kind, solution)


@pytest.mark.parametrize(
    ("outcome", "asked_again"),
    [
        (Outcome("timeout"), [30]),
        (Outcome("crashed"), [2, 10, 30]),
        (Outcome("error"), []),
    ],
)
def test_what_a_limit_ended_is_tried_again_under_a_larger_one(outcome, asked_again):
    cache, asked, statuses = Cache(None), [], []

    def answer(function, items, **limits):
        asked.append(limits["cpu_seconds"])
        return [(0, outcome)]

    def case():
        statuses.append((yield Question("count", parse("a + b"), {}))["status"])

    for limit in (10, 2, 10, 30):
        answer_questions([case()], {"count": limit}, cache, answer)
    assert asked == [10, *asked_again] and statuses == [outcome.status] * 4


def test_what_a_limit_ended_says_nothing_about_a_model(runs, problems, monkeypatch):
    """Every part of the first model ends at a limit: each column says so, and the ledger blames the machine."""

    def answer(function, items, **limits):
        return ((place, Outcome("timeout", detail="too slow")) for place, _ in enumerate(items))

    monkeypatch.setattr(MODULE, "bounded_map", answer)
    table = assess_alone(runs.head(1), problems)
    row = table.iloc[0]
    assert (row["data_status"], row["simplify_status"], row["solution_status"]) == ("timeout",) * 3
    assert (row["solution_kind"], row["complexity"]) == ("unknown", row["complexity_raw"])
    assert row[["solution", "r2_test", "bad_predictions"]].isna().all()
    ledger = judge(table, problems, RULES).ledger
    assert ledger["code"][0] == "machine_limit" and "not finite" not in " ".join(ledger["detail"])


def test_interrupted_results_end_the_assessment(runs, problems, tmp_path, monkeypatch):
    """What was measured before is stored, and the next try goes on from there."""

    def interrupt(function, items, **limits):
        if items and items[0].part == "size":
            raise InterruptedResultsError(len(items))
        return bounded_map(function, items, **limits)

    cache = Cache(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(MODULE, "bounded_map", interrupt)
        with pytest.raises(InterruptedResultsError, match="interrupted by the machine: run"):
            assess(runs.head(1), problems, MEASURE, cache=cache, jobs=1)
    row = assess(runs.head(1), problems, MEASURE, cache=cache, jobs=1).iloc[0]
    assert (row["r2_test"], row["simplify_status"]) == (1.0, "ok")


def test_a_table_is_the_same_for_any_order_and_stated_seeds_and_goes_back_to_its_runs(
    table, runs, problems
):
    pd.testing.assert_frame_equal(runs_of(table)[runs.columns.tolist()], runs)
    same = [name for name in table.columns if name != "detail"]  # it may tell seconds
    changed = runs.iloc[::-1].reset_index(drop=True).assign(data_seed=1, seed=1)
    backwards = assess_alone(changed, problems).iloc[::-1].reset_index(drop=True)
    pd.testing.assert_frame_equal(backwards[same], table[same])


SEEDS = """
    21 22  seeds   1 2 21 22 0 3  21 22 21 22 None None
    7 2 1  seeds   1 2 3 7        1 2 1 7
    7 2 1  places  1 2 3 7        7 2 1 7
    5      seeds   1 5 9          5 5 5
"""


@each_row("seeds numbers repetitions expected", SEEDS)
def test_the_number_of_a_repetition_says_which_data_it_has(seeds, numbers, repetitions, expected):
    seeds = [int(seed) for seed in seeds.split()]
    problem = Problem(dataset="d", data_seeds=seeds, numbered=numbers == "places")
    assert [
        str(problem.data_seed(int(number))) for number in repetitions.split()
    ] == expected.split()
    assert Problem(dataset="d").data_seed(860) == 860


@pytest.mark.parametrize(("how", "expected"), [("simplified", 5), ("sympy", 11), ("text", 9)])
def test_the_rules_choose_what_is_counted(how, expected, problems):
    """(a + 1)^2 - a^2 has 9 components as written; sympy writes - as a product with -1; simplified it is 2*a + 1."""
    table = assess_alone(runs_with(["(a + 1)^2 - a^2"], "line"), problems, complexity=how)
    assert table["complexity"].tolist() == [expected]


def test_constants_of_a_truth_may_have_any_value_where_the_rules_say_so(problems, tmp_path):
    runs = runs_with(["7*x^2", "7*x^3"], "law")
    free = assess_alone(runs, problems, solution_constants="free")
    assert free["solution_kind"].tolist() == ["form", "different"]
    assert free["solution_evidence"][0]["free"] == {"c": 7.0}
    strict = assess_alone(runs, problems)
    assert strict["solution_kind"].tolist() == ["unknown", "unknown"]
    assert strict["detail"].str.contains("have no values").all()
    (tmp_path / "p.yaml").write_text(PROBLEMS.replace("[c]", "[k]"))
    with pytest.raises(InputError, match="the truth cannot be read"):
        load_problems(tmp_path / "p.yaml")


E = "50*(1.0004*b - b)"
# Rounding erases a term: 0.02*b of E, a*b, and 0.5*b, without which R2 gets better, but b is hidden. Verdicts of the
# text and of the simplified model (none: not asked), status, components, features, a part of the reason.
ERASED = f"""
    faint    2*a + {E}  -     True   none   changed  7  a b  it is no solution, and the text is a solution
    faint    3*a + {E}  -     False  False  ok       3  a
    plain    2*a + {E}  -     False  none   changed  7  a b  it is a solution, and the text is no solution
    ratio    7*a + {E}  -     none   none   ok       3  a    have no values
    ratio    7*a + {E}  free  False  none   changed  7  a b  it is a solution, and the text is no solution
    unknown  2*a + {E}  -     none   none   ok       3  a
    faint    2*a + {E}  kept  True   False  ok       3  a
    plain    2*a + {E}  kept  False  True   ok       3  a
    line     ((a*b)*1.0000001 - (a*b))*10000000  -     False  none   changed  4  a b  its R2 on the train rows becomes
    line     2.9*a - ((0.5*b)*1.0000001 - 0.5*b)*10000000  -     False  none   changed  7  a b  feature b is gone
"""
SWITCHES = {"-": {}, "free": {"solution_constants": "free"}, "kept": {"dust": "kept"}}


@pytest.fixture(scope="module")
def erased(problems):
    """The rows of ERASED, assessed by their switches: a method each."""
    rows = pd.DataFrame([row[:3] for row in cells(ERASED)], columns=["dataset", "model", "switch"])
    rows = rows.assign(method=rows.index.astype(str), repetition=1, status="ok", r2_test=0.9)
    runs = conform(rows.drop(columns="switch"), RUNS, "runs")
    return {
        switch: assess_alone(runs[rows["switch"] == switch], problems, **changes)
        for switch, changes in SWITCHES.items()
    }


@pytest.mark.parametrize("number", range(len(cells(ERASED))))
def test_one_run_has_one_model(number, erased, problems):
    """The simplified model counts if it earns what the text earns, and pages show the model that counts."""
    _, text, switch, *expected = [*cells(ERASED)[number], ""][:9]
    table = erased[switch]
    table = table[table["method"] == str(number)]
    run = table.iloc[0]
    columns = [
        str(run[name]).replace("<NA>", "none") for name in ("solution", "solution_simplified")
    ]
    columns += [run["simplify_status"], str(run["complexity"]), " ".join(run["features_used"])]
    assert columns == expected[:5] and expected[5] in str(run["detail"])
    is_text = run["simplify_status"] == "changed"
    if is_text:
        assert parse(run["simplified_model"]) == parse(run["shown_model"]) == parse(text)
    elif switch != "kept":
        assert run["shown_model"] == run["simplified_model"]
    codes = judge(table, problems, RULES).ledger["code"]
    assert (codes == "not_simplified").sum() == is_text
    assert (codes == "shown_differs").sum() == ({*columns[:2]} == {"True", "False"})


VERDICT = st.sampled_from(
    [("ok", True), ("ok", False), ("ok", None), ("timeout", None), ("memory", None)]
)


@given(st.tuples(VERDICT, VERDICT, VERDICT), *[st.booleans()] * 3)
def test_what_is_counted_and_shown_is_as_solved_as_the_text(answers, is_changed, is_kept, has_y):
    """Whatever the verdicts are: x + y is sent, 2*x remains of it, and 2*x or 3*x + y are shown."""
    problem = Problem(dataset="d", features=["x", "y"], truth="x")
    names = {"names_read": "auto", "names_evidence": "own", "names_note": None}
    row = {"model": "x + y", "ended_well": True, "predictions": None} | names
    measure = MEASURE.model_copy(update={"dust": "kept" if is_kept else "dropped"})
    case = Case(row, problem, measure, PARTS, None, [], data={"data": "their hash"})
    size = {"simplified_model": "2*x", "complexity": 3, "features_used": ("x",)}
    shown = {"shown_model": "3*x + y" if has_y else "3*x", "shown_form": "exact"}
    parts = ("solution", "simplified_solution", "shown_solution")
    values = {"size": size, "shown": shown, "change": {"changed": "it is" if is_changed else ""}}
    values |= {"count": {"complexity": 5}}
    verdicts = dict(zip(parts, answers, strict=True))
    asked, stream, answer = [], case.questions(), None
    with contextlib.suppress(StopIteration):
        while True:
            question = stream.send(answer)
            asked.append(question.part)
            status, solution = verdicts.get(question.part, ("ok", None))
            value = values.get(question.part, {"solution": solution, "solution_kind": "unknown"})
            answer = {"status": status, "detail": "", "value": value if status == "ok" else None}
    columns, (text, simplified, _) = case.columns, answers
    assert asked == sorted(asked, key=PARTS.index)
    is_as_sent = columns["simplified_model"] == "x + y"
    differs = text[0] == "ok" and bool(text[1]) != bool(simplified[1])
    assert is_as_sent == (not is_kept and (is_changed or differs))
    models = {"x + y": text, "2*x": simplified, "3*x": answers[2]}
    assert columns["shown_model"] in models
    if text[0] == "ok" and not is_kept:
        assert bool(models[columns["shown_model"]][1]) == bool(text[1])
    assert (columns["shown_model"] == "x + y") == is_as_sent
    assert columns["features_used"] == (("x", "y") if is_as_sent else ("x",))
    if is_as_sent:
        limited = not is_changed and simplified[0] != "ok"
        assert columns["simplify_status"] == (simplified[0] if limited else "changed")
        assert columns["complexity"] == (3 if limited else 5)


def test_a_model_beyond_the_work_limit_is_counted_in_nodes_as_all_others(problems):
    """a - b has 3 components as written and 5 nodes: a, +, b, *, -1."""
    model = "(a - b)**9*(a + 2*b)**9*(3*a - b)**9/(a + b) + sin(a*b)**7*cos(a)"
    row = assess_alone(runs_with([model], "line"), problems, simplify_work=1500).iloc[0]
    nodes = count_sympy(to_sympy(parse(model), real=None))
    assert (row["simplify_status"], row["complexity"]) == ("work", nodes)


def test_the_edit_distance_is_that_of_the_simplified_model(table, problems):
    """2*a + b is the truth; 1.5*a lacks a sum and b, and has another number: 3 of 5 nodes."""
    texts = table["simplified_model"][:3]
    distances = [measure_edits(problems.find("line"), text) for text in texts]
    assert distances[:2] == [0.0, pytest.approx(3 / 5)] and np.isnan(distances[2])
