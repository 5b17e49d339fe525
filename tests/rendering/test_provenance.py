"""What a report is made from has one name, its fingerprint, which changes with any of it."""

from srlib.rendering.participants import with_style_and_links
from srlib.rendering.provenance import provenance, versions
from srlib.rendering.suite import load_suite
from tests.rendering.small import CHECK, write_notebook, write_suite

PROBLEMS = """schema: 1
name: mine
data_root: data
defaults: {data: {train: "{data_seed}_train.csv", test: "{data_seed}_test.csv"}}
problems: [{dataset: d}]
"""


def test_the_fingerprint_names_all_that_decides_the_report(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK, texts="problems rules answers")
    write_notebook(tmp_path / "b.ipynb", CHECK)
    (tmp_path / "data").mkdir()
    for name in ("problems.yaml", "data/1_train.csv", "data/1_test.csv"):
        (tmp_path / name).write_text(PROBLEMS)

    def origin(more="", title="Small", rendered=()):
        parameters = f"{{problems: ./problems.yaml, rules: judging-2022{more}}}"
        path = write_suite(tmp_path, {"a": parameters, "b": "{}"})
        path.write_text(path.read_text().replace("Small", title))
        suite = load_suite(path)
        pages = [report for report in suite.reports if report.name in rendered]
        return provenance(with_style_and_links(suite, pages).reports[0])

    first = origin()
    assert origin() == first and "sources" in versions()["srlib"]
    assert [each["name"] for each in first.inputs] == [
        "notebook: a.ipynb",
        "problems: problems.yaml",
        "problems: data/1_test.csv",
        "problems: data/1_train.csv",
        "rules: judging-2022.yaml",
    ]
    changed = [first, origin(", number: 2"), origin(title="Large"), origin(rendered=["b"])]
    changed.append(origin(", answers: ./data"))
    names = {each["name"] for each in changed[-1].inputs}
    assert {"answers: data/1_test.csv", "answers: data/1_train.csv"} <= names
    (tmp_path / "data" / "1_test.csv").write_text("changed")
    changed.append(origin())
    write_notebook(tmp_path / "a.ipynb", CHECK, CHECK, texts="problems rules answers")
    changed.append(origin())
    assert len({each.fingerprint for each in changed}) == len(changed) == 7
