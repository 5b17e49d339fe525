"""A browser for each file of tests, and pages that keep what they ask for and what goes wrong."""

import pytest

# Rows are made alike, and axe looks into no formula: without most of them it takes seconds and not minutes.
FEWER = """document.querySelectorAll('tbody tr:nth-child(n+7)').forEach(row => row.remove());
document.querySelectorAll('math').forEach(math => math.replaceChildren('x'))"""


@pytest.fixture(scope="module")
def chromium(browser):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(chromium):
    """Open a file with its `requests` (but for its own data) and `messages`; a hundred open pages make tests slow."""

    def open_file(path, **options):
        page = chromium.new_context(**options).new_page()
        page.requests, page.messages = [], []

        def keep_request(request):
            if not request.url.startswith(("data:", "blob:")):
                page.requests.append(request.url)

        page.on("request", keep_request)
        page.on("console", lambda message: page.messages.append(message.text))
        page.on("pageerror", lambda error: page.messages.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_file
    for context in chromium.contexts:
        context.close()


def violations(page, options=None):
    """Rules of accessibility that a page breaks, each with the first places."""
    reason = "axe-playwright-python is not installed"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason)
    page.evaluate(FEWER)
    response = axe.Axe().run(page, options=options).response
    assert response["passes"], "axe looked at it"
    return {
        rule["id"]: [node["html"][:120] for node in rule["nodes"][:3]]
        for rule in response["violations"]
    }
