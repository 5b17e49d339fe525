"""The explorer without a browser: widgets are set, and what they show is read."""

import asyncio
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from srlib import Competition
from srlib.rules import load_rules
from srlib.tools.explorer import Explorer, Scenario, explorer, views
from tests.builders import each, refused, spring_runs

HOSTILE = '<img src=x onerror=alert(1)>_a"b'
MINE = "method,dataset,repetition,model,r2_test\n"


@pytest.fixture(scope="module")
def competition(springs):
    return Competition.read(spring_runs(), springs).assess()


@pytest.fixture
def screen(competition):
    return Explorer(competition, method="Near")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(screen):
    """Return what is on the screen, without problems."""
    tables = screen.ranking.html, screen.losses.html, screen.models.html
    return *tables, *(
        part.value for part in (screen.verdict, screen.gains, screen.changes, screen.fit)
    )


def was(screen):
    """Return the column `was` of the ranking by method."""
    head, *rows = screen.ranking.html.split("</tr>")
    at = re.findall(">([^<>]+)</th>", head).index("was")
    cells = [re.findall("<t[hd].*?</t[hd]>", row) for row in rows[:-1]]
    texts = [[re.sub("<.*?>", "", cell) for cell in row] for row in cells]
    return {row[1]: int(row[at]) for row in texts if row[at].isdigit()}


def test_switches_change_the_screen_and_back(screen, competition):
    before, places = shown(screen), was(screen)
    assert "Near: place 2 of 2 with" in before[3] and "competition.judge()" in before[5]
    screen.switches["rank_start"].value = "0"
    screen.switches["minimal_accuracy"].value = "0.5"
    screen.switches["aspects.accuracy.weight"].value = 3.0
    assert "rank_start is 0, not 1." in screen.changes.value
    assert "By the rules as they stand: place 2" in screen.verdict.value
    assert shown(screen)[0] != before[0] and was(screen) == places
    expected = eval(screen.scenario.code, {"competition": competition})
    pd.testing.assert_frame_equal(screen.judgement.ranking, expected.ranking)
    screen.switches["rank_start"].value, screen.switches["minimal_accuracy"].value = "1", "null"
    screen.switches["aspects.accuracy.weight"].value = 1.0
    assert shown(screen) == before


def test_scenario_opens_the_same_screen(competition, folder):
    (folder / "mine.csv").write_text(f"{MINE}mine,hooke,1,k*d,0.7\n")
    switches = {"aspects.accuracy.direction": "higher", "noise_guard.action": "worst_rank"}
    first = Explorer(competition, Scenario("mine.csv", ("Exact",), ("drag",), switches))
    again = eval(repr(first.scenario))
    assert again == first.scenario and first.scenario.datasets == ("drag",)
    assert shown(Explorer(competition, again)) == shown(first)
    expected = eval(again.code, {"competition": competition})
    pd.testing.assert_frame_equal(first.judgement.aspects, expected.aspects)


@each(
    "scenario sentence",
    """
methods=("Exakt",)           | Did you mean 'Exact'?
datasets=("moon",)           | unknown name 'moon'. Known: drag, hooke
switches={"tie": "min"}      | switches: one of tracks, .* was expected, got 'tie'
switches={"ties": "first"}   | these switches: key 'ties'
own="nowhere.csv"            | nowhere.csv: no such file
""",
)
def test_wrong_scenario_is_one_sentence(competition, scenario, sentence):
    with refused(sentence):
        Explorer(competition, eval(f"Scenario({scenario})"))


def test_own_file_is_read_again_when_it_changes(screen, folder):
    own, name = folder / "mine.csv", HOSTILE.replace('"', '""')
    own.write_text(f'{MINE}"{name}",hooke,1,k*d + 7,0.1\n')
    screen.own.value = "mine.csv"
    good, places = shown(screen), was(screen)
    assert screen.method.value == HOSTILE and "<img src=x" not in "".join(good)
    assert "&lt;img src=x onerror=alert(1)&gt;_a&quot;b: place 3 of 3" in screen.verdict.value
    assert places == {"Exact": 1, "Near": 2}
    own.write_text(f'{MINE}"{name}",hooke,1,k*d + 7,0.9\n')  # of the same size
    screen.update()
    assert shown(screen) != good and screen.problem.value == ""
    good = shown(screen)
    for text in ("hello\n1\n", "method,data", None):
        own.unlink() if text is None else own.write_text(text)
        screen.update()
        assert 'role="alert"' in screen.problem.value and "mine.csv: " in screen.problem.value
        assert shown(screen) == good
    screen.own.value = ""
    assert screen.problem.value == "" and screen.method.value in ("Exact", "Near", "Broken")


def test_changed_file_shows_by_itself(screen, folder, monkeypatch):
    monkeypatch.setattr(explorer, "POLL_S", 0.01)
    own = folder / "mine.csv"
    own.write_text(f"{MINE}mine,hooke,1,k*d + 7,0.1\n")
    screen.own.value = "mine.csv"
    before = screen.verdict.value

    async def change():
        assert "JupyterLab" in screen._repr_mimebundle_()["text/plain"]
        first = screen._watching
        screen._repr_mimebundle_()
        own.write_text(f"{MINE}mine,hooke,1,k*d + 7,0.9\n")
        for _ in range(500):
            await asyncio.sleep(0.01)
            if screen.verdict.value != before:
                break
        assert first.cancelled() and not screen._watching.done()
        screen._watching.cancel()

    asyncio.run(change())
    assert screen.verdict.value != before


def test_row_that_is_pressed_is_shown_again_and_again(screen):
    for name in ("Exact", "Near", "Exact"):
        screen.ranking.chosen = name
        assert screen.method.value == name and screen.ranking.chosen == ""
        gains = screen.judgement.standing(name).gains
        assert screen.gains.value == views.paragraphs(gains)
        assert f"<b>{name}: " in screen.verdict.value
    for dataset in ("drag", "hooke", "drag"):
        screen.losses.chosen = dataset
        assert f"Models on {dataset}" in screen.models.html and screen.losses.chosen == ""
    screen.datasets.value = ("drag",)
    assert "drag is left out." in screen.changes.value and "Models on drag" in screen.models.html
    assert "drag" not in screen.losses.html


def test_many_cells_wait_for_a_button(screen, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_CELLS", 0)
    screen.switches["ties"].value = "min"
    assert screen.gains.value == "" and screen.ask.layout.display != "none"
    screen.ask.click()
    assert "gain" in screen.gains.value


def test_figure_is_drawn_again_when_its_models_change(screen, monkeypatch):
    drawn = []
    display = SimpleNamespace(numbers=pd.DataFrame({"method": ["A"]}), to_image=lambda: "<img>")

    def draw(_, dataset, names, typed):
        drawn.append((dataset, *names))
        return display

    monkeypatch.setattr(explorer.FitDisplay, "from_judgement", draw)
    screen.losses.chosen = "drag"
    screen.switches["ties"].value = "min"
    assert drawn == [("drag", "Near", "Exact")]
    screen.methods.value = ("Exact",)  # the rival is gone
    assert drawn[1:] == [("drag", "Near", "")]


def test_typed_model_is_measured_or_its_letter_underlined(screen):
    screen.losses.chosen = "hooke"
    screen.typed.value = "k*d + 1"
    assert "the truth plus 1; " in screen.fit.value and "(typed)" in screen.models.html
    screen.typed.value = "k + <b>"
    assert 'role="alert"' in screen.fit.value and "<u>&lt;</u>" in screen.fit.value
    assert "(typed)" not in screen.models.html and screen.problem.value == ""


def test_fault_of_srlib_is_said_and_the_numbers_stay(screen, monkeypatch):
    before = shown(screen)
    monkeypatch.setattr(views, "verdict", lambda *_: 1 + "1")
    with pytest.raises(TypeError):
        screen.switches["ties"].value = "min"
    assert "srlib failed (TypeError: " in screen.problem.value and shown(screen) == before
    monkeypatch.undo()
    screen.switches["ties"].value = "max"
    assert screen.problem.value == "" and "ties is max" in screen.changes.value


def press_save(screen, path):
    screen.path.value = path
    screen.save.click()


def test_rules_file_holds_the_switches_that_are_shown(screen, folder):
    screen.switches["ties"].value = "max"
    for _ in range(2):  # it may replace its own file
        press_save(screen, "my-rules.yaml")
        assert "my-rules.yaml holds these rules." in screen.saved.value
    assert load_rules("my-rules.yaml").judge == screen.judgement.rules.judge
    screen.switches["ties"].value = "min"
    assert "my-rules.yaml holds other switches; press Save." in screen.saved.value


@each(
    "path reason",
    """
demo               | a name that ends in .yaml was expected
r1                 | a name that ends in .yaml was expected
judging-2022.yaml  | another name was expected
no rules.yaml      | no rules.yaml: key 'name'
others.yaml        | the name of a new file was expected
""",
)
def test_unsafe_name_of_a_rules_file_is_refused(screen, folder, path, reason):
    (folder / "others.yaml").write_text("by somebody else")
    press_save(screen, path)
    assert 'role="alert"' in screen.problem.value
    assert reason.replace("'", "&#x27;") in screen.problem.value
    assert [file.read_text() for file in folder.iterdir()] == ["by somebody else"]
