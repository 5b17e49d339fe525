"""A JupyterLab of our own for a while: on a free port of this machine, on a copy of the notebook, with empty settings.

`python -m tests.browser.lab` takes the README's picture of the explorer.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from srlib.files import NOTEBOOKS
from tests.browser.picture import browser_path, keep

PATIENCE_S = 180
OFFLINE = [
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]


@contextmanager
def lab(folder: Path) -> Iterator[str]:
    """Start JupyterLab on a copy of explore.ipynb in a folder; give the notebook's address."""
    shutil.copy(NOTEBOOKS / "explore.ipynb", folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, base = secrets.token_hex(8), f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", *OFFLINE]
    command += [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.port={port}",
        f"--IdentityProvider.token={token}",
    ]
    own = dict.fromkeys(
        ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "SRLIB_CACHE"),
        str(folder / ".own"),
    )
    environment = {**os.environ, **own, "PYTHONPATH": str(NOTEBOOKS.parent)}
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=silent, stderr=silent)
    try:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and process.poll() is None:
            try:
                urllib.request.urlopen(f"{base}/api?token={token}", timeout=5).close()
                break
            except OSError:
                time.sleep(0.3)
        yield f"{base}/lab/tree/explore.ipynb?token={token}"
    finally:
        process.terminate()
        process.wait(30)


def run_all(page: Page, address: str) -> None:
    """Open the notebook, run all its cells, and wait for the last widgets."""
    page.set_default_timeout(PATIENCE_S * 1000)
    page.goto(address)
    page.locator(".jp-Notebook").wait_for()
    page.get_by_text("| Idle").first.wait_for()  # before, a notebook without a kernel runs nothing
    page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
    page.get_by_label("file", exact=True).wait_for(state="attached")
    if page.get_by_role(
        "button", name="No", exact=True
    ).count():  # news from the makers of JupyterLab
        page.get_by_role("button", name="No", exact=True).first.click()


def main() -> None:
    """Write srlib/demo/explorer.png."""
    with (
        tempfile.TemporaryDirectory() as folder,
        lab(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1280, "height": 1000}, color_scheme="light")
        run_all(page, address)
        page.get_by_label("rank_start", exact=True).evaluate("box => box.scrollIntoView()")
        page.wait_for_timeout(1500)
        keep(page.screenshot(), "explorer.png")
        chromium.close()


if __name__ == "__main__":
    main()
