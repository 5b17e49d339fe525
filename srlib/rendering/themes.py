"""By what the index sorts the reports of a suite: the question that each answers."""

from collections.abc import Iterable
from typing import Any

THEMES = {
    "Who won": ("synthetic",),
    "How sure it is": ("robustness",),
    "What was measured": ("properties", "noise", "benchmark"),
    "Other tracks": ("qualification", "real_world", "inference"),
}  # notebooks that srlib ships, by theme; a suite may name another one for any report
OTHERS = "More reports"


def by_theme(reports: Iterable[Any]) -> dict[str, list[Any]]:
    """Sort reports by theme: srlib's themes in their order, those that a suite names as they come, then all others.

    Parameters
    ----------
    reports : iterable of srlib.rendering.suite.Report
        Each has its `notebook` and `theme`, which is empty where the suite names none.
    """
    known = {notebook: theme for theme, names in THEMES.items() for notebook in names}
    found: dict[str, list[Any]] = {theme: [] for theme in THEMES}
    last: list[Any] = []
    for report in reports:
        theme = report.theme or known.get(report.notebook.stem, OTHERS)
        if theme == OTHERS:
            last.append(report)
        else:
            found.setdefault(theme, []).append(report)
    return {theme: some for theme, some in (found | {OTHERS: last}).items() if some}
