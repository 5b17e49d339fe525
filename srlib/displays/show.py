"""Figures, tables and other readings of the rules as a notebook shows them, each with files and a note for the report.

The note is the output's metadata `srlib`, which the report's template reads: kind, name, caption, alt, files, folded,
see. The picture of a figure is a PNG (letters differ by a shade between machines, and nbval leaves PNG out), its
numbers are text, which nbval compares. Files go into figures/ and tables/ of the output folder; no path is printed.
"""

import atexit
import base64
import io
import json
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure
from PIL import Image

from srlib.displays.conventions import file_name
from srlib.displays.figures.display import PIXELS_PER_INCH, save_figure
from srlib.displays.tables.table import html_table, latex_table, text_of
from srlib.files import write_atomically
from srlib.judging.robustness.readings import LEFT_OPEN, Readings, list_rankings
from srlib.prose import html_text, visible
from srlib.table_files import write_frame

MOST_ROWS, FOLDED_ROWS = 200, 20  # of a table on a page, and of a folded one; the CSV has all
PLAIN_ROWS = 20  # of a table as text


def output_folder(output_dir: str) -> Path:
    """Return the folder that a notebook writes into; an empty name means a temporary one, which is removed in the end.

    Examples
    --------
    >>> output_folder("").is_dir()
    True
    """
    if output_dir:
        folder = Path(output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    folder = Path(tempfile.mkdtemp(prefix="srlib-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def show_figure(drawing: Any, output: Path, *, name: str, caption: str) -> None:
    """Draw a Display, write it as PDF, SVG and PNG at both print widths and its numbers as CSV, and show it.

    Parameters
    ----------
    drawing : Display
        Its `replacement` is a sentence that takes its place where there is nothing to draw.
    output : Path
        The files go into its folder figures/, the numbers into tables/.
    name : str
        Name of the files (with -column for the narrow ones); see `file_name`. The figure `strip` stands on the first
        screen of the page and of the index.
    caption : str
        How to read the figure; plain sentences. The `finding` of the figure stands before them.
    """
    name, caption = file_name(name), f"{caption.rstrip('.')}."
    numbers_file = f"tables/{name}-numbers.csv"
    write_frame(drawing.numbers, output / numbers_file)
    if drawing.replacement:
        text = f"{caption} {drawing.replacement}"
        display({"text/html": f"<p>{html_text(text)}</p>", "text/plain": text}, raw=True)
        return
    caption = f"{drawing.finding} {caption} {drawing.omissions}".strip()
    page_figure = drawing.plot(width="page").figure_
    column_figure = drawing.plot(width="column").figure_
    files = {
        f"figures/{name}{ending}.{suffix}": data
        for ending, figure in (("", page_figure), ("-column", column_figure))
        for suffix, data in figure_files(figure).items()
    }
    for file, data in files.items():
        write_atomically(output / file, data)
    note = {
        "kind": "figure",
        "name": name,
        "alt": drawing.alt,
        "caption": caption,
        "files": [*files, numbers_file],
        "width": round(page_figure.get_figwidth() * PIXELS_PER_INCH),
    }
    data = {
        "image/png": base64.b64encode(files[f"figures/{name}.png"]).decode(),
        "text/plain": "\n".join([caption, drawing.alt, plain_text(drawing.numbers)]),
    }
    display(data, metadata={"srlib": note}, raw=True)


def figure_files(figure: Figure) -> dict[str, bytes]:
    """Draw a figure as PDF, SVG and PNG; the same figure has the same bytes."""
    files = {}
    for suffix in ("pdf", "svg", "png"):
        files[suffix] = save_figure(figure, suffix)
        # the layout of the first format holds for the others
        figure.set_layout_engine("none")
    buffer = io.BytesIO()  # a palette of 256 colours takes a third of the size
    picture = Image.open(io.BytesIO(files["png"])).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return files | {"png": buffer.getvalue()}


def plain_text(table: pd.DataFrame) -> str:
    """Write the first rows of a table as text."""
    rows = table.head(PLAIN_ROWS).itertuples(index=False)
    return "\n".join(" | ".join(map(text_of, row)) for row in rows)


def show_table(
    frame: pd.DataFrame,
    output: Path,
    *,
    name: str,
    caption: str,
    folded: bool = False,
    leads: Sequence[str] = (),
    see: Mapping[str, str] = MappingProxyType({}),
    file: pd.DataFrame | None = None,
    **layout: Any,
) -> None:
    """Write a table as CSV (verbatim, full precision) and LaTeX (booktabs), and show it rounded for reading.

    Of a long table the first `MOST_ROWS` rows are shown (folded: `FOLDED_ROWS`) and written as LaTeX; all stand in the
    CSV.

    Parameters
    ----------
    frame : pandas.DataFrame
        The values; the index is left out.
    output : Path
        The files go into its folder tables/.
    name : str
        Name of the files; see `file_name`.
    caption : str
        What the table says; plain text.
    folded : bool
        The report shows the caption and unfolds the table on demand.
    leads : sequence of str
        For each row, the name of the table that its first cell and its shaded cells lead to.
    see : dict of str to str, optional
        Links below the table: what they say, and the name of the table that they lead to.
    file : pandas.DataFrame, optional
        Content of the CSV, where programs read the names of the rules and people read words.
    **layout
        Further arguments of `srlib.displays.tables.table.html_table`; `digits` and `equations` hold for LaTeX, too, and
        `pages` are those of the participants (`participant_pages`).
    """
    name = file_name(name)
    files = [f"tables/{name}.csv", f"tables/{name}.tex"]
    write_frame(frame if file is None else file, output / files[0])
    latex_rows, title = first_rows(frame, caption, MOST_ROWS)
    for_latex = {key: layout[key] for key in ("digits", "equations") if key in layout}
    latex = latex_table(latex_rows, title, label=f"{output.name}-{name}", **for_latex)
    write_atomically(output / files[1], latex)
    note = {
        "kind": "table",
        "name": name,
        "caption": caption,
        "files": files,
        "folded": folded,
        "see": [[text, file_name(target)] for text, target in see.items()],
    }
    addresses = [f"table-{file_name(lead)}" for lead in leads]
    page_rows, title = first_rows(frame, caption, FOLDED_ROWS if folded else MOST_ROWS)
    data = {
        "text/html": html_table(page_rows, title, leads=addresses, **layout),
        "text/plain": f"{caption}\n{plain_text(frame)}",
    }
    display(data, metadata={"srlib": note}, raw=True)


def first_rows(table: pd.DataFrame, caption: str, limit: int) -> tuple[pd.DataFrame, str]:
    """Cut a table that is longer than `most` rows, and say so in its caption."""
    if len(table) <= limit:
        return table, caption
    return table.head(limit), f"{caption}: the first {limit} of {len(table):,} rows"


def show_matrix(
    matrix: pd.DataFrame,
    output: Path,
    *,
    caption: str,
    facts: Collection[str] = (),
    **options: Any,
) -> None:
    """Show a table of datasets, tasks or levels by methods as a heat map; a stronger colour is better.

    Parameters
    ----------
    matrix : pandas.DataFrame
        A row for each dataset, named in the first column; a column for each method. Higher is better, unless its
        attribute `lower` says otherwise.
    output, caption, **options
        See `show_table`.
    facts : collection of str
        Further columns that are no method's.
    """
    methods = [column for column in matrix.columns[1:] if column not in facts]
    caption = f"{caption}: the stronger the colour, the better"
    show_table(matrix, output, caption=caption, shaded=methods, **options)


def show_readings(readings: Readings, output: Path) -> None:
    """Show who wins with one open switch turned, and let readers of the page turn several at once.

    The page looks up the rankings that are written as readings.json; nothing is scored there.
    """
    open_singles = readings.singles[readings.singles["settled"] == LEFT_OPEN]
    table = open_singles[["switch", "value", "winner"]].reset_index(drop=True)
    caption = f"One open switch turned; {readings.sentence}"
    show_table(table, output, name="open-switches", caption=caption, row_headers=2, folded=True)
    rankings = list_rankings(readings)
    rankings["methods"] = list(map(visible, rankings["methods"]))
    # a name of a method cannot end the block
    block = json.dumps(rankings, separators=(",", ":")).replace("<", "\\u003c")
    write_atomically(output / "readings.json", block)
    html = f'<div class="what-if"><script type="application/json">{block}</script></div>'
    note = {"kind": "readings", "name": "readings", "files": ["readings.json"]}
    text = f"{len(readings.table)} open readings in readings.json"
    display({"text/html": html, "text/plain": text}, metadata={"srlib": note}, raw=True)
