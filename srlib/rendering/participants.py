"""Methods of a suite: a page for each where an entry says `for_each: method`, and one look for each on all pages."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from srlib.displays.conventions import file_name
from srlib.errors import InputError
from srlib.readers import read_results
from srlib.rendering.suite import Report, Suite

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,58}[A-Za-z0-9_-]|[A-Za-z0-9]")
HASHED = re.compile(r".*-[0-9a-f]{6}")  # as those that are not plain end
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # by Windows


def expand_for_each(suite: Suite) -> Suite:
    """Replace each entry with `for_each` by a report NAME/METHOD for each method of its run table.

    A run table that cannot be read gives no methods; the other reports of the suite say why.
    """
    reports: list[Report] = []
    for report in suite.reports:
        if not report.for_each:
            reports.append(report)
            continue
        for method, file in page_names(methods_of(report)).items():
            changes = {
                "name": f"{report.name}/{file}",
                "parameters": report.parameters | {"method": method},
                "title": report.title or method,
                "method": method,
            }
            reports.append(replace(report, **changes))
    return replace(suite, reports=tuple(reports))


def with_looks(suite: Suite, rendered: Iterable[Report]) -> Suite:
    """Hand each report the suite's style, the methods of all pages in one order, and its participants' pages.

    Parameters
    ----------
    suite : Suite
        With a report for each method.
    rendered : iterable of Report
        Those of its reports that have a page, or are to have one.
    """
    style, keys = suite.style.handed(), ("runs", "tables")
    sources = {
        str([report.parameters.get(key) for key in keys]): report for report in suite.reports
    }
    names = {name for report in sources.values() for name in methods_of(report)}
    style["order"] = list(dict.fromkeys([*suite.style.order, *sorted(names)]))
    reports = []
    for report in suite.reports:
        pages = {
            page.method: f"{page.name}.html"
            for page in rendered
            if page.method and not report.method and _same_runs(page, report)
        }
        text = json.dumps(style | {"participants": pages}, ensure_ascii=False, sort_keys=True)
        reports.append(replace(report, style=text))
    return replace(suite, reports=tuple(reports))


def _same_runs(report: Report, other: Report) -> bool:
    first, second = report.parameters, other.parameters
    return all(first.get(key) == second.get(key) for key in ("runs", "problems"))


def methods_of(report: Report) -> list[str]:
    """Names of the methods whose runs a report reads; none where they cannot be read, for its page says so."""
    runs = report.parameters.get("runs", "demo" if report.for_each else "")
    if not runs:
        return []
    try:
        root = report.path_of("runs", runs)
        tables = report.parameters.get("tables") or [""]
        return read_results([root / name for name in tables] if root else runs).methods
    except (InputError, OSError, ValueError):
        return []


def page_names(methods: Iterable[str]) -> dict[str, str]:
    """Name the file of each method's page: its own name where it is plain and no other's but for capitals.

    Examples
    --------
    >>> page_names(["PySR", "a", "A", "../x"])
    {'PySR': 'PySR', 'a': 'a-4ed7fa', 'A': 'a-c86782', '../x': 'x-34f5d9'}
    """
    names = list(methods)
    alike = Counter(name.lower() for name in names)
    files = {}
    for name in names:
        files[name] = name
        odd = not PLAIN.fullmatch(name) or RESERVED.fullmatch(name) or HASHED.fullmatch(name)
        if odd or alike[name.lower()] > 1:
            files[name] = file_name(f"{name} ")  # with the space no name is plain
    return files
