"""Small multiples: one panel for each method or dataset, on shared axes, with one legend above them."""

from typing import Any

from srlib.displays.styling import GRID, new_figure


def small_multiples(width: str, count: int, row_height: float, across: int = 4) -> list[Any]:
    """Make a figure with `count` panels on shared axes, in rows of `across` (in a column at most two).

    Parameters
    ----------
    width : {'page', 'column'}
        Print width.
    count : int
        How many panels.
    row_height : float
        Inches; less where the rows would not fit a page.
    across : int
        Panels in a row at page width.

    Examples
    --------
    >>> len(small_multiples("column", 3, 1.2))
    3
    """
    across = min(across if width == "page" else 2, max(count, 1))
    down = -(-max(count, 1) // across)
    figure = new_figure(width, 0.8 + down * min(row_height, 8.2 / down))
    grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel()
    for unused in range(count, len(grid)):
        grid[unused - across].tick_params(labelbottom=True)  # now the lowest of its column
        grid[unused].remove()
    for axes in grid[:count]:
        axes.grid(True, color=GRID)
        axes.tick_params(length=0)
    return list(grid[:count])


def all_once(grid: list[Any]) -> dict[str, Any]:
    """Collect the entries of a legend in which every label of the panels stands once."""
    found: dict[str, Any] = {}
    for axes in grid:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    return found
