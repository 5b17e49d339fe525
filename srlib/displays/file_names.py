"""Names of files that are made of any text."""

import re

from srlib.files import digest


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
