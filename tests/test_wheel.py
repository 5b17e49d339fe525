"""The wheel, installed outside of the checkout: beside what it asks for it judges, with its extras it renders."""

import os
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parent.parent
LIMIT_S = 600
# modules of the extras, which the base has to do without
EXTRAS = ["IPython", "PIL", "deap", "distributed", "ffx", "gplearn", "ipykernel", "jinja2", "latex2mathml",
          "matplotlib", "nbclient", "nbconvert", "nbformat", "papermill", "pmlb", "psutil", "requests",
          "seaborn", "sklearn", "traitlets"]  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Install the wheel beside what is installed here; built from a copy, it leaves no trace in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=CHECKOUT, text=True).split("\0")
    for name in filter(None, names):
        if name.startswith(("srlib/", "parameters/", "notebooks/")) or "/" not in name:
            target = folder / "copy" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((CHECKOUT / name).read_bytes())
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    pip, offline = (
        [sys.executable, "-m", "pip"],
        ["--no-deps", "--no-build-isolation", "--no-index"],
    )
    build = [*pip, "wheel", "-q", *offline, "-w", folder, folder / "copy"]
    subprocess.run(build, check=True, timeout=LIMIT_S)
    (wheel,) = folder.glob("srlib-*.whl")
    install = [*pip, f"--python={python}", "install", "-q", *offline, wheel]
    subprocess.run(install, check=True, timeout=LIMIT_S)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    (site / "installed_here.pth").write_text(f"{distribution('numpy').locate_file('')}\n")
    return folder / "env" / "bin" / "srlib"


def run(program, folder, *arguments, without=()):
    """Run a command in a folder, perhaps in a Python in which some modules are not installed."""
    (folder / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({without}))\n"
    )
    environment = os.environ | {"HOME": str(folder), "SRLIB_CACHE": str(folder / "cache")}
    environment["PYTHONPATH"] = str(folder)
    environment["JUPYTER_PATH"] = str(
        Path(sys.prefix) / "share" / "jupyter"
    )  # templates of nbconvert
    options = {"capture_output": True, "text": True, "timeout": LIMIT_S, "check": False}
    return subprocess.run([program, *arguments], cwd=folder, env=environment, **options)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("--version", "srlib 0."),
        ("problems --help", "problem file"),
        ("equivalent --truth x*y --model y*x+1", "the truth plus 1"),
        ("check runs.csv --problems synthetic-2022", "1 text read"),
        ("score demo --problems synthetic-2022 --out verdict", "1."),
        ("compare demo --metric r2_test --out pairs.csv", ""),
        ("new mine", "mine"),
    ],
)
def test_the_base_judges(program, tmp_path, command, output):
    (tmp_path / "runs.csv").write_text("method,dataset,repetition,model\nA,noise_easy,1,x1\n")
    done = run(program, tmp_path, *command.split(), without=EXTRAS)
    assert done.returncode == 0 or "check" in command, done.stderr
    assert output in done.stdout + done.stderr


REPORT = ("report", "demo", "--only", "inference", "--out", "out")


def test_without_the_extra_it_is_named(program, tmp_path):
    done = run(program, tmp_path, *REPORT, without=EXTRAS)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "pip install 'srlib[report,methods,lab]'" in done.stderr


def test_with_its_extras_it_renders(program, tmp_path):
    done = run(program, tmp_path, *REPORT)
    assert done.returncode == 0, done.stderr
    (page,) = (tmp_path / "out").rglob("inference.html")
    assert "Which solver wins" in page.read_text(encoding="utf-8")
