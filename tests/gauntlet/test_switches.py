"""Each switch is said on a page, and what is written down as a rule works on every page: some switches of each."""

import pytest
import yaml

from srlib.assessing.completing import complete_assessments
from srlib.displays.tables.answer import PAGE_SECTIONS, explain_rules
from srlib.judging import readings
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules
from srlib.table_files import write_frame
from tests.builders import each, refused
from tests.gauntlet.competition import FEW, write
from tests.gauntlet.pages import execute, passed, undrawn

METHODS = ["Alpha <b>", "Beta", "OneRun", "Latex"]
DATASETS = ["house", "rational", "Pick Me", "trap", "beyond", "calm", "loud"]
JUDGED = ("synthetic", "properties", "noise", "robustness")
TURNED = """
- {ties: average, minimal_accuracy: 0.5}
- {rank_per: repetition, combine: one_harmonic}
# no property
- aspects:
    accuracy: {from: r2_test, direction: higher, digits: 3, round: after}
    size: {from: complexity, direction: lower}
# other names
- aspects:
    fit: {from: r2_test, direction: higher, digits: 3, round: after}
    trait: {from: property, direction: by_property}
    size: {from: complexity, direction: lower, transform: neg_log, base: 2}
# a column of one's own
- aspects:
    fit: {from: r2_test, direction: higher, digits: 3, round: after}
    energy: {from: energy_kwh, direction: lower, weight: 2}
"""


def test_switch_is_said_on_a_page():
    """But for those by which runs are measured."""
    rules = load_rules("judging-2022")
    said = " ".join(
        text
        for page in ("synthetic", *PAGE_SECTIONS)
        for text in explain_rules(rules, page).values()
    )
    for switch in rules.switches():
        if switch["block"] == "judge":
            assert switch["says"][1:] in said, switch["switch"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small competition, assessed once."""
    folder = tmp_path_factory.mktemp("switches")
    write(folder, METHODS, DATASETS)
    rules, problems = load_rules(folder / "rules.yaml"), load_problems(folder / "problems.yaml")
    table = complete_assessments(read_runs(folder / "runs.csv"), problems, rules.measure)
    write_frame(table, folder / "assessments.parquet")
    return folder


@pytest.fixture
def quick(monkeypatch):
    undrawn(monkeypatch)
    monkeypatch.setattr(readings, "READINGS", FEW)


@pytest.mark.slow
@pytest.mark.parametrize("judge", yaml.safe_load(TURNED), ids=str)
def test_page_under_other_switches_passes_its_checks(judge, folder, tmp_path, quick):
    write(tmp_path, METHODS, DATASETS, **judge)
    runs = str(folder / "assessments.parquet")
    for page in JUDGED:
        if page == "properties" and "property" not in str(judge.get("aspects", "property")):
            with refused("no aspect of the rules is taken from the property"):
                execute(page, tmp_path, runs=runs)
            continue
        printed = execute(page, tmp_path, runs=runs)[1]
        assert passed(printed), (page, printed)


@pytest.mark.slow
@each(
    "page datasets variable switches",
    """
qualification | line curve | result | {baseline: OneRun, across: wins}
real_world | clinic | chosen | {representative: median, ranking: harmonic_mean}
""",
)
def test_page_of_another_track_under_its_switches_passes_its_checks(
    page, datasets, variable, switches, tmp_path, quick
):
    switches = yaml.safe_load(switches)
    write(tmp_path, datasets=datasets.split(), **{page: switches})
    space, printed = execute(page, tmp_path)
    assert passed(printed), printed
    rules = getattr(space[variable], "rules", space[variable])
    assert switches.items() <= rules.judge.model_dump()[page].items()
