"""`TableWidget`: a table of reports as a widget, sorted and searched by the reports' own script."""

from importlib.resources import files

import anywidget
import traitlets

from srlib.rendering.page import read_template

FOLDER = files("srlib.tools.explorer")


class TableWidget(anywidget.AnyWidget):
    """A table; `chosen` is the name in the row whose button was pressed, until it is cleared."""

    _esm = read_template("tables.js") + FOLDER.joinpath("table.js").read_text("utf-8")
    _css = FOLDER.joinpath("explorer.css").read_text("utf-8")
    html = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)
