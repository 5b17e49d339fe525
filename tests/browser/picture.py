"""Take the README's picture: the first screen of the demo's report, as `make report` rendered it."""

import io
import os
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from srlib.files import DEMO, write_atomically
from tests.conftest import BROWSERS

PAGE = Path("reports") / "demo" / "synthetic.html"
WIDTH, HEIGHT = 1280, 1040


def browser_path() -> str:
    return os.environ.get("SRLIB_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)))


def keep(screenshot: bytes, name: str) -> None:
    """Write a picture into srlib/demo with few colours, so that it stays small."""
    buffer = io.BytesIO()
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    small = picture.quantize(128, Image.Quantize.MAXCOVERAGE)  # keeps the colours of small marks
    small.save(buffer, format="PNG", optimize=True)
    write_atomically(DEMO / name, buffer.getvalue())


def main() -> None:
    """Write srlib/demo/report.png."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(PAGE.resolve().as_uri())
        keep(page.screenshot(), "report.png")
        chromium.close()


if __name__ == "__main__":
    main()
