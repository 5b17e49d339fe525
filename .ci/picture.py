"""Take the README's pictures: the first screen of the report that `make report` rendered, and the explorer."""

import io
import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from srlib.files import DEMO, write_atomically
from tests.browser.lab import lab, run_all
from tests.conftest import BROWSERS

REPORT = Path("reports") / "demo" / "synthetic.html"


def keep(page: Page, name: str) -> None:
    """Write the screen into srlib/demo with few colours, so that it stays small."""
    buffer = io.BytesIO()
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    small = picture.quantize(128, Image.Quantize.MAXCOVERAGE)  # keeps the colours of small marks
    small.save(buffer, format="PNG", optimize=True)
    write_atomically(DEMO / name, buffer.getvalue())


def main() -> None:
    """Write report.png and explorer.png."""
    browser = os.environ.get("SRLIB_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS.split()))
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        lab(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1280, "height": 1040}, color_scheme="light")
        page.goto(REPORT.resolve().as_uri())
        keep(page, "report.png")
        page.set_viewport_size({"width": 1280, "height": 1000})
        run_all(page, address)
        screen = page.locator(".srlib-explorer").first
        screen.locator("img").wait_for()
        screen.evaluate("box => box.scrollIntoView()")
        page.wait_for_timeout(1500)
        keep(page, "explorer.png")
        chromium.close()


if __name__ == "__main__":
    main()
