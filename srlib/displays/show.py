"""What a notebook shows: figures, tables and the verdict, each with its files and a note for the report.

Every output carries a JSON bundle beside what people see; the renderer reads only the bundles. The picture of
a figure is a PNG (letters differ by a shade between machines, and nbval leaves PNG out), its numbers are a
table, which nbval compares. Files go into figures/ and tables/ of the output folder; no path is printed.
"""

import atexit
import base64
import io
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure

from srlib.displays.bundles import FIGURE, TABLE, anchor, file_name
from srlib.displays.styling import METADATA, style
from srlib.displays.tables.answer import show_answer
from srlib.displays.tables.latex import latex_table
from srlib.displays.tables.rules import rules_said
from srlib.displays.tables.table import html_table, text_of
from srlib.displays.tables.verdict import headline
from srlib.files import write_atomically
from srlib.table_files import write_frame

MOST_ROWS = 200  # of a table on a page; of a longer one the CSV has all
# of a picture that is read at once
UNPACKED: dict[str, Any] = {"pil_kwargs": {"compress_level": 0}}
LINKED = 2_000  # cells of a table, each a link; a larger one has links at its rows and columns only


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


def show_figure(
    shown: Any, output: Path, *, name: str, caption: str, alt: str | None = None
) -> None:
    """Draw a Display, write it as PDF and SVG at both print widths, show it, and print its numbers as a table.

    Parameters
    ----------
    shown : Display
        Has `plot(width='page' or 'column')`, `figure_`, `numbers` (a table) and `alt` (text), and may have `instead`: a
        sentence that takes its place where there is nothing to draw.
    output : Path
        The files go into its folder figures/, the numbers into tables/.
    name : str
        Of the files (with -column for the narrow ones); see `file_name`.
    caption : str
        What the figure says and how to read it; plain text.
    alt : str, optional
        The figure in words; the Display's own otherwise.
    """
    name = file_name(name)
    if instead := getattr(shown, "instead", ""):
        said = f"{caption.rstrip('.')}: {instead}"
        if ". " in caption:
            said = f"{caption.rstrip('.')}. {instead[0].upper()}{instead[1:]}"
        lines = escape(said).replace("\n", "<br>")
        display({"text/html": f"<p>{lines}</p>", "text/plain": said}, raw=True)
        write_frame(shown.numbers, output / "tables" / f"{name}-numbers.csv")
        return
    alt = shown.alt if alt is None else alt
    caption = _sentences(caption, getattr(shown, "left_out", ""))
    if fewer := getattr(shown, "not_shown", []):
        every = len(shown.methods)
        caption = _sentences(
            caption, f"{every - len(fewer)} of {every} methods are drawn; the table has all."
        )
    files, png, inches = [], b"", 0.0
    for width in ("column", "page"):
        figure, ending = shown.plot(width=width).figure_, "-column" if width == "column" else ""
        inches = figure.get_figwidth()
        for suffix, content in _saved(figure).items():
            write_atomically(output / "figures" / f"{name}{ending}.{suffix}", content)
            files.append(f"figures/{name}{ending}.{suffix}")
            png = content
    files = sorted(files, key=lambda file: "-column." in file)
    bundle = {"name": name, "alt": alt, "caption": caption, "files": files}
    data = {
        "image/png": base64.b64encode(png).decode(),
        "text/plain": f"{caption}\n{alt}",
        FIGURE: bundle,
    }
    shape = {"alt": alt, "width": round(inches * 110)}
    display(data, metadata={"image/png": shape}, raw=True)
    numbers = shown.numbers.copy(deep=False)
    kept = {*getattr(shown, "methods", ()), *getattr(shown, "given", ())}
    numbers.attrs["methods"] = {column: column for column in numbers if str(column) in kept}
    show_table(
        numbers,
        output,
        name=f"{name}-numbers",
        caption=f"The numbers in this figure ({name})",
        folded=True,
    )


def _sentences(said: str, more: str) -> str:
    if said and more:
        said = f"{said.rstrip('.')}."
    return f"{said} {more}".strip()


def _saved(figure: Figure) -> dict[str, bytes]:
    """Draw a figure in each format; the picture comes last."""
    files = {}
    with style():
        for suffix, more in (("pdf", {}), ("svg", {}), ("png", UNPACKED)):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=METADATA[suffix], **more)
            # what the first format was laid out as holds for the others
            figure.set_layout_engine("none")
            files[suffix] = buffer.getvalue()
    return files | {"png": _few_colours(io.BytesIO(files["png"]))}


def _few_colours(picture: io.BytesIO) -> bytes:
    """Write a PNG with a palette of 256 colours, a third of the size."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        buffer, "PNG", optimize=True
    )
    return buffer.getvalue()


def show_table(
    frame: pd.DataFrame,
    output: Path,
    *,
    name: str,
    caption: str,
    folded: bool = False,
    digits: int | Mapping[str, int] = 3,
    row_headers: int = 1,
    equations: Collection[str] | Mapping[str, Collection[str]] = (),
    marked: Collection[int] = (),
    shaded: Collection[str] = (),
    leads: Sequence[str] = (),
    see: Mapping[str, str] | None = None,
    file: pd.DataFrame | None = None,
) -> None:
    """Write a table as CSV (verbatim, full precision) and LaTeX (booktabs), and show it rounded for reading.

    Of a long table the first `MOST_ROWS` rows are shown and written as LaTeX; all stand in the CSV.

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
    digits, row_headers, equations, marked, shaded
        See `srlib.displays.tables.table.html_table`.
    leads : sequence of str
        For each row, the name of the table that its first cell leads to; so do the shaded cells, if there are not too
        many, and those of a participant with a page lead to the cell there.
    see : dict of str to str, optional
        Links below the table: what they say, and the name of the table that they lead to.
    file : pandas.DataFrame, optional
        What the CSV holds where people read words, and programs the names of the rules.
    """
    name = file_name(name)
    files = [f"tables/{name}.csv", f"tables/{name}.tex"]
    write_frame(frame if file is None else file, output / files[0])
    look: dict[str, Any] = {"digits": digits, "row_headers": row_headers, "marked": marked}
    look["shaded"] = shaded
    said = caption
    shown = frame.head(MOST_ROWS)
    if len(shown) < len(frame):
        said = f"{caption}: the first {MOST_ROWS} of {len(frame):,} rows"
    about: dict[str, Any] = {"digits": digits, "row_headers": row_headers, "name": name}
    tex = latex_table(shown, said, equations=equations, **about)
    write_atomically(output / files[1], tex)
    bundle = {
        "name": name,
        "caption": caption,
        "files": files,
        "folded": folded,
        "see": [[text, file_name(to)] for text, to in (see or {}).items()],
    }
    to = [f"table-{file_name(lead)}" for lead in leads[: len(shown)]]
    cells = [anchor(str(name)) for name in shown.iloc[:, 0]] if shown.size <= LINKED else []
    page = html_table(shown, said, equations=equations, leads=to, cells=cells, **look)
    if folded:
        page = f"<details><summary>{escape(caption)}</summary>\n{page}\n</details>"
    plain = "\n".join(
        [
            caption,
            *(" | ".join(map(text_of, row)) for row in frame.head(20).itertuples(index=False)),
        ]
    )
    display({"text/html": page, "text/plain": plain, TABLE: bundle}, raw=True)


def show_matrix(
    matrix: pd.DataFrame,
    output: Path,
    *,
    name: str,
    caption: str,
    facts: Collection[str] = (),
    leads: Sequence[str] = (),
    digits: int = 3,
    folded: bool = False,
) -> None:
    """Show a heat map as a table: what each method reached on each dataset, task or level; a stronger colour is better.

    Parameters
    ----------
    matrix : pandas.DataFrame
        A row for each dataset, named in the first column; a column for each method. Higher is better, unless its
        attribute `lower` says otherwise.
    output, name, caption, leads, digits, folded
        See `show_table`; cells lead where their row does, or to the page of their participant.
    facts : collection of str
        Further columns that are no method's.
    """
    methods = [column for column in matrix.columns[1:] if column not in facts]
    digits_of = dict.fromkeys(methods, digits)
    look: dict[str, Any] = {
        "digits": digits_of,
        "row_headers": 1,
        "shaded": methods,
        "leads": leads,
    }
    said = f"{caption}: the stronger the colour, the better"
    show_table(matrix, output, name=name, caption=said, folded=folded, **look)


def show_verdict(
    judgement: Any,
    title: str,
    sentence: str | None = None,
    *,
    output: Path | None = None,
    details: Sequence[str] = (),
    certainty: Mapping[str, str] | None = None,
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
    show_answer(
        title=title,
        sentence=headline(judgement) if sentence is None else sentence,
        ranking=judgement.ranking,
        rows=judgement.counts,
        rules=judgement.rules,
        notices=getattr(judgement, "notices", ()),
        output=output,
        details=[line for line in details if line],
        certainty=certainty,
    )


def show_rules(rules: Any, page: str = "synthetic") -> None:
    """Show in sentences how the rules judge what a page is about; every sentence follows from a switch's value."""
    said = rules_said(rules, page)
    lines = [f"<li><strong>{escape(t)}.</strong> {escape(text)}</li>" for t, text in said.items()]
    plain = "\n".join(f"{title}. {text}" for title, text in said.items())
    display({"text/html": f"<ul>{''.join(lines)}</ul>", "text/plain": plain}, raw=True)
