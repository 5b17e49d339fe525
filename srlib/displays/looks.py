"""One colour, one marker and one kind of line for each method, whatever figure it stands in."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_hex

from srlib.displays.styling import COLOURS, DASHES, MARKERS
from srlib.displays.suite_style import style_text, suite_style
from srlib.errors import InputError


def remember(methods: Iterable[str]) -> dict[str, int]:
    """Fix the looks of methods that were not seen before; those of the others stay, and those that a suite gives."""
    looks = _read_looks(style_text())
    for name in sorted(set(map(_plain, methods)) - set(looks)):
        looks[name] = len(looks)
    return looks


@cache
def _read_looks(style: str) -> dict[str, int]:
    """Places of the methods that a suite names; the dictionary grows with those that figures name."""
    return {name: place for place, name in enumerate(suite_style().get("order", []))}


def _plain(method: str) -> str:
    """Name of a method without the star that tells symbolic ones from others in some figures."""
    return str(method).lstrip("*")


def look(method: str) -> dict[str, Any]:
    """Colour and marker of a method; both tell it from the next, so that colour never tells alone.

    Examples
    --------
    >>> look("a method") == look("a method"), sorted(look("a method"))
    (True, ['color', 'marker'])
    """
    name = _plain(method)
    place, palette = remember([method])[name], suite_style().get("palette")
    if isinstance(palette, Mapping) and name in palette:
        colour = to_hex(palette[name])
    else:
        colour = cycle()[place % len(cycle())]
    return {"color": colour, "marker": MARKERS[place % len(MARKERS)]}


def dashes(method: str) -> Any:
    """Kind of line of a method; two of the same colour differ in it."""
    place = remember([method])[_plain(method)]
    return DASHES[(place + place // len(COLOURS)) % len(DASHES)]


def shade(index: int, count: int) -> dict[str, Any]:
    """Look of one of several steps, as noise levels: from light to dark, in no method's colour.

    Examples
    --------
    >>> shade(0, 2) == shade(1, 2), shade(0, 1)["marker"]
    (False, 'o')
    """
    at = 0.9 - 0.75 * index / max(count - 1, 1)
    return {"color": to_hex(mpl.colormaps["cividis"](at)), "marker": MARKERS[index % len(MARKERS)]}


def cycle() -> Sequence[str]:
    """Colours of methods: the suite's; else the user's, where matplotlib was told some; else the project's."""
    palette = suite_style().get("palette")
    if isinstance(palette, str | list):
        return colours(palette, max(len(_read_looks(style_text())), 1))
    own = mpl.rcParams["axes.prop_cycle"]
    if own == mpl.rcParamsDefault["axes.prop_cycle"]:
        return COLOURS
    return own.by_key().get("color", COLOURS)


def colours(palette: str | Sequence[Any], count: int) -> list[str]:
    """Make colours of a palette's name or of colours.

    Raises
    ------
    InputError
        When there is no such palette or colour.

    Examples
    --------
    >>> colours(["red", "#00f"], 2)
    ['#ff0000', '#0000ff']
    """
    import seaborn as sns  # takes two seconds

    try:
        return [to_hex(colour) for colour in sns.color_palette(palette, count)]
    except (ValueError, TypeError) as error:
        raise InputError(
            "palette: a name that seaborn knows (such as colorblind or viridis) or colours were expected, "
            f"got {palette!r}"
        ) from error
