"""One colour, one marker and one kind of line for each method, whatever figure it stands in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib as mpl
from matplotlib.colors import is_color_like, to_hex

from srlib.displays.styling import COLOURS, DASHES, MARKERS, SHOWN_AS
from srlib.errors import InputError

Palette = str | Sequence[Any] | Mapping[str, Any]
_PLACES: dict[str, int] = {}
_CHOSEN: ContextVar[Mapping[str, str] | None] = ContextVar("palette", default=None)


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


def remember(methods: Iterable[str]) -> None:
    """Fix the looks of methods that were not seen before; those of the others stay."""
    _PLACES.update(places([[_plain(name) for name in methods]], _PLACES))


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
    remember([method])
    place, own = _PLACES[_plain(method)], _CHOSEN.get() or {}
    return {"color": own.get(str(method)) or cycle()[place % len(cycle())],
            "marker": MARKERS[place % len(MARKERS)]}  # fmt: skip


def dashes(method: str) -> Any:
    """Kind of line of a method."""
    remember([method])
    return DASHES[_PLACES[_plain(method)] % len(DASHES)]


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
    """Colours of methods: the user's, where matplotlib or seaborn was told some; the project's otherwise."""
    own = mpl.rcParams["axes.prop_cycle"]
    if own == mpl.rcParamsDefault["axes.prop_cycle"]:
        return COLOURS
    return own.by_key().get("color", COLOURS)


@contextmanager
def chosen(
    palette: Palette | None, names: Mapping[str, str] | None, methods: Sequence[str]
) -> Iterator[None]:
    """Draw in a palette and under names that the caller chose.

    Raises
    ------
    InputError
        When a palette holds no colours.
    """
    one = _CHOSEN.set(_colours(palette, methods))
    other = SHOWN_AS.set({**SHOWN_AS.get(), **(names or {})})
    try:
        yield
    finally:
        _CHOSEN.reset(one)
        SHOWN_AS.reset(other)


def _colours(palette: Palette | None, methods: Sequence[str]) -> Mapping[str, str] | None:
    """Colours by method; the methods that a mapping does not name keep their own."""
    if palette is None:
        return _CHOSEN.get()
    found: Any = palette
    if not isinstance(palette, Mapping):
        import seaborn as sns

        found = dict(zip(methods, sns.color_palette(palette, len(methods)), strict=False))
    if wrong := [colour for colour in found.values() if not is_color_like(colour)]:
        raise InputError(f"palette: {wrong[0]!r} is no colour")
    return {str(name): to_hex(colour) for name, colour in found.items()}
