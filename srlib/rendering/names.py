"""What a suite calls its methods and datasets, on pages whose files keep the names of the runs."""

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape

from srlib.displays.frame import scrolling
from srlib.files import NOTEBOOKS

MARK = "<!--names-->"  # where a page says which name is whose
_KEPT = r"<(script|style|code|pre|math|svg)\b.*?</\1>"  # texts of models, commands and figures stay as they are
_OTHERS = re.compile(r'(<script type="application/json" id="others">)(.*?)(</script>)', re.DOTALL)


def with_names(page: str, names: Mapping[str, str]) -> str:
    """Call methods and datasets as the suite does, in tables, sentences and labels; a table has both names.

    In running text, a name that is an ordinary word of srlib's pages, as `best`, stays as it is; alone in a cell or a
    heading it does not.

    Parameters
    ----------
    page : str
        HTML with everything escaped; it may have a `MARK`.
    names : mapping of str to str
        What is shown, by name in the runs.

    Examples
    --------
    >>> with_names('<p>gp leads, best of all.</p><td>best</td><code>gp</code>', {"gp": "GP-1", "best": "B"})
    '<p>GP-1 leads, best of all.</p><td>B</td><code>gp</code>'
    """
    names = {name: shown for name, shown in names.items() if name != shown}
    shown: dict[str, str] = {}
    for name, to in names.items():
        for way in (escape(name), escape(name).replace("_", "_<wbr>")):
            shown[way] = escape(to)
    if not shown:
        return page.replace(MARK, "")
    ordinary, used = _ordinary(), set()
    words = {escape(to): escape(to) for to in names.values()}  # texts of figures have them already
    words |= {way: to for way, to in shown.items() if way not in ordinary}
    single = "|".join(map(re.escape, shown))
    parts = re.compile(
        rf"{_KEPT}|(?P<tag><(?!wbr>)[^>]*>)|(?<=>)(?P<single>{single})(?=</)|{_any(words)}",
        re.DOTALL,
    )
    label, inside = re.compile(r'(?<=aria-label=")[^"]*'), re.compile(_any(words))

    def called(found: "re.Match[str]") -> str:
        if found["tag"]:
            return label.sub(lambda of: inside.sub(lambda way: words[way[0]], of[0]), found[0])
        way = found["single"] or found["name"]
        if not way:
            return found[0]
        used.add({**words, **shown}[way])
        return {**words, **shown}[way]

    before, provenance, after = page.partition('<details class="part provenance">')
    before = _OTHERS.sub(lambda of: f"{of[1]}{_chosen(of[2], names)}{of[3]}", before)
    known = {to: name for name, to in names.items()}
    page = parts.sub(called, before) + provenance + after
    return page.replace(MARK, _table({to: known[to] for to in known if escape(to) in used}))


def _any(shown: Mapping[str, str]) -> str:
    ways = "|".join(map(re.escape, sorted(shown, key=len, reverse=True))) or r"(?!)"
    return rf"(?<![\w&#/@-])(?<!_<wbr>)(?P<name>{ways})(?![\w/@-]|\.\w|<wbr>)"


def _chosen(data: str, names: Mapping[str, str]) -> str:
    """Rename within what the script of a participant's page shows."""
    held = json.loads(data)
    pattern = re.compile(_any(names))

    def called(text: str) -> str:
        return names.get(text, pattern.sub(lambda found: names[found["name"]], text))

    held["chosen"] = called(held["chosen"])
    for other in held["others"]:
        other |= {"name": called(other["name"]), "said": called(other["said"])}
    return json.dumps(held, ensure_ascii=False).replace("<", "\\u003c")


def _table(known: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(shown)}</th><td><code>{escape(name)}</code></td></tr>'
        for shown, name in sorted(known.items())
    )
    if not rows:
        return ""
    table = (
        '<table class="srlib" id="names-in-files">'
        '<caption>Names on this page</caption><thead><tr><th scope="col">on this page</th>'
        f'<th scope="col">in the files</th></tr></thead><tbody>{rows}</tbody></table>'
    )
    return scrolling(table, "Names")


@cache
def _ordinary() -> frozenset[str]:
    """Words of the texts of all shipped notebooks."""
    words: set[str] = set()
    for path in NOTEBOOKS.glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                words |= set(re.findall(r"[^\W\d_]+", "".join(cell["source"])))
    return frozenset(words)
