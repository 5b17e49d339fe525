"""What all tests share: an own cache, no windows; reference data, a browser and TeX where the machine has them."""

import os
import shutil
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

CHECKOUT = Path(__file__).resolve().parent.parent
BROWSERS = "chromium chromium-browser google-chrome google-chrome-stable chrome msedge"

# Examples are the same in every run, and no test fails because the machine is busy.
settings.register_profile(
    "srlib", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("srlib")


def pytest_configure(config):
    """Keep the user's cache out of the tests, doctests included, and figures off the screen.

    The backend is set here and not by MPLBACKEND, which the kernels of notebooks under test would inherit.
    """
    matplotlib.use("Agg")
    if not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="srlib-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        os.environ["SRLIB_CACHE"] = folder


def pytest_collection_modifyitems(items):
    """Mark what needs a browser, so that `make browser` and `make unit` share the tests between them."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


def missing(requirement, sentence):
    """Skip the test, or fail it where $SRLIB_REQUIRE (a list with commas) says that this must be there."""
    if requirement in os.environ.get("SRLIB_REQUIRE", "").split(","):
        pytest.fail(f"{sentence}; SRLIB_REQUIRE names {requirement!r}", pytrace=False)
    pytest.skip(sentence)


@pytest.fixture(scope="session")
def reference_data():
    """Folder of the reference data: $SRLIB_REFERENCE_DATA, or shared/data beside the checkout."""
    folder = Path(os.environ.get("SRLIB_REFERENCE_DATA") or CHECKOUT.parent / "shared/data")
    if not folder.is_dir():
        missing(
            "reference", f"no reference data: {folder} is not a folder (set SRLIB_REFERENCE_DATA)"
        )
    return folder


@pytest.fixture(scope="session")
def browser():
    """Path of a Chromium that playwright can drive: $SRLIB_BROWSER, or the first one found."""
    names = os.environ.get("SRLIB_BROWSER") or BROWSERS
    path = next(filter(None, map(shutil.which, names.split())), None)
    if path is None:
        missing("browser", f"no browser: none of {names} was found (set SRLIB_BROWSER)")
    return path


@pytest.fixture(scope="session")
def latex():
    """Path of pdflatex; IEEEtran is Debian's texlive-publishers."""
    path = shutil.which("pdflatex")
    if path is None:
        missing("latex", "no LaTeX: pdflatex was not found")
    return path


@pytest.fixture(scope="session")
def springs(tmp_path_factory):
    """Problem file of `tests.builders.SPRINGS`."""
    from tests.builders import SPRINGS  # not before it is needed: it imports pandas

    path = tmp_path_factory.mktemp("springs") / "springs.yaml"
    path.write_text(SPRINGS)
    return path


@pytest.fixture
def generator():
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20220101)
