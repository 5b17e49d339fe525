"""Functions that show figures, tables and readings of the rules in a notebook, and write their files.

Each output carries a note for the report.

The note is the output's metadata `srlib`, which the report's template reads: kind, name, caption, alt, files, folded,
see. A figure is shown as a PNG, which nbval does not compare (its pixels differ slightly between machines), and its
numbers as text, which nbval compares. Files go into figures/ and tables/ of the output folder; no path is printed.
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

from srlib.displays.conventions import use_style
from srlib.displays.figures.display import PIXELS_PER_INCH, save_figure
from srlib.displays.tables.table import html_table, latex_table, text_of
from srlib.files import file_name, write_atomically
from srlib.judging.readings import LEFT_OPEN, Readings, list_rankings
from srlib.prose import html_text, visible
from srlib.table_files import write_frame

# most rows of a table on a page, and of a folded table; the CSV has all rows
MOST_ROWS, FOLDED_ROWS = 200, 20
PLAIN_ROWS = 20  # rows of a table that is shown as text


def output_folder(output_dir: str) -> Path:
    """Return the folder that a notebook writes into, which is created; for an empty name, a temporary folder.

    The temporary folder is removed when the process ends.

    Examples
    --------
    >>> output_folder("").is_dir()
    True
    """
    if output_dir:
        folder = Path(output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        use_style(folder)
        return folder
    folder = Path(tempfile.mkdtemp(prefix="srlib-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def show_figure(drawing: Any, output: Path, *, name: str, caption: str) -> None:
    """Draw a Display, write it as PDF, SVG and PNG at both print widths, write its numbers as CSV, and show it.

    Parameters
    ----------
    drawing : Display
        The figure. If its `replacement` is not empty, this sentence is shown and only the numbers are written.
    output : Path
        Output folder; the pictures go into its folder figures/, the numbers into tables/.
    name : str
        Name of the files (the narrow ones end in -column); see `file_name`. The figure `strip` stands on the first
        screen of the page and of the index.
    caption : str
        Plain sentences that explain how to read the figure. The figure's `finding` is put before them.
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
    """Return a figure as PDF, SVG and PNG, as {suffix: bytes}; the same figure gives the same bytes."""
    files = {}
    for suffix in ("pdf", "svg", "png"):
        files[suffix] = save_figure(figure, suffix)
        # all formats use the layout that was computed for the first
        figure.set_layout_engine("none")
    buffer = io.BytesIO()  # with a palette of 256 colours the file is a third as large
    picture = Image.open(io.BytesIO(files["png"])).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return files | {"png": buffer.getvalue()}


def plain_text(table: pd.DataFrame) -> str:
    """Return the first rows of a table as text, a line for each row."""
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

    A page shows the first `MOST_ROWS` rows (`FOLDED_ROWS` of a folded table), and LaTeX has the first `MOST_ROWS`; the
    CSV has all rows.

    Parameters
    ----------
    frame : pandas.DataFrame
        The values; the index is not written.
    output : Path
        Output folder; the files go into its folder tables/.
    name : str
        Name of the files; see `file_name`.
    caption : str
        Caption; plain text.
    folded : bool
        Whether the report shows only the caption until a reader unfolds the table.
    leads : sequence of str
        For each row, the name of the table to which its first cell and its shaded cells link.
    see : dict of str to str, optional
        Links below the table, as {text of the link: name of the table to which it links}.
    file : pandas.DataFrame, optional
        Content of the CSV if it differs from `frame`, as when the page has words in place of the rules' names.
    **layout
        Further arguments of `srlib.displays.tables.table.html_table`. `digits` and `equations` also apply to LaTeX;
        `pages` is what `participant_pages` returns.
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
    """Return at most `limit` rows of a table, and the caption, which states how many rows are shown if some are not."""
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
    """Show a table with a row per dataset, task or level and a column per method as a heat map; stronger is better.

    Parameters
    ----------
    matrix : pandas.DataFrame
        A row for each dataset, named in the first column; a column for each method. Higher is better, or lower if
        `matrix.attrs["lower"]` is true.
    output, caption, **options
        See `show_table`.
    facts : collection of str
        Columns that belong to no method and are not shaded.
    """
    methods = [column for column in matrix.columns[1:] if column not in facts]
    caption = f"{caption}: the stronger the colour, the better"
    show_table(matrix, output, caption=caption, shaded=methods, **options)


def show_readings(readings: Readings, output: Path) -> None:
    """Show who wins when one open switch has another value, and let readers of the page change several at once.

    The page looks up the rankings, which are also written as readings.json; it does not compute scores.
    """
    open_singles = readings.singles[readings.singles["settled"] == LEFT_OPEN]
    table = open_singles[["switch", "value", "winner"]].reset_index(drop=True)
    caption = f"One open switch turned; {readings.sentence}"
    show_table(table, output, name="open-switches", caption=caption, row_headers=2, folded=True)
    rankings = list_rankings(readings)
    rankings["methods"] = list(map(visible, rankings["methods"]))
    # so that a method's name cannot close the script element
    block = json.dumps(rankings, separators=(",", ":")).replace("<", "\\u003c")
    write_atomically(output / "readings.json", block)
    html = f'<div class="what-if"><script type="application/json">{block}</script></div>'
    note = {"kind": "readings", "name": "readings", "files": ["readings.json"]}
    text = f"{len(readings.table)} open readings in readings.json"
    display({"text/html": html, "text/plain": text}, metadata={"srlib": note}, raw=True)
