r"""A paper of a suite: keys keep their meaning, changes are listed, other files stay, and what is written compiles."""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

import srlib.displays.page
from srlib.cli.main import main
from srlib.displays import DotsDisplay, Page, Table, index_to_columns
from srlib.displays.tables.numbers import key_of, read_numbers, table_numbers, tex_text
from srlib.prose import state
from srlib.rendering import render
from srlib.rendering.paper import write_paper
from srlib.rendering.suite import Suite
from tests.browser.pages import render_demo
from tests.builders import CHECK, each, refused, write_notebook, write_suite
from tests.conftest import missing
from tests.displays.conftest import keep_outputs

STRANGE = [
    *(r"}%", r"\input{/etc/passwd}", "a_b^c", "é", "e\u0301", "λ", "Łódź ąę đ «ñ» Ωμέγα", "中 x₁", "lambda"),
    *("#1$&~", "[x]", "*", "row", "rank", "score", "name", "a/b", "a · b", "a", "A", "a-b", "a b", "a  b", " "),
    *("x-a4a17a", "1", "1.0", "−1", "d · #2", "..", "", "x" * 90, "</script>", "\u05d0"),
]  # fmt: skip
NAMES = st.lists(
    st.sampled_from(STRANGE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    min_size=1,
    max_size=12,
    unique=True,
)


def cells(table):
    numbers = table_numbers(table, "r", "t")
    return {key: text for key, text in numbers.items() if not key.startswith("name/")}


@given(NAMES, st.data())
def test_key_means_the_same_row_and_column_whoever_joins_or_leaves(names, data):
    """Methods are rows of one table and columns of another; each has its own number."""
    score = {name: f"{place}.000" for place, name in enumerate(names)}

    def numbers(methods):
        frame = pd.DataFrame({"rank": 1, "method": methods})
        frame["score"] = [float(score[name]) for name in methods]
        matrix = pd.DataFrame({"d": frame.set_index("method")["score"]}).T.rename_axis("dataset")
        return cells(Table(frame)), cells(index_to_columns(matrix))

    some = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    everybody, some = numbers(names), numbers(some)
    for before, after in zip(everybody, some, strict=True):
        assert after.items() <= before.items() and all(map(str.isascii, before))
    rows, columns = everybody
    assert {key: text for key, text in rows.items() if key.endswith("/score")} == {
        f"r/t/{key_of(name)}/score": score[name] for name in names
    }
    assert columns == {"r/t/d/dataset": "d"} | {
        f"r/t/d/{key_of(name)}": score[name] for name in names
    }


def test_row_without_a_key_of_its_own_has_no_number():
    """Two runs of a method on a dataset; and rows that only their caption tells apart from others."""
    frame = pd.DataFrame({"method": ["a", "a", "b"], "row": [1, 2, 3], "score": [1.0, 2.0, 3.0]})
    assert list(cells(Table(frame))) == ["r/t/b/method", "r/t/b/row", "r/t/b/score"]
    assert cells(Table(frame.drop(columns="method").assign(aspect="accuracy"))) == {}


UNDRAWN = dict.fromkeys(("pdf", "svg", "png"), b"")


@pytest.fixture
def paper(tmp_path, monkeypatch, request):
    """Write reports with a table of scores and a figure each, and a paper of them; only slow tests draw the figures."""
    outputs = keep_outputs(monkeypatch)
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(srlib.displays.page, "figure_files", lambda *_, **__: UNDRAWN)

    def write(scores, names=("synthetic",), **changes):
        contents = []
        for name in names:
            outputs.clear()
            page = Page({"output_dir": str(tmp_path / "out" / name)})
            first = next(iter(scores))
            sentences = [state("lost", "{method} lost.", method=method) for method in scores]
            verdict = state(
                "verdict", "{winner} wins with {score:.3f}.", winner=first, score=scores[first]
            )
            page.answer(None, "Who wins?", verdict, certainty="It is sure", details=sentences)
            frame = pd.DataFrame({"method": scores.keys(), "score": scores.values()})
            model = frame.assign(model="0.5*x1 + λ_1*sin(x2)", property="local_optima")
            page.table(Table(model, equations=["model"]), "final-ranking", "The ranking")
            page.table(frame, "folded", "Not for the text", folded=True)
            numbers = frame.assign(panel="R²", series="", value=frame["score"], low=0.0, high=9.0)
            page.figure(
                DotsDisplay(numbers=numbers), "scores", f"Scores of {', '.join(scores)[:500]}"
            )
            answer, *notes = (output["metadata"]["srlib"] for output in outputs)
            content = {
                kind: [note for note in notes if f"{note['kind']}s" == kind]
                for kind in ("figures", "tables")
            }
            contents.append(answer | content | {"name": name, "state": "good"} | changes)
        suite = Suite("s", "Who {wins} 100%? λ", tmp_path / "s.yaml", (), {"contact": "a\nb"})
        return write_paper(suite, contents, tmp_path / "out", tmp_path / "paper")

    return write


def test_numbers_are_what_the_page_shows(tmp_path, monkeypatch):
    outputs = keep_outputs(monkeypatch)
    page = Page({"output_dir": str(tmp_path / "r")})
    values = {
        "method": ["a_b", "c"],
        "n": [1234, -5],
        "score": [-0.0002, float("nan")],
        "ok": [True, False],
    }
    values |= {
        "property": ["local_optima", None],
        "features": [("x1", "x2"), ()],
        "p": [9.2e-22, 1.0],
    }
    page.table(pd.DataFrame(values), "t", "T")
    rows = BeautifulSoup(outputs[0]["data"]["text/html"], "html.parser").find_all("tr")[1:]
    shown = [[tex_text(cell.get_text()) for cell in row.find_all(["th", "td"])] for row in rows]
    # the property is a part of the key
    keys = [["r/t/a_b/local_optima", "r/t/c/" + key_of("")], values]
    numbers = read_numbers(tmp_path / "r/numbers.tex")
    assert [[numbers[f"{row}/{name}"] for name in values] for row in keys[0]] == shown


RANKING = "synthetic/final-ranking"


def test_numbers_that_the_text_uses_are_listed_when_they_change_or_go(paper, tmp_path):
    scores, folder = {"a": 2.5, "é": -1.0, "b": 0.5}, tmp_path / "paper"
    first = paper(scores)
    assert first.sentences[1:] == first.faults == [] and (folder / "paper.tex").is_file()
    kept, moved, lost = (f"{RANKING}/{key_of(name)}/local_optima/score" for name in ("a", "b", "é"))
    (folder / "parts").mkdir()
    files = [folder / name for name in ("paper.tex", "parts/results.tex", "notes.txt")]
    texts = [rf"\sr{{{kept}}} % \sr{{old}}", rf"5\% \sr {{{lost}}} \sr{{{moved}}} \sr{{a/#1}}", "!"]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    assert paper({"x": 9.0, "é": -1.0, "b": 0.5, "a": 2.5}).sentences[1:] == []
    second = paper({"a": 2.5, "é": -1.0, "b": -0.5})
    assert second.sentences[1:] == [f"{moved}: 0.500 → −0.500"] and not second.faults
    third = paper({"b": -0.5, "a": 2.5})
    assert third.sentences[1:] == []
    assert third.faults == [rf"{files[1]}: \sr{{{lost}}} is used, and no report has it."]
    assert [file.read_text() for file in files] == texts


def test_paper_has_the_same_bytes_in_any_order_of_rows(paper, tmp_path):
    written = []
    for scores in ({"a": 2.5, "b": 0.5}, {"b": 0.5, "a": 2.5}):
        paper(scores)
        written.append((tmp_path / "paper/srlib/numbers.tex").read_text())
    first, second = (text.replace("b", "a") for text in written)
    lines = [[line for line in text.splitlines() if "ranking" in line] for text in written]
    assert lines[0] == lines[1] == sorted(lines[0]) and len(first) == len(second)


@each("state fault", "failed | the report b is failed\noutdated | the report b is outdated")
def test_report_that_is_not_good_prevents_the_paper(state, fault, paper, tmp_path):
    result = paper({"a": 1.0}, ("b",), state=state)
    assert result.faults == [f"No paper: {fault}."] and not (tmp_path / "paper").exists()


def test_two_reports_that_would_write_one_file_are_refused(paper, tmp_path):
    with refused(
        "figures/synthetic-scores.pdf: two reports would write it; rename report synthetic"
    ):
        paper({"a": 1.0}, ("synthetic", "synthetic"))
    assert not (tmp_path / "paper").exists()


@each(
    "paper stands message",
    """
link | link | link: a folder was expected, and a link stands there
p | p/srlib link | p/srlib: a folder was expected, and a link stands there
p/paper.tex | p/paper.tex | a folder that can be written was expected
p/paper.tex/in | p/paper.tex | a folder that can be written was expected
p | p/srlib/mine.txt | it holds mine.txt, which `srlib report` did not write
out/p | p/mine.txt | a paper cannot lie in the folder of the reports
""",
)
def test_folder_that_cannot_be_replaced_is_refused_before_a_report_is_made(
    paper, stands, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(render, "_render", None)
    path = Path(stands.removesuffix(" link"))
    path.parent.mkdir(exist_ok=True, parents=True)
    if "link" in stands:
        Path("elsewhere").mkdir()
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.write_text("mine")
    write_notebook(tmp_path / "a.ipynb", CHECK)
    suite = write_suite(tmp_path, {"a": "{}"})
    assert main(["report", str(suite), "--out", "out", "--paper", paper]) == 2
    assert message in capsys.readouterr().err
    assert path.is_symlink() or path.read_text() == "mine"


@pytest.mark.slow
def test_paper_of_a_rendered_suite_and_of_one_whose_report_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    show = "from srlib.displays import Page\nPage(globals()).answer(None, 'Q', 'It is 1.')"
    write_notebook(tmp_path / "a.ipynb", show, CHECK)
    write_notebook(tmp_path / "b.ipynb", "1 / 0", CHECK)
    for reports, code in ((["a"], 0), (["a", "b"], 1)):
        suite = write_suite(tmp_path, dict.fromkeys(reports, "{}"))
        assert main(["report", str(suite), "--out", "out", "--paper", f"paper{code}"]) == code
    assert read_numbers(tmp_path / "paper0/srlib/numbers.tex") == {"a/verdict": "It is 1."}
    assert "No paper: the report b is failed." in capsys.readouterr().out
    assert not (tmp_path / "paper1").exists()


def run_latex(folder, document):
    """Run pdflatex; return its exit code and what it prints, without the ends of its lines."""
    for program in ("pdflatex", "pdffonts"):
        if shutil.which(program) is None:
            missing("latex", f"no {program} was found")
    (folder / "test.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "test"]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return run.returncode, run.stdout.decode("utf-8", "replace").replace("\n", "")


def check_paper(folder):
    """Compile a paper in two columns and in one: it fits, and all fonts are embedded."""
    first, second, *lines = (folder / "paper.tex").read_text().splitlines()
    for line in (first, second.removeprefix("%")):
        code, log = run_latex(folder, "\n".join([line, *lines]))
        wide = [points for points in re.findall(r"hbox \(([\d.]+)pt too", log) if float(points) > 1]
        assert (code, "too large" in log, wide) == (0, False, []), log[-2000:]
        fonts = subprocess.run(
            ["pdffonts", "test.pdf"], cwd=folder, capture_output=True, check=True
        )
        assert {row.split()[-5] for row in fonts.stdout.decode().splitlines()[2:]} == {"yes"}


@pytest.mark.slow
@pytest.mark.parametrize("methods", [STRANGE, ["}%"], [f"method_{i}" for i in range(60)]], ids=len)
def test_paper_compiles_in_one_and_two_columns(methods, paper, tmp_path):
    paper({name: float(place) for place, name in enumerate(methods)})
    check_paper(tmp_path / "paper")


@pytest.mark.slow
def test_paper_of_the_demo_compiles_in_one_and_two_columns(tmp_path):
    render_demo(tmp_path / "out", paper=tmp_path / "paper")
    check_paper(tmp_path / "paper")


@pytest.mark.slow
def test_every_number_may_stand_in_the_text_and_another_key_stops_the_compilation(paper, tmp_path):
    paper({name: float(place) - 5 for place, name in enumerate(STRANGE)})
    folder = tmp_path / "paper"
    keys = read_numbers(folder / "srlib/numbers.tex")
    numbers = [rf"\sr{{{key}}}" for key in keys]
    numbers += [rf"$\sr{{{key}}}$" for key in keys if key.endswith(("score", "model"))]
    text = (folder / "paper.tex").read_text()
    for more, failed in ((numbers, False), ([rf"\sr{{{RANKING}/nobody/score}}"], True)):
        code, log = run_latex(folder, text.replace(r"\end{doc", " ".join([*more, r"\end{doc"])))
        assert bool(code) == failed == (f"{RANKING}/nobody/score" in log), log[-2000:]
