"""What a notebook shows: figures, tables and the answer, each with its files and a note for the report.

The note is the output's metadata `srlib`, which the report's template reads: kind, name, caption, alt, files, folded,
see. The picture of a figure is a PNG (letters differ by a shade between machines, and nbval leaves PNG out), its
numbers are text, which nbval compares. Files go into figures/ and tables/ of the output folder; no path is printed.
"""

import atexit
import base64
import io
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure
from PIL import Image

from srlib.displays.figures.display import PIXELS
from srlib.displays.file_names import file_name
from srlib.displays.styling import METADATA, style
from srlib.displays.tables.answer import show_answer
from srlib.displays.tables.latex import latex_table
from srlib.displays.tables.rules import rules_said
from srlib.displays.tables.table import html_table, text_of
from srlib.files import write_atomically
from srlib.prose import html_text
from srlib.readers.row_checks import NAMELESS
from srlib.table_files import write_frame

MOST_ROWS, FOLDED_ROWS = 200, 20  # of a table on a page, and of a folded one; the CSV has all
PLAIN_ROWS = 20  # of a table as text


def output_folder(output_dir: str) -> Path:
    """Give the folder that a notebook writes into; an empty name means a temporary one that goes away.

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
        Of the files (with -column for the narrow ones); see `file_name`. The figure `strip` stands on the first screen
        of the page and of the index.
    caption : str
        What the figure says and how to read it; plain text.
    """
    name = file_name(name)
    numbers = f"tables/{name}-numbers.csv"
    write_frame(drawing.numbers, output / numbers)
    if text := drawing.replacement:
        text = f"{caption.rstrip('.')}. {text[0].upper()}{text[1:]}"
        lines = html_text(text).replace("\n", "<br>")
        display({"text/html": f"<p>{lines}</p>", "text/plain": text}, raw=True)
        return
    fewer = ""
    if dropped := getattr(drawing, "not_shown", ()):
        every = len(drawing.methods)
        fewer = f"{every - len(dropped)} of {every} methods are drawn; the table has all."
    parts = filter(None, [caption, drawing.left_out, fewer])
    caption = ". ".join(part.rstrip(".") for part in parts) + "." * caption.endswith(".")
    files, png, inches = [], b"", 0.0
    for width, ending in (("column", "-column"), ("page", "")):
        figure = drawing.plot(width=width).figure_
        inches, contents = figure.get_figwidth(), figure_files(figure)
        png = contents["png"]
        written = {f"figures/{name}{ending}.{suffix}": data for suffix, data in contents.items()}
        for file, data in written.items():
            write_atomically(output / file, data)
        files = [*written, *files]
    note = {
        "kind": "figure",
        "name": name,
        "alt": drawing.alt,
        "caption": caption,
        "files": [*files, numbers],
        "width": round(inches * PIXELS),
    }
    data = {
        "image/png": base64.b64encode(png).decode(),
        "text/plain": "\n".join([caption, drawing.alt, plain_text(drawing.numbers)]),
    }
    display(data, metadata={"srlib": note}, raw=True)


def figure_files(figure: Figure) -> dict[str, bytes]:
    """Draw a figure as PDF, SVG and PNG; the same figure has the same bytes."""
    files = {}
    with style():
        for suffix in ("pdf", "svg", "png"):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=METADATA[suffix])
            # what the first format was laid out as holds for the others
            figure.set_layout_engine("none")
            files[suffix] = buffer.getvalue()
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
    digits: int | Mapping[str, int] = 3,
    equations: Collection[str] | Mapping[str, Collection[str]] = (),
    leads: Sequence[str] = (),
    pages: Mapping[str, str] | None = None,
    see: Mapping[str, str] | None = None,
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
        Of the files; see `file_name`.
    caption : str
        What the table says; plain text.
    folded : bool
        The report shows the caption and unfolds the table on demand.
    digits, equations
        See `srlib.displays.tables.table.html_table`.
    leads : sequence of str
        For each row, the name of the table that its first cell and its shaded cells lead to.
    pages : dict of str to str, optional
        Addresses of the participants' pages, by method (`participant_pages`). A method that names a row leads to its
        page; a shaded cell leads to the table of its row's name on the page of its column's method.
    see : dict of str to str, optional
        Links below the table: what they say, and the name of the table that they lead to.
    file : pandas.DataFrame, optional
        What the CSV holds where people read words, and programs the names of the rules.
    **layout
        `row_headers`, `marked` and `shaded` of `html_table`.
    """
    name = file_name(name)
    files = [f"tables/{name}.csv", f"tables/{name}.tex"]
    write_frame(frame if file is None else file, output / files[0])
    layout_options: dict[str, Any] = {"digits": digits, "equations": equations}
    printed, title = first_rows(frame, caption, MOST_ROWS)
    latex = latex_table(printed, title, label=f"{output.name}-{name}", **layout_options)
    write_atomically(output / files[1], latex)
    note = {
        "kind": "table",
        "name": name,
        "caption": caption,
        "files": files,
        "folded": folded,
        "see": [[text, file_name(to)] for text, to in (see or {}).items()],
    }
    layout_options |= {
        "leads": [f"table-{file_name(lead)}" for lead in leads],
        "pages": pages or {},
    }
    on_page, title = first_rows(frame, caption, FOLDED_ROWS if folded else MOST_ROWS)
    data = {
        "text/html": html_table(on_page, title, **layout_options, **layout),
        "text/plain": f"{caption}\n{plain_text(frame)}",
    }
    display(data, metadata={"srlib": note}, raw=True)


def first_rows(table: pd.DataFrame, caption: str, most: int) -> tuple[pd.DataFrame, str]:
    """Cut a table that is longer than `most` rows, and say so in its caption."""
    if len(table) <= most:
        return table, caption
    return table.head(most), f"{caption}: the first {most} of {len(table):,} rows"


def show_matrix(
    matrix: pd.DataFrame,
    output: Path,
    *,
    caption: str,
    facts: Collection[str] = (),
    **options: Any,
) -> None:
    """Show a heat map as a table: what each method reached on each dataset, task or level; a stronger colour is better.

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


def show_verdict(
    judgement: Any,
    title: str,
    sentence: str | None = None,
    *,
    output: Path | None = None,
    details: Sequence[str] = (),
    certainty: str = "",
) -> None:
    """Show who wins, on what, and that no run was lost; hand the same to the report and the index.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        What is announced; of it only `ranking`, `counts` and `rules` where a sentence is given.
    title : str
        Of the report; plain text.
    sentence : str, optional
        The answer to the report's question; plain text. Who wins the competition otherwise.
    output, details, certainty
        See `show_answer`.
    """
    scope = ""
    if (datasets := getattr(judgement, "datasets", None)) is not None:
        tasks = datasets["dataset"].nunique()
        ranked = int(judgement.ranking["rank"].notna().sum())
        entered = len(set(judgement.assessments["method"]) - {NAMELESS})
        scope = f"{judgement.problems.name}, {tasks} dataset{'s' * (tasks != 1)}, {ranked} of {entered} methods ranked"
    show_answer(
        title=title,
        sentence=judgement.headline if sentence is None else sentence,
        ranking=judgement.ranking,
        rows=judgement.counts,
        rules=judgement.rules,
        notices=getattr(judgement, "notices", ()),
        output=output,
        details=[line for line in details if line],
        certainty=certainty,
        scope=scope,
    )


def show_rules(rules: Any, page: str = "synthetic") -> None:
    """Show in sentences how the rules judge what a page is about; every sentence follows from a switch's value."""
    sections = rules_said(rules, page).items()
    items = (
        f"<li><strong>{html_text(title)}.</strong> {html_text(text)}</li>"
        for title, text in sections
    )
    plain = "\n".join(f"{title}. {text}" for title, text in sections)
    display({"text/html": f"<ul>{''.join(items)}</ul>", "text/plain": plain}, raw=True)
