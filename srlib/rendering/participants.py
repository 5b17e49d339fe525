"""Methods of a suite: pages for each method (`for_each`), and the same look of a method on all pages."""

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from srlib.errors import InputError
from srlib.files import file_name
from srlib.readers import read_results
from srlib.rendering.suite import Report, Suite

PLAIN_NAME = re.compile(
    r"""(?!.*-[0-9a-f]{6}$)                        # as those that are not plain end
    (?!(?i:con|prn|aux|nul|com\d|lpt\d)(\.|$))    # reserved by Windows
    [A-Za-z0-9]([A-Za-z0-9._-]{0,58}[A-Za-z0-9_-])?""",
    re.VERBOSE,
)


def expand_for_each(suite: Suite) -> Suite:
    """Return the suite with a report NAME/METHOD for each method in place of each entry with `for_each`.

    All methods are added to `order` of the suite's style. If a run table cannot be read it has no methods; the other
    reports of the suite state the reason.
    """
    reports: list[Report] = []
    methods: dict[str, list[str]] = {}  # keyed by the parameters that name the runs
    for report in suite.reports:
        source = str([report.parameters.get(key) for key in ("runs", "tables")])
        if source not in methods:
            methods[source] = methods_of(report)
        if not report.for_each:
            reports.append(report)
            continue
        for method, file in page_names(methods[source]).items():
            name, title = f"{report.name}/{file}", report.title or method
            parameters = report.parameters | {"method": method}
            page = replace(report, name=name, title=title, method=method, parameters=parameters)
            reports.append(page)
    if not reports:
        raise InputError(f"{suite.path}: its runs name no method, so there is nothing to render")
    order = dict.fromkeys([*suite.style.order, *sorted(set().union(*methods.values()))])
    style = suite.style.model_copy(update={"order": list(order)})
    return replace(suite, reports=tuple(reports), style=style)


def with_style_and_links(suite: Suite, rendered: Collection[Report]) -> Suite:
    """Return the suite with its style and the addresses of rendered pages in each report.

    Addresses of participants' pages are limited to those made from the same runs as the report.
    """
    style = suite.style.model_dump(exclude_defaults=True)
    links = {page.notebook.stem: f"{page.name}.html" for page in rendered if not page.method}
    reports = []
    for report in suite.reports:
        runs = report.parameters.get("runs")
        addresses = {
            page.method: f"{page.name}.html"
            for page in rendered
            if page.method and page.parameters["runs"] == runs
        }
        text = json.dumps(style | {"participants": addresses}, ensure_ascii=False, sort_keys=True)
        reports.append(replace(report, style=text, links={} if report.method else links))
    return replace(suite, reports=tuple(reports))


def methods_of(report: Report) -> list[str]:
    """Return the names of the methods whose runs a report reads; an empty list if they cannot be read."""
    runs = report.parameters.get("runs", "")
    try:
        root = report.path_of("runs", runs)
        tables = report.parameters.get("tables") or [""]
        return read_results([root / name for name in tables] if root else runs).methods
    except (InputError, OSError, ValueError):
        return []


def page_names(methods: list[str]) -> dict[str, str]:
    """Return {method: file name of its page}: the method's name if plain and unique without case, else with a hash.

    Examples
    --------
    >>> page_names(["PySR", "a", "A", "../x"])
    {'PySR': 'PySR', 'a': 'a-4ed7fa', 'A': 'a-c86782', '../x': 'x-34f5d9'}
    """
    counts = Counter(name.lower() for name in methods)
    return {
        name: name
        if PLAIN_NAME.fullmatch(name) and counts[name.lower()] == 1
        else file_name(f"{name} ")  # the space makes any name get a hash
        for name in methods
    }
