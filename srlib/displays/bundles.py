"""Names of the JSON bundles that stand beside a notebook's outputs and tell the renderer what they are."""

import re

from srlib.files import digest

FIGURE = "application/vnd.srlib.figure+json"  # name, alt, caption, files
TABLE = "application/vnd.srlib.table+json"  # name, caption, files, folded
REPORT = "application/vnd.srlib.report+json"  # schema, title, verdict, rows, ranking, rules
PEOPLE = "application/vnd.srlib.people+json"  # pages, files, tables, said


def file_name(name: str) -> str:
    """Make a file name of any text; what is no plain name is marked with a hash, so that no two names meet.

    Examples
    --------
    >>> file_name("scores"), file_name("../Scores@0.1")
    ('scores', 'scores-0.1-a4a17a')
    """
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:60]
    if plain == name:
        return name
    return f"{plain or 'unnamed'}-{digest(name)[:6]}"


def anchor(dataset: str) -> str:
    """Address, on a participant's page, of what is said of a dataset."""
    return f"on-{file_name(dataset)}"
