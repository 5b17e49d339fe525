"""What if the rules were otherwise? The open switches with their winners, and the ranking of every open reading."""

import json
from pathlib import Path

from IPython.display import display

from srlib.displays.show import show_table
from srlib.files import write_atomically
from srlib.judging.robustness.readings import LEFT_OPEN, Readings, list_rankings
from srlib.prose import visible


def show_readings(readings: Readings, output: Path) -> None:
    """Show who wins with one open switch turned, and let readers of the page turn several at once.

    The page looks up the rankings that are written as readings.json; nothing is scored there.
    """
    singles = readings.singles[readings.singles["settled"] == LEFT_OPEN]
    table = singles[["switch", "value", "winner"]].reset_index(drop=True)
    caption = f"One open switch turned; {readings.sentence}"
    show_table(table, output, name="open-switches", caption=caption, row_headers=2, folded=True)
    rankings = list_rankings(readings)
    rankings["methods"] = list(map(visible, rankings["methods"]))
    block = json.dumps(rankings, separators=(",", ":"))
    block = block.replace("<", "\\u003c")  # a name of a method cannot end the block
    write_atomically(output / "readings.json", block)
    html = f'<div class="what-if"><script type="application/json">{block}</script></div>'
    about = {"kind": "readings", "name": "readings", "files": ["readings.json"]}
    text = f"{len(readings.table)} open readings in readings.json"
    display({"text/html": html, "text/plain": text}, metadata={"srlib": about}, raw=True)
