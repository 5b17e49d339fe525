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
    write_notebook(tmp_path / "a.ipynb", CHECK, texts="problems answers")
    (tmp_path / "problems.yaml").write_text(PROBLEMS)
    (tmp_path / "data").mkdir()
    for name in ("1_train.csv", "1_test.csv"):
        (tmp_path / "data" / name).write_text(name)
    path = write_suite(tmp_path, {"a": "{problems: ./problems.yaml}"})
    seen = {}

    def look(what):
        seen[what] = provenance(load_suite(path).reports[0])
        return seen[what].fingerprint

    assert look("first") == look("again")
    (tmp_path / "data" / "1_test.csv").write_text("changed")
    assert look("data") != seen["first"].fingerprint
    path.write_text(path.read_text().replace("problems.yaml}", "problems.yaml, number: 2}"))
    assert look("parameter") != seen["data"].fingerprint
    write_notebook(tmp_path / "a.ipynb", CHECK, CHECK, texts="problems answers")
    assert look("notebook") != seen["parameter"].fingerprint
    path.write_text(path.read_text().replace("number: 2}", "number: 2, answers: ./data}"))
    look("folder")
    assert {"answers: data/1_test.csv", "answers: data/1_train.csv"} <= {
        each["name"] for each in seen["folder"].inputs
    }
    names = [each["name"] for each in seen["first"].inputs]
    assert names == [
        "notebook: a.ipynb",
        "problems: problems.yaml",
        "problems: data/1_test.csv",
        "problems: data/1_train.csv",
    ]
    assert not any(str(tmp_path) in name for name in names)
    assert "sources" in versions()["srlib"]
