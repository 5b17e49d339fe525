"""What a page says of one of two equal methods and not of the other: nobody leads who is equal to another."""

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup

from srlib.prose import SHARED

# by chance or by choice: what random draws gave, the two sides of a pair, whose steps or first rows are shown
UNEQUAL = re.compile(
    r"resampl|halves|beats|\(places\)|pairs|steps of|from runs to|against|wins \d+%|^columns |place 1, place 2|"
    r"the first \d+ of",
    re.I,
)
SOURCE = re.compile(r"runs\.csv \| \d+")  # the row that a run comes from


def said(page: str) -> Iterator[str]:
    """Give what a page says: the rows of tables with the marks that they have, and sentences in their parts."""
    soup = BeautifulSoup(page, "html.parser")
    for one in soup.select("script, style, pre, svg, nav, noscript"):
        one.decompose()
    for table in soup.select("table"):
        caption = table.caption.get_text(" ") if table.caption else ""
        for row in [] if UNEQUAL.search(caption) else table.select("tbody tr"):
            cells = [cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])]
            yield SOURCE.sub("", f"{row.get('class', '')} {' | '.join(cells)}")
        table.decompose()
    texts = [str(picture["alt"]) for picture in soup.select("img[alt]")]
    texts = [text for text in texts if not UNEQUAL.search(text)]
    blocks = soup.select("p, li, summary, figcaption, h1, h2, h3")
    texts += [block.get_text(" ") for block in blocks if not block.select_one("p, li")]
    for text in texts:
        for sentence in re.split(r"(?<=[.])\s", " ".join(text.split())):
            if not re.search(r"resampled|not told apart", sentence, re.I):
                yield from re.split(r"[;:·] | · |, (?=[\w<> ]+ [\d.]+)", sentence)


def told_apart(page: str, one: str, other: str) -> list[str]:
    """List what is said of one of two equal methods alone: all that crowns it, or puts it below."""
    both = "|".join(
        f"{re.escape(a)}(?:, [^|]*?)?(?:,| and|{SHARED.rstrip()}) {re.escape(b)}"
        for a, b in ((one, other), (other, one))
    )
    texts = {re.sub(both, "@", text.strip(" .")) for text in said(page)}
    swap = {one: other, other: one}
    names = re.compile("|".join(map(re.escape, swap)))
    return sorted(
        text
        for text in texts
        if names.search(text)
        and not UNEQUAL.search(text)
        and names.sub(lambda found: swap[found[0]], text) not in texts
    )
