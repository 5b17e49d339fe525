"""The wheel, installed outside of the checkout: beside what it asks for it judges, with its extras it renders."""

import os
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parent.parent
LIMIT_S = 600


def closure(names):
    """Distributions that a distribution needs without any extra, itself left out."""
    found, todo = set(), list(names)
    while todo:
        name = canonicalize_name(todo.pop())
        if name in found:
            continue
        try:
            texts = distribution(name).requires or []
        except PackageNotFoundError:  # of another platform
            continue
        found.add(name)
        wanted = [Requirement(text) for text in texts]
        todo += [w.name for w in wanted if w.marker is None or w.marker.evaluate({"extra": ""})]
    return found


def linked(name, site):
    """Put a distribution that is installed here into another environment, by links."""
    files = distribution(name).files or []
    for top in {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}:
        source = Path(distribution(name).locate_file(top))
        if source.exists() and not (site / top).exists():
            (site / top).symlink_to(source)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build it from a copy: what is built from leaves no trace in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(asked, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if name.startswith(("srlib/", "parameters/", "notebooks/")) or "/" not in name:
            target = folder / "copy" / name
            if (CHECKOUT / name).is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes((CHECKOUT / name).read_bytes())
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", folder, folder / "copy"], check=True, timeout=LIMIT_S)
    (made,) = folder.glob("srlib-*.whl")
    return made


def environment(folder, wheel, *, everything):
    """Make an environment with the wheel and what it needs, or all that is installed here."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    install = [sys.executable, "-m", "pip", f"--python={python}", "install", "-q", "--no-deps"]
    subprocess.run([*install, "--no-index", wheel], check=True, timeout=LIMIT_S)
    if everything:
        here = Path(distribution("numpy").locate_file(""))
        (site / "others.pth").write_text(f"{here}\n")
    else:
        (installed,) = distributions(name="srlib", path=[str(site)])
        texts = installed.requires or []
        for name in closure(Requirement(text).name for text in texts if "extra ==" not in text):
            linked(name, site)
    return folder / "bin" / "srlib"


def run(program, folder, *arguments):
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environ |= {"HOME": str(folder), "SRLIB_CACHE": str(folder / "cache")}
    environ["JUPYTER_PATH"] = str(Path(sys.prefix) / "share" / "jupyter")  # templates of nbconvert
    return subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.fixture(scope="module")
def base(wheel, tmp_path_factory):
    return environment(tmp_path_factory.mktemp("base"), wheel, everything=False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--version"], "srlib 0."),
        (["problems", "--help"], "problem file"),
        (["equivalent", "--truth", "x*y", "--model", "y*x + 1"], "the truth plus 1"),
        (["check", "runs.csv", "--problems", "synthetic-2022"], "1 texts read"),
        (["score", "demo", "--problems", "synthetic-2022", "--out", "verdict"], "1."),
        (["compare", "demo", "--metric", "r2_test", "--out", "pairs.csv"], ""),
        (["new", "mine"], "mine"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_base_judges(base, tmp_path, arguments, says):
    text = "method,dataset,repetition,model\nA,noise_easy,1,x1\n"
    (tmp_path / "runs.csv").write_text(text)
    done = run(base, tmp_path, *arguments)
    assert done.returncode in ((0, 1) if arguments[0] == "check" else (0,)), done.stderr
    assert says in done.stdout + done.stderr


def test_without_the_extra_it_is_named(base, tmp_path):
    done = run(base, tmp_path, "report", "demo", "--only", "inference", "--out", "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "pip install 'srlib[report]'" in done.stderr


def test_with_its_extras_it_renders_from_a_folder_that_cannot_be_written(wheel, tmp_path):
    program = environment(tmp_path / "all", wheel, everything=True)
    here, out = tmp_path / "here", tmp_path / "out"
    here.mkdir(mode=0o555)
    done = run(program, here, "report", "demo", "--only", "inference", "--out", out)
    assert done.returncode == 0, done.stderr
    page = (out / "demo" / "inference.html") if (out / "demo").is_dir() else out / "inference.html"
    assert "Which solver wins" in page.read_text(encoding="utf-8")
