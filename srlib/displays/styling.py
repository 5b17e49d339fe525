"""Common style of all figures: print widths, embedded fonts, stable bytes, short names, and the looks of methods.

`Style.current` is the style of the figures that are drawn in this process. A `srlib.displays.Page` replaces it, so that
a method has the same colour, marker and line style in all figures of a notebook, and none of another notebook's.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import matplotlib as mpl
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

from srlib.errors import InputError
from srlib.prose import INVISIBLE

WIDTHS = {"column": 3.48, "page": 7.13}  # inches, a little less than in journals with two columns
SMALLER_LETTERS = ("xtick.labelsize", "ytick.labelsize", "legend.fontsize")  # 7 points beside 8
# after Okabe and Ito; those that have less than three times the contrast of white are darker
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#C66FA0", "#A67700", "#3A93CC", "#333333")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (7, 2, 1, 1, 1, 2)),
          (0, (2, 2.5)), (0, (9, 3)))  # fmt: skip
LONGEST_NAME = 28  # letters of a name; longer names are shortened, see `labels`
MOST_COLOURED = 7  # lines with a colour in a figure of many
# colours of texts, of marks that are no method's, of lines behind others, and of grounds and grids
INK, GREY, PALE, LIGHT_GREY = "#1f2933", "#6b7785", "#87919d", "#e2e6ea"
SETTINGS: dict[Any, Any] = {
    # matplotlib ships both fonts, so that letters look the same on every machine
    "font.family": ["DejaVu Sans", "STIXGeneral"],
    "font.size": 8,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "figure.titlesize": "medium",
    "figure.titleweight": "bold",
    "grid.color": LIGHT_GREY,
    "legend.frameon": False,
    "legend.handlelength": 3,
    "lines.linewidth": 1.2,
    "text.parse_math": False,  # a dollar sign in a method's name is plain text
    "pdf.fonttype": 42,
    "svg.hashsalt": "srlib",
    "savefig.dpi": 200,
}

# settings of a version for slides with a dark ground
DARK: dict[Any, Any] = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor"), "#14181c"),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), "#e8ecf0"),
    "grid.color": "#39424c",
}


@dataclass
class Style:
    """What a suite states about its figures, and the looks that methods have got so far.

    Parameters
    ----------
    widths : dict
        Inches of a `column` and of a `page`.
    size : float
        Size of letters in points (at ticks and in legends 7/8 of it); None: 8, or what the user has set in matplotlib.
    palette : str or list of str
        Name of a seaborn palette, or colours; empty: matplotlib's colour cycle.
    order : sequence of str
        Methods that get the first looks, in this order.
    colours : dict of str to str
        Colours of methods; the other methods do not get these.
    methods : sequence of str
        Methods that figures draw; empty: all.
    participants : dict of str to str
        Address of each method's page.
    names : dict of str to str
        How names of methods, datasets, properties and metrics are printed; other names are printed as they are.
    groups : dict of str to str
        Groups of methods, such as genetic programming.

    Attributes
    ----------
    current : Style
        The style of figures that are drawn from now on.
    looks : dict of str to int
        Number of the look of each method that was drawn.
    """

    widths: Mapping[str, float] = field(default_factory=lambda: WIDTHS)
    size: float | None = None
    palette: str | Sequence[str] = ()
    order: Sequence[str] = ()
    colours: Mapping[str, str] = field(default_factory=dict)
    methods: Sequence[str] = ()
    participants: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)

    current: ClassVar["Style"]

    def __post_init__(self) -> None:
        self.looks = {name: place for place, name in enumerate(self.order)}


Style.current = Style()


@contextmanager
def style() -> Iterator[None]:
    """Apply the project's style to figures drawn and saved in the block; settings outside do not change.

    Settings that the user has changed in matplotlib or seaborn are kept; the suite's font size overrides both.

    Examples
    --------
    >>> with style():
    ...     mpl.rcParams["pdf.fonttype"]
    42
    """
    current, default = mpl.rcParams, mpl.rcParamsDefault
    changed = {key for key in (*SETTINGS, *SMALLER_LETTERS) if current[key] != default[key]}
    size = Style.current.size or (current if "font.size" in changed else SETTINGS)["font.size"]
    settings: dict[Any, Any] = SETTINGS | dict.fromkeys(SMALLER_LETTERS, 7 / 8 * size)
    settings = {key: settings[key] for key in settings.keys() - changed} | {"font.size": size}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # a letter that no font of the style has is drawn as a box
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def new_figure(width: str, height: float) -> Figure:
    """Return an empty figure outside pyplot, so that it is not shown twice or kept in memory.

    Parameters
    ----------
    width : {'page', 'column'}
        Print width: 7.13 inches for a page, 3.48 for a column, or `widths` of the suite's style.
    height : float
        Height in inches; it grows in proportion if the font is larger than srlib's.
    """
    scale = max(1.0, mpl.rcParams["font.size"] / SETTINGS["font.size"])
    return Figure(figsize=(Style.current.widths[width], height * scale), layout="constrained")


def print_name(name: str) -> str:
    """Return a name as readers see it: as the suite's labels print it, else the name itself.

    Examples
    --------
    >>> print_name("deap")
    'deap'
    """
    return Style.current.names.get(name, name)


def label(name: str) -> str:
    """Return one name as `labels` does.

    Examples
    --------
    >>> label("a method with a name that goes on for sixty letters and more"), label("pyoperon")
    ('a method wit…letters and more', 'pyoperon')
    """
    return labels([name])[0]


def labels(names: Iterable[str], limit: int = LONGEST_NAME) -> list[str]:
    """Return names as the suite prints them, shortened by `shorten`."""
    return shorten([print_name(str(name)) for name in names], limit)


def shorten(names: Sequence[str], limit: int) -> list[str]:
    """Return names shortened to about `limit` letters on one line, if possible so that they stay distinct.

    Letters are removed from the middle of a name, or elsewhere if the shortened names would then be equal.

    Examples
    --------
    >>> shorten(["Operon with linear scaling", "Operon without linear scaling"], 14)
    ['Operon with li…', 'Operon without…']
    """
    full_names = [" ".join(INVISIBLE.sub(" ", name).split()) or "(no name)" for name in names]
    shortened = full_names
    for start in (limit // 2 - 2, *range(limit, limit // 4, -1)):
        shortened = [
            f"{name[:start]}…{name[len(name) + start - limit :]}" if len(name) > limit + 2 else name
            for name in full_names
        ]
        if len(set(shortened)) == len(set(names)):
            break
    return shortened


def assign_looks(methods: Iterable[str]) -> dict[str, int]:
    """Return the number of each method's look; new methods get the next numbers, existing numbers do not change."""
    looks = Style.current.looks
    for name in sorted(set(methods) - set(looks)):
        looks[name] = len(looks)
    return looks


def look(method: str) -> dict[str, Any]:
    """Return colour and marker of a method; consecutive methods differ in both, so that colour is never the only sign.

    A colour is the one that the suite's labels state, else one of the suite's palette, else of matplotlib's colour
    cycle, which in srlib's style is `COLOURS` unless the user has changed it.

    Examples
    --------
    >>> look("a method") == look("a method"), sorted(look("a method"))
    (True, ['color', 'marker'])
    """
    looks, current = assign_looks([method]), Style.current
    place, own = looks[method], {name: to_hex(colour) for name, colour in current.colours.items()}
    cycle = mpl.rcParams["axes.prop_cycle"].by_key().get("color", COLOURS)
    if current.palette:
        cycle = colours(current.palette, len(looks))
    cycle = [to_hex(colour) for colour in cycle]
    cycle = [colour for colour in cycle if colour not in own.values()] or cycle
    colour = own.get(method, cycle[place % len(cycle)])
    return {"color": colour, "marker": MARKERS[place % len(MARKERS)]}


def line_look(method: str, place: int) -> dict[str, Any]:
    """Return the look of a method's line in a figure of many lines: only the first `MOST_COLOURED` places have colours.

    Methods that share a colour have different line styles.

    Examples
    --------
    >>> line_look("a method", 0)["zorder"] > line_look("a method", 7)["zorder"]
    True
    """
    if place >= MOST_COLOURED:
        return {"color": PALE, "lw": 0.5, "zorder": 2}
    number = assign_looks([method])[method]
    dashes = DASHES[(number + number // len(COLOURS)) % len(DASHES)]
    return look(method) | {"ls": dashes, "zorder": 3}


def step_look(index: int, count: int) -> dict[str, Any]:
    """Return colour and marker of one of `count` ordered steps, such as noise levels: from light to dark.

    Examples
    --------
    >>> step_look(0, 2) == step_look(1, 2), step_look(0, 1)["marker"]
    (False, 'o')
    """
    colour = mpl.colormaps["plasma"](0.6 - 0.6 * index / max(count - 1, 1))
    return {"color": to_hex(colour), "marker": MARKERS[index % len(MARKERS)]}


def colours(palette: str | Sequence[Any], count: int) -> list[str]:
    """Return `count` colours as hexadecimal codes, from the name of a seaborn palette or a list of colours.

    Raises
    ------
    InputError
        When the palette or a colour is unknown.

    Examples
    --------
    >>> colours(["red", "#00f"], 2)
    ['#ff0000', '#0000ff']
    """
    import seaborn as sns  # importing takes two seconds

    try:
        return [to_hex(colour) for colour in sns.color_palette(palette, count)]
    except (ValueError, TypeError, StopIteration) as error:  # the last: an empty list
        raise InputError(
            "palette: a name that seaborn knows (such as colorblind or viridis) or colours were expected, "
            f"got {palette!r}"
        ) from error
