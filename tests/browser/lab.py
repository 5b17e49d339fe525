"""A JupyterLab of our own for a while: on a free port, on a copy of the notebook, with empty settings."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

from srlib.files import NOTEBOOKS

PATIENCE_S = 180


@contextmanager
def lab(folder):
    """Start JupyterLab on a copy of explore.ipynb in a folder; give the notebook's address."""
    shutil.copy(NOTEBOOKS / "explore.ipynb", folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, base = secrets.token_hex(8), f"http://127.0.0.1:{port}"
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.port={port}",
        f"--IdentityProvider.token={token}",
    ]
    settings = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "SRLIB_CACHE")
    own = dict.fromkeys(settings, str(folder / ".own")) | {"PYTHONPATH": str(NOTEBOOKS.parent)}
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, env=os.environ | own, stdout=silent, stderr=silent)
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


def run_all(page, address):
    """Open the notebook, run all its cells, and wait for the last widgets."""
    page.set_default_timeout(PATIENCE_S * 1000)
    page.goto(address)
    page.locator(".jp-Notebook").wait_for()
    page.get_by_text("| Idle").first.wait_for()  # before, a notebook without a kernel runs nothing
    page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
    page.locator(".srlib-explorer .srlib-verdict b").wait_for()
    news = page.get_by_role("button", name="No", exact=True)  # from the makers of JupyterLab
    if news.count():
        news.first.click()
