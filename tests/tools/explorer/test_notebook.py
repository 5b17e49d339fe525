"""explore.ipynb with its widgets driven from Python: the cells are executed here, without a kernel."""

import nbformat
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.displays import final_ranking
from srlib.files import NOTEBOOKS
from srlib.tools.explorer import controls
from srlib.tools.explorer.controls import judge_choices

pytestmark = pytest.mark.slow

CELLS = [
    cell
    for cell in nbformat.read(NOTEBOOKS / "explore.ipynb", as_version=4).cells
    if cell.cell_type == "code"
]
OUTPUTS = []


class Notebook:
    """The executed notebook, with the `names` of its variables."""

    def __init__(self, **parameters):
        self.names = {}
        for cell in CELLS:
            exec(cell.source, self.names)
            self.names.update(parameters if "parameters" in cell.metadata.get("tags", []) else {})

    def change(self, **values):
        """Set widgets, and return what the last change displays as one text."""
        for name, value in values.items():
            OUTPUTS.clear()
            widget = self.names["controls"].get(name) or self.names[name]
            widget.value = value
        return "".join(getattr(output, "data", "") for output in OUTPUTS)


@pytest.fixture(scope="module")
def start():
    """Start notebooks whose outputs are collected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(controls, "display", lambda output, **_: OUTPUTS.append(output))
        yield Notebook


@pytest.fixture(scope="module")
def demo(start):
    return start()


def test_switch_that_is_turned_changes_the_ranking_and_back(demo):
    n_judged = demo.names["judge"].cache_info().misses
    before = demo.change(rank_start=0, ties="min", **{"aspects.accuracy.weight": 3.0})
    assert demo.names["judge"].cache_info().misses == n_judged + 3  # once a change for all displays
    assert "ties is min, not dense" in before and "accuracy counts 3 times" in before
    after = demo.change(rank_start=1, ties="dense", **{"aspects.accuracy.weight": 1.0})
    assert "wins with a final score of 4.356" in after and "4.356" not in before
    assert " not dense" not in after and "Models on" in after


def test_methods_and_datasets_that_are_left_out_are_not_judged(demo):
    methods, datasets = ("gplearn",), ("noise_easy", "localopt_easy")
    page = demo.change(without_methods=methods, without_datasets=datasets)
    assert "over 14 datasets" in page and ">gplearn<" not in page
    everybody = demo.names["controls"]["without_methods"].options
    assert demo.change(without_methods=everybody).count("no run is left") == 2
    assert "over 16 datasets" in demo.change(without_methods=(), without_datasets=())


def test_typed_model_is_parsed_assessed_and_drawn(demo):
    demo.change(dataset="exact_formula_easier")
    page = demo.change(text="0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 3.5")
    assert "<math" in page and "15 components" in page and ">offset<" in page and "2.500" in page
    assert 'src="data:image/png;base64,iVBOR' in page
    page = demo.change(text="x1 + <b>")
    assert "<u>&lt;</u>" in page and "position" in page and "<table" not in page


def test_own_runs_are_ranked_beside_the_field(demo, tmp_path):
    path, header = tmp_path / "own.csv", "method,dataset,repetition,model\n"
    path.write_text(f"{header}<b>,noise_easy,1,x1\ndeap,noise_easy,1,x1\nlost,nowhere,1,x1\n")
    page = demo.change(own=str(path))
    assert "&lt;b&gt;: place 7 of 8" in page and "deap (yours): place 7 of 8" in page
    assert "scored: lost. Not ranked." in page
    path.write_text(f"{header}mine,noise_easy,1,x1\n")  # a changed file is read again
    assert "mine: place 7 of 7" in demo.change(rank_start=0)
    path.write_text("hello\n1\n")
    page = demo.change(rank_start=1)
    assert 'role="alert"' in page and "own.csv" in page and "column" in page
    assert "wins" in demo.change(own="")


def test_numbers_under_all_choices_equal_those_of_the_command_line(start, tmp_path, monkeypatch):
    """On a competition of one's own, with a switch, a weight, and runs of another method."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "own"]) == 0
    table = pd.read_csv("own/practice/submissions/wordy/runs.csv")
    third = table.assign(method="third one", r2_test=0.5)
    third.to_csv("third.csv", index=False)
    files = {"problems": "own/practice/problems.yaml", "rules": "own/rules.yaml"}
    notebook = start(runs="own/practice/submissions", **files)
    notebook.change(ties="max", own="third.csv", **{"aspects.accuracy.weight": 2.5})
    notebook.change(path="turned.yaml")
    words = "own/practice/submissions third.csv --problems own/practice/problems.yaml --rules turned.yaml --out scores"
    assert main(["judge", *words.split()]) == 0
    values = {name: widget.value for name, widget in notebook.names["controls"].items()}
    judgement = judge_choices(notebook.names["competition"], **values)
    for name in ("ranking", "datasets", "aspects"):
        expected, shown = pd.read_csv(f"scores/{name}.csv"), judgement.files[name]
        shown.to_csv("shown.csv", index=False)
        pd.testing.assert_frame_equal(pd.read_csv("shown.csv"), expected)
    notebook.change(path="")
    for path in ("turned.yaml", "no rules.yaml"):
        assert 'role="alert"' in notebook.change(path=path)


def test_committed_ranking_is_current(demo):
    """To renew it: SRLIB_CACHE=$(mktemp -d) python .ci/refresh.py notebooks/explore.ipynb."""
    with pd.option_context("display.max_columns", 20):
        ranking = repr(final_ranking(demo.names["field"]).frame.round(3))
    assert CELLS[1].outputs[0].data["text/plain"] == ranking
