"""The suite once for each value of each switch: what is written down as a rule works on every page."""

from collections.abc import Iterator
from types import NoneType, SimpleNamespace
from typing import Any, Literal, get_args, get_origin

import pandas as pd
import pytest
from pydantic import BaseModel

import srlib.audit
import srlib.judging
import srlib.rules
from srlib.audit import audit
from srlib.displays.tables.rules import PAGES, rules_said, rules_table
from srlib.errors import InputError
from srlib.judging.pipeline import assessed, judge_runs
from srlib.judging.robustness import switchboard
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import Judge, Measure, departure, load_rules, written
from srlib.tablefiles import write_frame
from tests.gauntlet.competition import FEW, PARAMETERS_OF, write
from tests.gauntlet.pages import execute, passed, undrawn
from tests.inference.small import PAIR

ONLY = {
    "methods": {"Alpha <b>", "Beta", "OneRun", "Latex"},
    "datasets": {"house", "rational", "Pick Me", "trap", "beyond", "calm", "loud"},
}
NUMBERS = {"baseline": "OneRun", "min_accuracy": 0.9, "minimal_accuracy": 0.5, "repetitions": 3, "decimals": 1,
           "solution_constants": "2 significant digits", "zero_below": 0.01, "simplify_ratio": 1.0,
           "simplify_work": 1_000}  # fmt: skip
ELSEWHERE = {"tracks", "aspects", "name"}  # below by hand
ACCURACY = {"from": "r2_test", "direction": "higher", "digits": 3, "round": "after"}
SIZE = {"from": "complexity", "direction": "lower"}
PROPERTY = {"from": "property", "direction": "by_property"}
ASPECTS: dict[str, dict[str, Any]] = {
    "no property": {"accuracy": ACCURACY, "size": SIZE},
    "other names": {
        "fit": ACCURACY,
        "trait": PROPERTY,
        "size": SIZE | {"transform": "neg_log", "base": 2},
    },
    "one aspect": {"accuracy": ACCURACY},
    "rounded before": {"accuracy": ACCURACY | {"round": "before"}, "property": PROPERTY},
    "raw size": {"accuracy": ACCURACY, "size": SIZE | {"from": "complexity_raw"}},
    "time": {
        "fit": ACCURACY,
        "time": SIZE | {"from": "training_time_s", "digits": 0, "round": "after"},
    },
    "own column": {"fit": ACCURACY, "energy": SIZE | {"from": "energy_kwh", "weight": 2}},
}
WEIGHTED = {
    "accuracy": ACCURACY | {"weight": 3},
    "size": SIZE | {"weight": 0.5},
    "property": PROPERTY,
}
MEASURES = {"points": {"from": "value", "direction": "higher", "weight": 2}}


def values(
    block: type[BaseModel], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every switch of a block with each value that it can take, or one number where it takes any."""
    for name, field in block.model_fields.items():
        if name in ELSEWHERE:
            continue
        kinds = [field.annotation]
        if get_origin(field.annotation) is not None and NoneType in get_args(field.annotation):
            kinds = [kind for kind in get_args(field.annotation) if kind is not NoneType]
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from values(kind, (*path, name))
            elif get_origin(kind) is Literal:
                yield from (
                    ((*path, name), value) for value in get_args(kind) if value != field.default
                )
            elif get_origin(kind) is tuple:
                yield from (((*path, name), [value]) for value in get_args(get_args(kind)[0]))
            elif name in NUMBERS:
                yield (*path, name), NUMBERS[name]


APART = {  # switches of another page: the page, and what it is about
    "qualification": ("qualification", {"datasets": {"line", "curve"}}),
    "real_world": ("real_world", {"datasets": {"clinic"}}),
}
SWITCHES = [item for item in values(Judge) if item[0][0] not in APART]
SWITCHES.append((("tracks",), ["synthetic", "real-world"]))
OF_OTHERS = [item for item in values(Judge) if item[0][0] in APART]
MEASURED = [item for item in values(Measure) if item[0] != ("apply_calls",)]


@pytest.fixture(name="folder", scope="module")
def folder_fixture(tmp_path_factory):
    """A small competition, assessed once."""
    folder = tmp_path_factory.mktemp("switches")
    write(folder, ONLY)
    rules, problems = load_rules(folder / "rules.yaml"), load_problems(folder / "problems.yaml")
    table = assessed(read_runs(folder / "runs.csv"), problems, rules.measure)
    write_frame(table, folder / "assessments.parquet")
    return folder


def turned(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Set one switch; nested blocks keep their other defaults. Switches that go together are set together."""
    result: Any = value
    for depth in range(len(path) - 1, -1, -1):
        result = {path[depth]: result}
    if value in ("weighted_mean", "values"):  # without weights, or with ranks, these mean nothing
        result["aspects"] = WEIGHTED if value == "weighted_mean" else MEASURES
    if value == ["noise_base_as_easy"]:  # leaves no reference for the ratio
        result["properties"] = {"noise_sensitivity": "r2_test"}
    return result


def pages(
    folder, tmp_path, monkeypatch, judge: dict[str, Any], measure: dict[str, Any] | None = None
) -> dict:
    undrawn(monkeypatch)
    monkeypatch.setattr(switchboard, "READINGS", FEW)
    monkeypatch.setattr(srlib.audit, "audit", audited)
    judged: dict[str, Any] = {}

    def once(*words: Any, **more: Any) -> Any:
        """Judge once for all pages of a switch."""
        key = repr((words, more))
        if key not in judged:
            judged[key] = judge_runs(*words, **more)
        return judged[key]

    monkeypatch.setattr(srlib.judging, "judge_runs", once)
    write(tmp_path, ONLY, measure, **judge)
    runs = folder / "assessments.parquet" if measure is None else tmp_path / "runs.csv"
    aspects = judge.get("aspects", {"property": PROPERTY}).values()
    done = {}
    judged_by_rules = ("synthetic", "properties", "noise", "robustness")
    for page in judged_by_rules if measure is None else (*judged_by_rules, "benchmark"):
        given = PARAMETERS_OF.get(page, {}) | {"runs": str(runs)}
        if page == "properties" and not any(a["from"] == "property" for a in aspects):
            with pytest.raises(InputError, match="no aspect is taken from the property"):
                execute(page, tmp_path, **given)
            continue
        if page == "noise" and judge.get("quirks") == ["noise_base_as_easy"]:
            with pytest.raises(InputError, match="a dataset at two noise levels was expected"):
                execute(page, tmp_path, **given)
            continue
        space, said = execute(page, tmp_path, **given)
        assert passed(said), (page, said)
        done[page] = space
    return done


AUDITED: dict[tuple[str, ...], pd.DataFrame] = {}


def audited(problems: Any) -> pd.DataFrame:
    """Audit the same problems once: an audit knows no rules."""
    key = tuple(problem.digest for problem in problems.problems)
    if key not in AUDITED:
        AUDITED[key] = audit(problems)
    return AUDITED[key]


def named(item: tuple[tuple[str, ...], Any]) -> str:
    return f"{'.'.join(item[0])}={item[1]}"


@pytest.mark.parametrize("switch", [*SWITCHES, *OF_OTHERS, *MEASURED], ids=named)
def test_each_value_is_said_and_so_is_that_it_is_not_the_shipped_one(switch, tmp_path):
    """The page's table says what this value does, and its first screen that the shipped rules have another."""
    path, value = switch
    measure = {path[0]: value} if switch in MEASURED else None
    write(tmp_path, {"methods": {"Beta"}}, measure, **({} if measure else turned(path, value)))
    rules = load_rules(tmp_path / "rules.yaml")
    table = rules_table(rules).set_index("switch")["says"]
    before = rules_table(load_rules("judging-2022")).set_index("switch")["says"]
    name = ".".join(path)
    assert table[name] and table[name] != before.get(name)
    assert table[name][1:] in " ".join([said for page in PAGES for said in rules_said(rules, page).values()]
                                       if path[0] not in Measure.model_fields and path[0] != "repetitions"
                                       else table)  # fmt: skip
    assert f"{name} is {written(rules.settings[name])}, not " in departure(rules)


@pytest.mark.parametrize("switch", SWITCHES, ids=named)
def test_each_value_of_each_switch(switch, folder, tmp_path, monkeypatch):
    pages(folder, tmp_path, monkeypatch, turned(*switch))


def test_the_benchmark_knows_no_switch_of_the_judge(folder, tmp_path, monkeypatch):
    """Its rules have no such block here, so that no value of one can do it harm, and `pages` need not try them."""
    undrawn(monkeypatch)
    measure_alone = SimpleNamespace(measure=load_rules(folder / "rules.yaml").measure)
    monkeypatch.setattr(srlib.rules, "load_rules", lambda _: measure_alone)
    given = PARAMETERS_OF["benchmark"] | {"runs": str(folder / "assessments.parquet")}
    assert passed(execute("benchmark", folder, **given)[1])


@pytest.mark.parametrize("switch", OF_OTHERS, ids=named)
def test_each_value_of_the_switches_of_other_pages(switch, tmp_path, monkeypatch):
    undrawn(monkeypatch)
    page, only = APART[switch[0][0]]
    write(tmp_path, only, **turned(*switch))
    space, said = execute(page, tmp_path, **PARAMETERS_OF.get(page, {}))
    assert passed(said), said
    chosen = space["result"].rules if page == "qualification" else space["chosen"]
    assert switch[1] in chosen.judge.model_dump()[switch[0][0]].values()


@pytest.mark.parametrize("weights", [{}, {"1": 1, "5": 3}], ids=str)
@pytest.mark.parametrize("trivial", ["guess", ""])
def test_the_page_of_inference(trivial, weights, tmp_path, monkeypatch):
    """One small model; solvers that are right, that guess, that send nothing of use, and a file of text."""
    undrawn(monkeypatch)
    (tmp_path / "problems").mkdir()
    (tmp_path / "problems" / "pair.uai").write_text(PAIR, encoding="utf-8")
    (tmp_path / "problems" / "pair.uai.evid").write_text("0\n", encoding="utf-8")
    sent = {"right": ("-0.1", "2 0.5 0.5 3 0.2 0.3 0.5", "1 0"), "guess": ("0", "2 0.5 0.5 3 0.4 0.3 0.3", "0 2"),
            "odd": ("what", "3 1 1 1", "7")}  # fmt: skip
    for solver, answers in sent.items():
        for limit in ("1", "5"):
            folder = tmp_path / "answers" / solver / limit
            folder.mkdir(parents=True)
            for task, answer in zip(("PR", "MAR", "MPE"), answers, strict=True):
                size = "" if task == "PR" else "2 "
                (folder / f"pair.uai.{task}").write_text(f"{task}\n{size}{answer}\n")
    space, said = execute(
        "inference",
        tmp_path,
        problems=str(tmp_path / "problems"),
        answers=str(tmp_path / "answers"),
        trivial=trivial,
        weights=weights,
        resamples=20,
    )
    assert passed(said), said
    assert (space["scores"].set_index("solver").loc["odd", "status"] != "ok").all()


@pytest.mark.parametrize("name", ASPECTS)
def test_aspects_of_ones_own(name, folder, tmp_path, monkeypatch):
    judge: dict[str, Any] = {"aspects": ASPECTS[name]}
    pages(folder, tmp_path, monkeypatch, judge)


@pytest.mark.parametrize("switch", MEASURED, ids=named)
def test_each_value_of_what_is_measured(switch, folder, tmp_path, monkeypatch):
    pages(folder, tmp_path, monkeypatch, {}, {switch[0][0]: switch[1]})
