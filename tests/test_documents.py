"""What ARCHITECTURE.md, CONTRIBUTING.md and the page of the tables say of the code is so."""

import re
from pathlib import Path

import pytest

from srlib.tables import ASSESSMENTS, MEASURED, MEASURES, RUNS

CHECKOUT = Path(__file__).resolve().parent.parent
ARCHITECTURE = (CHECKOUT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TABLES = (CHECKOUT / "docs" / "tables.md").read_text(encoding="utf-8")
CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def section(title: str) -> dict[str, str]:
    """Columns and types of the table in a section."""
    text = TABLES.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    return dict(re.findall(r"^\| (\w+) \| (str|int|Int|float|bool) \|", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("title", "columns"),
    [("runs", RUNS.columns), ("assessments", MEASURED), ("measures", MEASURES.columns)],
)
def test_the_tables_are_those_of_the_contracts(title, columns):
    assert section(title) == dict(columns)


def test_reported_columns_are_named():
    reported = [name for name in ASSESSMENTS.columns if name.endswith("_reported")]
    assert [name for name in reported if f"`{name}`" not in TABLES] == []


@pytest.mark.parametrize("text", [ARCHITECTURE, CONTRIBUTING], ids=["architecture", "contributing"])
def test_every_file_that_is_named_exists(text):
    named = set(re.findall(r"`((?:srlib|tests|parameters|notebooks|docs)/[\w./-]*\w/?)`", text))
    short = re.findall(r"`((?!srlib/|tests/)[a-z]+/[\w/]+\.py)`", text)
    named |= {f"srlib/{path}" for path in short}
    assert named, "no file is named"
    assert sorted(path for path in named if not (CHECKOUT / path).exists()) == []


def test_what_a_newcomer_reads_is_short():
    for name in ("README.md", "ARCHITECTURE.md"):
        lines = (CHECKOUT / name).read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 120, name
    glossary = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^(.+)\n: ", glossary, re.MULTILINE)
    assert terms == sorted(terms) and 20 < len(terms) <= 40
