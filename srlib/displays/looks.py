"""One colour, one marker and one kind of line for each method, whatever figure it stands in."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.colors import is_color_like, to_hex

from srlib.displays.stated import said, stated
from srlib.displays.styling import COLOURS, DASHES, MARKERS
from srlib.errors import InputError


def places(
    groups: Iterable[Iterable[str]], known: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Give each method a place of its own; those of one group differ in colour as far as there are colours.

    Parameters
    ----------
    groups : iterable of iterables of str
        Methods that stand together, as those of one page.
    known : dict of str to int, optional
        Places that were given before; they stay.

    Examples
    --------
    >>> places([["b", "a"], ["c", "a"]])
    {'a': 0, 'b': 1, 'c': 2}
    """
    found = dict(known or {})
    for group in groups:
        used = {found[name] % len(COLOURS) for name in group if name in found}
        for name in sorted(set(group) - set(found)):
            free = [p for p in range(len(found) + len(COLOURS)) if p not in found.values()]
            found[name] = min(free, key=lambda place: (place % len(COLOURS) in used, place))
            used.add(found[name] % len(COLOURS))
    return found


def remember(methods: Iterable[str]) -> dict[str, int]:
    """Fix the looks of methods that were not seen before; those of the others stay, and those that a suite gives."""
    known = _known(said())
    known.update(places([[_plain(name) for name in methods]], known))
    return known


@cache
def _known(style: str) -> dict[str, int]:
    """Places of the methods that a suite names; the dictionary grows with those that figures name."""
    first = {name: place for place, name in enumerate(stated().get("order", []))}
    return places(stated().get("groups", []), first)


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
    place, own = remember([method])[name], _own()
    return {"color": own.get(str(method), own.get(name)) or cycle()[place % len(cycle())],
            "marker": MARKERS[place % len(MARKERS)]}  # fmt: skip


def dashes(method: str) -> Any:
    """Kind of line of a method; two of the same colour differ in it."""
    place = remember([method])[_plain(method)]
    return DASHES[(place + place // len(COLOURS)) % len(DASHES)]


def _own() -> Mapping[str, str]:
    """Colours by method that the suite chose."""
    palette = stated().get("palette")
    if isinstance(palette, Mapping):
        return {name: to_hex(c) for name, c in palette.items()}
    return {}


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
    palette = stated().get("palette")
    if isinstance(palette, str | list):
        return colours(palette, max(len(_known(said())), 1))
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
    import seaborn as sns

    if not isinstance(palette, str):
        palette = list(palette)
        if wrong := [colour for colour in palette if not is_color_like(colour)]:
            raise InputError(f"palette: {wrong[0]!r} is no colour")
    try:
        return [to_hex(colour) for colour in sns.color_palette(palette, count)]
    except (ValueError, TypeError) as error:
        raise InputError(
            "palette: a name that seaborn knows (such as colorblind or viridis) or colours were expected, "
            f"got {palette!r}"
        ) from error
