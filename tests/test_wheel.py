"""The wheel, installed outside of the checkout: beside what it asks for it judges, with its extras it renders."""

import os
import shutil
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.builders import each

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parent.parent
# modules of the extras, which the base has to do without
EXTRAS = """
IPython PIL deap distributed ffx gplearn ipykernel jinja2 latex2mathml matplotlib nbclient nbconvert nbformat
papermill pmlb requests seaborn sklearn traitlets
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Install the wheel beside what is installed here; built from a copy, it leaves no trace in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    passed_over = shutil.ignore_patterns(".*", "*.egg-info", "build", "reports", "tests")
    shutil.copytree(CHECKOUT, folder / "copy", ignore=passed_over)
    new = "srlib/demo/new"  # which has names with a dot
    shutil.copytree(CHECKOUT / new, folder / "copy" / new, dirs_exist_ok=True)
    venv.create(folder / "env", symlinks=True)
    pip = [sys.executable, "-m", "pip"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "wheel", "-q", *offline, "-w", folder, folder / "copy"], check=True)
    (wheel,) = folder.glob("srlib-*.whl")
    python = f"--python={folder}/env/bin/python"
    subprocess.run([*pip, python, "install", "-q", *offline, wheel], check=True)
    (site,) = folder.glob("env/lib/python*/site-packages")
    (site / "installed_here.pth").write_text(f"{distribution('numpy').locate_file('')}\n")
    return folder / "env/bin/srlib"


def run(program, folder, line, without=""):
    """Run a command in a folder, perhaps in a Python in which some modules are not installed."""
    code = f"import sys\nsys.modules.update(dict.fromkeys({without.split()}))\n"
    (folder / "sitecustomize.py").write_text(code)
    environment = os.environ | {
        "HOME": str(folder),
        "SRLIB_CACHE": str(folder / "cache"),
        "PYTHONPATH": str(folder),
        "JUPYTER_PATH": f"{sys.prefix}/share/jupyter",  # templates of nbconvert
    }
    options = {"capture_output": True, "text": True, "timeout": 600, "check": False}
    ended = subprocess.run([program, *line.split()], cwd=folder, env=environment, **options)
    return ended.returncode, ended.stdout + ended.stderr


@each(
    "line code part",
    r"""
--version | 0 | srlib 1.
check runs.csv --problems synthetic-2022 | 1 | 1 text read
judge demo --problems synthetic-2022 --out verdict | 0 | 1. sparse-polynomial
compare demo --metric r2_test --out pairs.csv | 0 | \nwritten to pairs.csv and
new mine | 0 | srlib report mine/practice/suite.yaml
report demo --only inference --out out | 2 | is not installed: pip install 'srlib[report,methods,lab]'
""",
)
def test_base_judges_and_names_the_extra_of_a_report(program, tmp_path, line, code, part):
    (tmp_path / "runs.csv").write_text("method,dataset,repetition,model\nA,noise_easy,1,x1\n")
    ended, output = run(program, tmp_path, line, without=EXTRAS)
    assert ended == int(code) and part in output, output


def test_new_competition_has_its_workflows(program, tmp_path):
    code, output = run(program, tmp_path, "new mine")
    assert code == 0, output
    names = {path.name for path in (tmp_path / "mine/.github/workflows").iterdir()}
    assert names == {"submission.yml", "board.yml"} and (tmp_path / "mine/.gitignore").is_file()


def test_extras_render(program, tmp_path):
    code, output = run(program, tmp_path, "report demo --only inference --out out")
    assert code == 0, output
    (page,) = (tmp_path / "out").rglob("inference.html")
    assert "Which solver wins" in page.read_text()
