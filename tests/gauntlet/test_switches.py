"""Each value of each switch is said, and what is written down as a rule works on every page: some switches of each."""

from collections.abc import Iterator
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from srlib.displays.tables.answer import PAGES, rules_said, rules_table
from srlib.errors import InputError
from srlib.judging.assessments import complete_assessments
from srlib.judging.robustness import readings
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import Judge, Measure, departure, load_rules, written
from srlib.table_files import write_frame
from tests.gauntlet.competition import FEW, PARAMETERS_OF, write
from tests.gauntlet.pages import execute, passed, undrawn

pytestmark = pytest.mark.slow

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
    "own column": {"fit": ACCURACY, "energy": SIZE | {"from": "energy_kwh", "weight": 2}},
}


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


APART = {  # switches of another page: what it is about, and another rule
    "qualification": (
        {"datasets": {"line", "curve"}},
        {"qualification": {"baseline": "OneRun", "across": "wins"}},
    ),
    "real_world": (
        {"datasets": {"clinic"}},
        {"real_world": {"representative": "median", "ranking": "harmonic_mean"}},
    ),
}
SWITCHES = [item for item in values(Judge) if item[0][0] not in APART]
SWITCHES.append((("tracks",), ["synthetic", "real-world"]))
TURNED: list[dict[str, Any]] = [
    {"ties": "average", "minimal_accuracy": 0.5},
    {"rank_per": "repetition", "combine": "one_harmonic"},
]
OF_OTHERS = [item for item in values(Judge) if item[0][0] in APART]
MEASURED = [item for item in values(Measure) if item[0] != ("apply_calls",)]


@pytest.fixture(name="folder", scope="module")
def folder_fixture(tmp_path_factory):
    """A small competition, assessed once."""
    folder = tmp_path_factory.mktemp("switches")
    write(folder, ONLY)
    rules, problems = load_rules(folder / "rules.yaml"), load_problems(folder / "problems.yaml")
    table = complete_assessments(read_runs(folder / "runs.csv"), problems, rules.measure)
    write_frame(table, folder / "assessments.parquet")
    return folder


def turned(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Set one switch; nested blocks keep their other defaults. Switches that go together are set together."""
    result: Any = value
    for depth in range(len(path) - 1, -1, -1):
        result = {path[depth]: result}
    if value == ["noise_base_as_easy"]:  # leaves no reference for the ratio
        result["properties"] = {"noise_sensitivity": "r2_test"}
    return result


def pages(
    folder, tmp_path, monkeypatch, judge: dict[str, Any], measure: dict[str, Any] | None = None
) -> None:
    undrawn(monkeypatch)
    monkeypatch.setattr(readings, "READINGS", FEW)
    write(tmp_path, ONLY, measure, **judge)
    runs = folder / "assessments.parquet" if measure is None else tmp_path / "runs.csv"
    aspects = judge.get("aspects", {"property": PROPERTY}).values()
    judged_by_rules = ("synthetic", "properties", "noise", "robustness")
    for page in judged_by_rules if measure is None else (*judged_by_rules, "benchmark"):
        given = PARAMETERS_OF.get(page, {}) | {"runs": str(runs)}
        if page == "properties" and not any(a["from"] == "property" for a in aspects):
            with pytest.raises(
                InputError, match="no aspect of the rules is taken from the property"
            ):
                execute(page, tmp_path, **given)
            continue
        said = execute(page, tmp_path, **given)[1]
        assert passed(said), (page, said)


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


@pytest.mark.parametrize("judge", TURNED, ids=str)
def test_two_switches_on_every_page(judge, folder, tmp_path, monkeypatch):
    pages(folder, tmp_path, monkeypatch, judge)


@pytest.mark.parametrize("name", ASPECTS)
def test_aspects_of_ones_own(name, folder, tmp_path, monkeypatch):
    pages(folder, tmp_path, monkeypatch, {"aspects": ASPECTS[name]})


def test_another_measure(folder, tmp_path, monkeypatch):
    pages(folder, tmp_path, monkeypatch, {}, {"complexity": "canonical", "decimals": 1})


@pytest.mark.parametrize("page", APART)
def test_switches_of_other_pages(page, tmp_path, monkeypatch):
    undrawn(monkeypatch)
    only, judge = APART[page]
    write(tmp_path, only, **judge)
    space, said = execute(page, tmp_path, **PARAMETERS_OF.get(page, {}))
    assert passed(said), said
    chosen = space["result"].rules if page == "qualification" else space["chosen"]
    found = chosen.judge.model_dump()[page]
    assert {key: found[key] for key in judge[page]} == judge[page]
