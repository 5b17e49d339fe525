"""What a report is made from, words about the competition included, has one name, its fingerprint, and stands on it."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_notebook

from srlib.problems import load_problems
from srlib.rendering.provenance import provenance, versions
from srlib.rendering.report_page import write_report
from srlib.rendering.suite import load_suite, with_style_and_links
from tests.builders import CHECK, examples, small_job, write_notebook, write_suite

PROBLEMS = """schema: 1
name: mine
data_root: data
defaults: {data: {train: "{data_seed}_train.csv", test: "{data_seed}_test.csv"}}
problems: [{dataset: d}]
"""
# code that uses a file beside the notebook, and the file
USES = {
    "import {name}": "{name}.py",
    "from {name}.deep.er import thing": "{name}/deep/er.py",
    "import {name}.a as b": "{name}/__init__.py",
    "%matplotlib inline\nimport {name}": "{name}.py",
    "%run {name}.py --fast": "{name}.py",
    "table = pd.read_csv('{name}.csv')": "{name}.csv",
    "if Path('{name}/a.txt').exists(): pass": "{name}/a.txt",
    "for i in '12': open(f'{name}/{{i}}.txt')": "{name}/1.txt",
    "for i in '12': open(f'{name}{{i}}.tsv')": "{name}1.tsv",
    "sorted(Path('{name}').glob('*'))": "{name}/deep/er.parquet",
    "open(r'\\d' + '../{name}.txt' if 0 else '../{name}.txt')": "../{name}.txt",
}


def test_fingerprint_changes_with_all_that_decides_the_report(tmp_path):
    notebook = tmp_path / "a.ipynb"
    write_notebook(notebook, CHECK, texts="problems rules answers")
    write_notebook(tmp_path / "b.ipynb", CHECK)
    (tmp_path / "data").mkdir()
    for name in ("problems.yaml", "data/1_train.csv", "data/1_test.csv"):
        (tmp_path / name).write_text(PROBLEMS)

    def origin(more="", title="Small", rendered=(), style="{}"):
        parameters = f"{{problems: ./problems.yaml, rules: judging-2022{more}}}"
        path = write_suite(tmp_path, {"a": parameters, "b": "{}"}, f"{{}}\nstyle: {style}")
        path.write_text(path.read_text().replace("Small", title))
        suite = load_suite(path)
        return provenance(with_style_and_links(suite, suite.select(set(rendered))).reports[0])

    def names(origin):
        return " ".join(item["name"].rpartition(": ")[2] for item in origin.inputs)

    first = origin()
    assert origin() == first and "sources" in versions()["srlib"]
    data = "data/1_test.csv data/1_train.csv"
    assert names(first) == f"a.ipynb problems.yaml {data} judging-2022.yaml"
    changed = [first, origin(", number: 2"), origin(title="Large"), origin(rendered=["b"])]
    changed += [origin(style="{size: 9}"), origin(", answers: ./data")]
    assert names(changed[-1]).count(data) == 2
    (tmp_path / "data/1_test.csv").write_text("changed")
    changed.append(origin())
    write_notebook(notebook, CHECK, CHECK, texts="problems rules answers")
    changed.append(origin())
    assert len({each.fingerprint for each in changed}) == len(changed) == 8


@examples(20)
@given(st.lists(st.sampled_from(sorted(USES)), min_size=1, max_size=4))
def test_file_that_code_names_is_an_input_when_it_appears_changes_and_goes(chain):
    """The notebook uses the first file, that one the second if it is code, and so on."""
    with TemporaryDirectory() as base:
        folder = Path(base, "suite")
        folder.mkdir()
        files = [folder / USES[use].format(name=f"n{place}") for place, use in enumerate(chain)]
        codes = [use.format(name=f"n{place}") for place, use in enumerate(chain)]
        write_notebook(folder / "a.ipynb", codes[0], CHECK)
        [report] = load_suite(write_suite(folder, {"a": "{}"})).reports
        prints = [provenance(report).fingerprint]
        for file, code in zip(files, [*codes[1:], ""], strict=True):
            file.parent.mkdir(parents=True, exist_ok=True)
            for text in (code, f"{code}\n# changed"):
                file.write_text(text)
                prints.append(provenance(report).fingerprint)
                assert prints[-1] not in prints[:-1], (chain, file)
            if file.suffix != ".py":
                break
        (folder / "other.csv").write_text("not named")
        (folder / "n.py").write_text("")
        assert provenance(report).fingerprint == prints[-1]
        files[0].unlink()
        assert provenance(report).fingerprint == prints[0]


HEAD = "date: 2026-03-01\ndeadline: 1 May <b>\ncontact: a@example.org\n"
DESCRIBED = "schema: 1\nname: p\n{}problems:\n  - {{dataset: d, features: [a], truth: a^2{}}}\n"


def test_words_about_a_competition_stand_on_the_page_and_change_no_digest(tmp_path):
    """The suite's word comes before that of the problem file; a changed word changes the fingerprint."""
    write_notebook(tmp_path / "n.ipynb", CHECK, texts="problems")
    path, problems = write_suite(tmp_path, {"n": "{problems: ./p.yaml}"}), tmp_path / "p.yaml"
    path.write_text(path.read_text().replace("title:", "contact: me & you\ntitle:"))
    problems.write_text(DESCRIBED.format("", ""))
    [report] = load_suite(path).reports
    [silent], before = load_problems(problems).problems, provenance(report).fingerprint
    problems.write_text(DESCRIBED.format(HEAD, ", description: Speed of <i>"))
    write_report(replace(small_job(tmp_path), report=report), new_notebook(), "")
    page = (tmp_path / "new/n.html").read_text()
    for text in ("2026-03-01", "1 May &lt;b&gt;", "me &amp; you", "<dd>Speed of &lt;i&gt;</dd>"):
        assert text in page
    assert "a@example.org" not in page and provenance(report).fingerprint != before
    assert load_problems(problems).problems[0].digest == silent.digest
