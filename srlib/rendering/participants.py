"""Reports for each method: a suite's entry with `for_each: method` becomes one report for each method of its runs."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from srlib.displays.file_names import file_name
from srlib.errors import InputError
from srlib.readers import read_runs
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
        for method, file in page_names(_read_methods(report)).items():
            changes = {
                "name": f"{report.name}/{file}",
                "parameters": report.parameters | {"method": method},
                "title": report.title or method,
                "method": method,
            }
            reports.append(replace(report, **changes))
    return replace(suite, reports=tuple(reports))


def _read_methods(report: Report) -> list[str]:
    runs = report.parameters.get("runs", "demo")
    path = report.path_of("runs", runs)
    try:
        return read_runs(path or runs).methods
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
