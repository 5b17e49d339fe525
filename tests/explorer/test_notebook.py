"""explore.ipynb with its widgets driven from Python: the cells are executed here, without a kernel."""

import os
import shlex
from html import unescape

import nbformat
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.errors import InputError
from srlib.explorer.saving import save_rules
from srlib.explorer.scene import open_scene
from srlib.explorer.settings import Settings
from srlib.explorer.wiring import watch
from srlib.files import NOTEBOOKS

pytestmark = pytest.mark.slow

CELLS = [
    c.source
    for c in nbformat.read(NOTEBOOKS / "explore.ipynb", as_version=4).cells
    if c.cell_type == "code"
]


def started():
    """Execute the notebook as after a start of its kernel; give its names."""
    displayed: list = []
    names: dict = {"display": lambda bundle, raw: displayed.append(bundle), "displayed": displayed}
    for cell in CELLS:
        source = cell.replace("from IPython.display import display", "")
        exec(compile(source, "explore.ipynb", "exec"), names)
    return names | names["html"]


@pytest.fixture(name="names", scope="module")
def names_fixture():
    return started()


@pytest.fixture(autouse=True)
def as_at_the_start(names):
    yield
    names["own"].value, names["text"].value, names["runs"].value = "", "x1", "demo"
    for widget in names["switches"].values():
        widget.value = ""
    for widget in names["without"].values():
        widget.value = ()


def test_a_switch_changes_the_ranking_and_back(names):
    before = names["ranking"].value
    assert "<svg" in before and "wins" in before and names["error"].value == ""
    names["switches"]["rank_start"].value = 0
    assert names["ranking"].value != before
    names["switches"]["rank_start"].value = ""
    assert names["ranking"].value == before


def test_methods_datasets_and_properties_are_left_out(names):
    everyone = names["without"]["methods"].options
    names["without"]["methods"].value = everyone[:1]
    assert (
        f">{everyone[0]}</th>" not in names["ranking"].value
        and len(names["without"]["methods"].options) > 1
    )
    datasets = names["without"]["datasets"].options
    names["without"]["datasets"].value = datasets[:2]
    assert f"over {len(datasets) - 2} datasets" in names["ranking"].value
    names["without"]["datasets"].value = datasets
    assert 'role="alert"' in names["error"].value and "<svg" in names["ranking"].value
    names["without"]["datasets"].value = ()
    names["without"]["properties"].value = names["without"]["properties"].options[:1]
    assert (
        f"over {len(datasets)} datasets" not in names["ranking"].value
        and names["error"].value == ""
    )


def test_traces_and_models_follow_the_choice(names):
    names["method"].value, names["dataset"].value = (
        names["method"].options[1],
        names["dataset"].options[1],
    )
    assert names["method"].value in names["trace"].value
    assert names["dataset"].value in names["models"].value and "<math" in names["models"].value


def test_a_typed_model_is_read_judged_and_drawn(names):
    names["text"].value = "x1 + <b>"
    assert "<u>&lt;</u>" in names["written"].value
    names["text"].value = "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 3.5"
    assert "<math" in names["written"].value and "15 components" in names["written"].value
    names["dataset"].value = "exact_formula_easier"
    names["button"].click()
    assert ">offset<" in names["verdict"].value and "2.500" in names["verdict"].value
    assert 'src="data:image/png;base64,iVBOR' in names["verdict"].value
    assert "rules judging-2022" in names["verdict"].value
    names["text"].value = "x1 +"
    names["button"].click()
    told = [names[name].value for name in ("written", "error_text", "verdict")]
    assert [said.count('role="alert"') for said in told] == [1, 0, 0]
    assert "".join(told).count("position") == 1


def test_own_runs_have_a_place_and_bad_ones_one_sentence(names):
    table = b"method,dataset,repetition,model,data_seed\nmine,noise_easy,1,x1,2082\n"
    shown = names["uploaded"]([{"content": memoryview(table)}])
    names["own"].value = shown["own.value"]
    assert "mine" in names["standing"].value and "Your runs among" in names["standing"].value
    names["own"].value = "a,b\n1,2\n"
    said = names["error"].value
    assert 'role="alert"' in said and "/" not in said.replace("</", "")
    with pytest.raises(InputError, match="is no text"):
        names["uploaded"]([{"content": b"\xff\xfe\x00"}])


@pytest.mark.parametrize(
    ("box", "value", "said"),
    [
        ("runs", "nowhere.csv", "nowhere.csv"),
        ("problems", "nowhere.yaml", "nowhere.yaml"),
        ("rules", "nobody", "nobody"),
        ("own", "hello", "column"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_the_last_ranking_stays(names, box, value, said):
    widget = {**names["switches"], **names["controls"]}[box]
    before = names["ranking"].value
    widget.value = value
    assert 'role="alert"' in names["error"].value and said in names["error"].value
    assert names["ranking"].value == before
    widget.value = {"runs": "demo", "problems": "synthetic-2022", "rules": "judging-2022"}.get(
        box, ""
    )
    assert names["error"].value == ""


def test_own_runs_that_do_not_count_are_named_beside_their_box(names):
    names[
        "own"
    ].value = "method,dataset,repetition,model\nmine,noise_easy,1,x1\nmine,nowhere,1,x1\n"
    assert names["error"].value == ""
    assert ">nowhere</th>" in names["standing"].value and "excluded" in names["standing"].value


def test_reset_turns_all_back_at_once(names):
    before = names["ranking"].value
    names["switches"]["ties"].value, names["switches"]["rank_start"].value = "min", 0
    names["without"]["methods"].value = names["without"]["methods"].options[:2]
    calls, play = [], names["update"].function
    names["update"].function = lambda **values: calls.append(1) or play(**values)
    names["reset"].click()
    names["update"].function = play
    assert names["ranking"].value == before and calls == [1]


def test_without_widgets_the_ranking_is_text(names):
    first = names["displayed"][0]
    assert "application/vnd.jupyter.widget-view+json" in first
    assert (
        "wins with a final score" in first["text/plain"] and "1 sparse-pol" in first["text/plain"]
    )
    assert not any("HTML(" in bundle["text/plain"] for bundle in names["displayed"])


def test_the_committed_output_is_that_text():
    """To renew it: SRLIB_CACHE=$(mktemp -d) python -m srlib.rendering.refresh notebooks/explore.ipynb."""
    cells = nbformat.read(NOTEBOOKS / "explore.ipynb", as_version=4).cells
    shown = [o.data for c in cells if c.cell_type == "code" for o in c.outputs if "data" in o]
    now = started()["displayed"]
    assert [one["text/plain"] for one in shown] == [one["text/plain"] for one in now]
    assert not any("application/vnd.jupyter.widget-view+json" in one for one in shown)


def test_saved_rules_and_the_command_give_the_same_ranking(tmp_path, monkeypatch):
    """On a competition of one's own."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "own"]) == 0
    table = pd.read_csv("own/runs.csv")
    third = table[table["method"] == "wordy"].assign(method="third one", r2_test=0.5)
    pd.concat([table, third]).to_csv("own/runs.csv", index=False)
    chosen = {
        "runs": "own/runs.csv",
        "problems": "own/problems.yaml",
        "rules": "own/rules.yaml",
        "switches": {"combine": "one_harmonic", "ties": "max", "rank_start": ""},
    }
    said = save_rules("turned.yaml", **chosen)["saved.value"]
    left_out = chosen | {"without": {"methods": ("third one",)}}
    assert "take its rows out of the table first" in save_rules("o.yaml", **left_out)["saved.value"]
    command = shlex.split(unescape(said.split("\n")[1].removesuffix("</pre>")))
    assert main(command[1:]) == 0
    score = pd.read_csv("scores/ranking.csv").set_index("method")["score"]
    expected = open_scene(*(chosen[name] for name in ("runs", "problems", "rules")))
    ranking = expected.judged(Settings(**chosen)).ranking.set_index("method")["score"]
    assert score.to_dict() == pytest.approx(ranking.to_dict()) and len(score) == 3
    for path in ("turned.yaml", "", "no rules.yaml"):
        with pytest.raises(InputError):
            save_rules(path, **chosen)


def test_a_table_that_was_changed_is_read_again(tmp_path):
    path = tmp_path / "runs.csv"
    line = "a,exact_formula_easier,1,x1,2082\n"
    path.write_text(f"method,dataset,repetition,model,data_seed\n{line}")
    assert open_scene(str(path)).choices["methods"] == ["a"]
    path.write_text(
        f"method,dataset,repetition,model,data_seed\n{line}{line.replace('a,', 'b,', 1)}"
    )
    os.utime(path, ns=(1, 1))
    assert open_scene(str(path)).choices["methods"] == ["a", "b"]


class Box:
    """Stands for a widget."""

    def __init__(self, value=""):
        self.value = value

    def observe(self, *_): ...


def test_an_error_nobody_thought_of_is_said_too():
    ranking, error, number = Box(), Box(), Box(1)

    def function(number):
        return {"ranking.value": f"<p>{1 / number}</p>"}

    update = watch({"number": number}, {"ranking": ranking, "error": error}, function)
    number.value = 0
    update()
    assert "division by zero" in error.value and ranking.value == "<p>1.0</p>"


def test_another_text_takes_the_verdict_on_the_last_one_away(names):
    names["verdict"].value = "<p>solved</p>"
    names["text"].value = "x1 + )"
    assert names["verdict"].value == ""
