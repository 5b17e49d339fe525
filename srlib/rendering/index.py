"""index.html: who won, and every page of a suite with its answer, read from what each notebook handed over."""

from collections.abc import Collection
from pathlib import Path

from srlib.files import write_atomically
from srlib.folders import read_json
from srlib.rendering.page import fill_template, frame, strip_addresses
from srlib.rendering.suite import Suite


def write_index(suite: Suite, out: Path, outdated: Collection[str] = ()) -> None:
    """Write OUT/index.html: the first screen of the report that says who wins, then a list of all pages.

    Parameters
    ----------
    suite : Suite
        Its reports, in this order.
    out : Path
        Where they were rendered.
    outdated : collection of str
        Names of reports whose inputs, notebook or srlib changed after they were rendered.
    """
    facts = {r.name: read_json(out / f"{r.name}.report.json") for r in suite.reports}
    states = dict[str, str]()
    for name, handed in facts.items():
        if handed and (out / f"{name}.html").is_file():
            state = "outdated" if name in outdated else "good"
            states[name] = "failed" if handed["failure"] else state
    pages = [r for r in suite.reports if r.name in states and not r.method]
    pages.sort(key=lambda report: report.notebook.stem != "synthetic")
    ranked = [r.name for r in pages if states[r.name] != "failed" and facts[r.name]["ranking"]]
    answer = facts[ranked[0]] if ranked else None
    failed = "FAILED: " * ("failed" in states.values())
    resources = frame(f"{failed}{suite.title}", suite.title) | {
        "about": suite.about,
        "reports": suite.reports,
        "facts": facts,
        "states": states,
        "links": {report.notebook.stem: f"{report.name}.html" for report in pages},
        "answer": answer,
        "strip": strip_addresses(answer, out / ranked[0]) if answer else [],
        "rules": {h["rules"]["digest"]: h["rules"] for h in facts.values() if h and h["rules"]},
    }
    write_atomically(out / "index.html", fill_template("index.html.j2", resources))
