"""Write the pages of all participants from one judgement, and show where they are."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from IPython.display import display

from srlib.displays.bundles import PEOPLE, file_name
from srlib.displays.participants.models import model_cards
from srlib.displays.participants.page import Competition, page_of
from srlib.displays.tables.aspects import in_turn
from srlib.files import write_atomically
from srlib.judging.robustness import Certainty
from srlib.judging.robustness.standing import Cells, Standing, standing
from srlib.judging.robustness.what_if import improvements
from srlib.prose import listed, visible

PAGES, CARDS = 200, 40  # at most: methods with a page, and models on a page
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,58}[A-Za-z0-9_-]|[A-Za-z0-9]")
HASHED = re.compile(r".*-[0-9a-f]{6}")  # as those that are not plain end
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # by Windows


def page_names(methods: Iterable[str]) -> dict[str, str]:
    """Name the file of each method's page: its own name where it is plain and no other's but for capitals.

    Examples
    --------
    >>> page_names(["PySR", "a", "A", "../x"])
    {'PySR': 'PySR', 'a': 'a-4ed7fa', 'A': 'a-c86782', '../x': 'x-34f5d9'}
    """
    names = list(methods)
    alike = Counter(name.lower() for name in names)
    found = {}
    for name in names:
        found[name] = name
        odd = not PLAIN.fullmatch(name) or RESERVED.fullmatch(name) or HASHED.fullmatch(name)
        if odd or alike[name.lower()] > 1:
            found[name] = file_name(f"{name} ")  # with the space no name is plain
    return found


def show_participants(
    judgement: Any,
    output: Path,
    sure: Certainty,
    *,
    tables: Sequence[str] = ("final-ranking", "ranking-of-all"),
) -> None:
    """Write a page for each participant, and show that they are there; the renderer frames and links them.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        What the pages tell.
    output : Path
        The pages go into its folder participants/.
    sure : Certainty
        How sure the winner is: `srlib.judging.robustness.certainty`.
    tables : sequence of str
        Tables of this report in which the names of methods lead to their pages.
    """
    ranked = judgement.ranking
    methods = [*ranked["method"], *sorted(judgement.screened.barred - set(ranked["method"]))]
    pages = page_names(methods[:PAGES])
    placed = set(ranked.dropna(subset="rank")["method"])
    cells, gains = Cells.from_judgement(judgement), improvements(judgement)
    found = {
        name: standing(judgement, name, cells=cells, gains=gains)
        for name in pages
        if name in placed
    }
    known = list(in_turn(judgement))
    wanted = {name: _wanted(found.get(name), known) for name in pages}
    cards = model_cards(judgement, wanted)
    addresses = {name: f"{file}.html" for name, file in pages.items()}
    shared = Competition(judgement, sure)
    for name, file in addresses.items():
        own = {where: cards[name][where] for where in wanted[name] if where in cards[name]}
        text = page_of(name, found.get(name), own, shared)
        write_atomically(output / "participants" / file, visible(text, directions=False))
    said = f"A page for each participant: {listed(list(pages), 40)}."
    if len(methods) > len(pages):
        said = f"A page for each of the first {len(pages)} of {len(methods)} participants."
    bundle = {
        "pages": [{"method": name, "file": file} for name, file in addresses.items()],
        "files": [f"participants/{file}" for file in addresses.values()],
        "tables": list(tables),
        "said": said,
    }
    display({"text/html": f"<p>{escape(said)}</p>", "text/plain": said, PEOPLE: bundle}, raw=True)


def _wanted(found: Standing | None, known: Sequence[str]) -> list[str]:
    """Choose the datasets whose models are shown: all, or those at either end where there are too many."""
    names = list(known)
    if found is not None:
        names = list(found.datasets["dataset"])
    if len(names) <= CARDS:
        return names
    return [*names[: CARDS // 2], *names[-CARDS // 2 :]]
