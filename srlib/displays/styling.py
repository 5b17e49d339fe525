"""One look for all figures: print widths, colour-blind safe colours, embedded fonts, stable bytes."""

import unicodedata
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.font_manager import get_font_names

from srlib.displays.suite_style import suite_style

WIDTHS = {"column": 3.5, "page": 7.16}  # inches, as journals in two columns set them
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)  # Okabe-Ito without its yellow
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (7, 2, 1, 1, 1, 2)),
          (0, (2, 2.5)), (0, (9, 3)))  # fmt: skip
PANELS = 12  # of one figure, or figures of one kind on one page; more are left to the tables
# with the letters that DejaVu Sans lacks
FALLBACKS = ("STIXGeneral", "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "PingFang SC",
             "Hiragino Sans", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS")  # fmt: skip
INK, MUTED, GRID = "#1f2933", "#6b7785", "#e2e6ea"
METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}  # of a file: nothing that differs from one day to the next
SETTINGS: dict[Any, Any] = {
    # the first ships with matplotlib: the same letters on every machine
    "font.family": [
        "DejaVu Sans",
        *sorted({*get_font_names()} & {*FALLBACKS}, key=FALLBACKS.index),
    ],
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 7.5,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7.5,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "lines.linewidth": 1.2,
    "text.color": INK,
    "text.usetex": False,
    "text.parse_math": False,  # method names are text, whatever dollars they hold
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "srlib",
    "savefig.dpi": 200,
    "figure.dpi": 100,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw and save in the project's style; nothing outside the block changes.

    What the user has set in matplotlib or seaborn stays as it is; what a suite states comes before both.

    Examples
    --------
    >>> with style():
    ...     mpl.rcParams["pdf.fonttype"]
    42
    """
    with mpl.rc_context(_settings()), warnings.catch_warnings():
        # a letter that no font of the machine has is drawn as a box
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def _settings() -> dict[Any, Any]:
    """Collect the project's settings as far as the user has set nothing else, and those of the suite."""
    ours: dict[Any, Any] = {
        k: v for k, v in SETTINGS.items() if mpl.rcParams[k] == mpl.rcParamsDefault[k]
    }
    if mpl.rcParams["font.sans-serif"] != mpl.rcParamsDefault["font.sans-serif"]:
        ours.pop("font.family", None)
    if "size" in suite_style():
        scale = suite_style()["size"] / SETTINGS["font.size"]
        ours |= {k: v * scale for k, v in SETTINGS.items() if k.endswith("size")}
    return ours


def pt(points: float) -> float:
    """Size of letters that are smaller or larger than the rest, where the rest is as large as the user says."""
    return points * float(mpl.rcParams["font.size"]) / float(SETTINGS["font.size"])


def new_figure(width: str, height: float) -> Figure:
    """Make an empty figure outside pyplot, so that nothing is shown twice or kept alive.

    Parameters
    ----------
    width : {'page', 'column'}
        Print width: 3.5 or 7.16 inches, or what the suite's venue has.
    height : float
        Inches; more where the letters are larger than usual.
    """
    inches = suite_style().get("widths", WIDTHS)[width]
    return Figure(figsize=(inches, height * max(1.0, pt(1.0))), layout="constrained")


def folded(text: str, limit: int) -> str:
    r"""Write a long name in two lines of about `limit` letters before anything of it is left out.

    Examples
    --------
    >>> folded("a name of sixty letters", 14)
    'a name of\nsixty letters'
    """
    text_shown = label(text, 2 * limit - 4)
    if len(text_shown) <= limit + 2:
        return text_shown
    middle = len(text_shown) // 2
    breaks = [
        i for i, c in enumerate(text_shown) if c in " _-=…/:" and abs(i - middle) <= limit // 3
    ]
    at = min(breaks, key=lambda i: abs(i - middle), default=middle) + 1
    return f"{text_shown[:at].rstrip()}\n{text_shown[at:].lstrip()}"


def label(text: str, limit: int = 28) -> str:
    """Shorten a name to fit beside an axis: one line, no control characters, about `limit` letters.

    Examples
    --------
    >>> label("a method with a name that goes on for sixty letters and more"), label("pyoperon")
    ('a method wit…letters and more', 'pyoperon')
    """
    text_shown = (
        "".join(" " if unicodedata.category(c).startswith("C") else c for c in str(text)).strip()
        or "(no name)"
    )
    if len(text_shown) <= limit + 2:
        return text_shown
    return f"{text_shown[: limit // 2 - 2]}…{text_shown[-(limit // 2 + 2) :].lstrip()}"


def labels(names: Sequence[str], limit: int) -> list[str]:
    """Shorten names so that no two look alike: what is left out is moved to where they do not differ.

    Examples
    --------
    >>> labels(["Operon with linear scaling", "Operon without linear scaling"], 14)
    ['Operon with li…', 'Operon without…']
    """
    shortened = [label(name, limit) for name in names]
    full_names = [label(name, 1000) for name in names]
    for width in range(limit, limit // 4, -1):
        if len(set(shortened)) == len(set(names)):
            break
        ends = limit - width
        shortened = [
            n if len(n) <= limit + 2 else f"{n[:width]}…{n[len(n) - ends :]}" for n in full_names
        ]
    return shortened


def left_out(names: Collection[Any], kind: str) -> str:
    """Say how many of very many panels are drawn, and where the others are; empty where all are.

    Examples
    --------
    >>> left_out(range(60), "datasets"), left_out("ab", "datasets")
    ('Only the first 12 of 60 datasets are drawn; the tables have the numbers of all.', '')
    """
    if len(names) <= PANELS:
        return ""
    return f"Only the first {PANELS} of {len(names)} {kind} are drawn; the tables have the numbers of all."
