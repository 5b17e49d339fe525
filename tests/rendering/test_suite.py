import pytest

from srlib.cli.main import main
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.rendering.suite import load_suite
from tests.rendering.small import CHECK, write_notebook, write_suite


@pytest.fixture(name="folder")
def folder_fixture(tmp_path):
    write_notebook(tmp_path / "a.ipynb", CHECK)
    return tmp_path


def test_paths_are_relative_to_the_suite_file_and_bare_names_stay(folder):
    (folder / "runs.csv").write_text("x")
    suite = load_suite(write_suite(folder, {"a": "{number: 2}"}))
    report = suite.reports[0]
    assert suite.title == "Small & simple" and report.notebook == folder / "a.ipynb"
    assert report.path_of("runs", "./runs.csv") == folder / "runs.csv"
    assert report.path_of("rules", "judging-2022") == PARAMETERS / "rules" / "judging-2022.yaml"
    assert report.path_of("runs", "demo") is report.path_of("number", 2) is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("defaults: {}", "default: {}", "unknown key 'default'"),
        ("notebook: a.ipynb", "notebook: b.ipynb", "no notebook b.ipynb"),
        ("name: a,", "name: index,", "taken by the index"),
        ("name: a,", "name: ../a,", "name"),
        (
            "parameters: {}",
            "parameters: {output_dir: x}",
            "a.ipynb has no parameter 'output_dir'; it takes number",
        ),
        ("schema: 1", "schema: 2", "schema"),
    ],
)
def test_a_wrong_suite_is_one_sentence(folder, old, new, message):
    path = write_suite(folder, {"a": "{}"})
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match="suite.yaml: ") as error:
        load_suite(path)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.slow
def test_the_page_itself_has_it(folder):
    path = write_suite(folder, {"a": "{}"})
    path.write_text(path.read_text().replace("name: a,", 'name: a, title: "Whose <car>?",'))
    assert main(["report", str(path), "--out", str(folder / "out")]) == 0
    page = (folder / "out" / "a.html").read_text(encoding="utf-8")
    assert "<h1>Whose &lt;car&gt;?</h1>" in page or "Whose &lt;car&gt;?</h1>" in page
    index = (folder / "out" / "index.html").read_text(encoding="utf-8")
    assert "Whose &lt;car&gt;?</a>" in index and "Small &amp; simple" in index
