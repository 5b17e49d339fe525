import numpy as np
import pandas as pd
import pytest

from srlib.displays.figures.critical_difference import CriticalDifferenceDisplay
from tests.comparing.small import comparison_of


def made_up(methods: int, datasets: int = 12) -> pd.DataFrame:
    generator = np.random.default_rng(0)
    names = [f"method {i} " + "with a name of sixty letters " * 2 for i in range(methods)]
    array = generator.normal(size=(datasets, methods)) - 0.5 * np.arange(methods)
    return pd.DataFrame(array, index=[f"d{i}" for i in range(datasets)], columns=names)


def test_bars_are_those_of_the_pairs():
    """A before B before C on ten datasets, B and C apart by chance: p = 2/2^10 for A, 1 for B and C."""
    values = pd.DataFrame({"C": range(10), "A": range(20, 30), "B": range(10)})
    values["B"] += [1, -1] * 5
    display = CriticalDifferenceDisplay.from_comparison(comparison_of(values))
    assert display.numbers["method"].tolist() == ["A", "B", "C"]
    assert display.numbers["mean_rank"].tolist() == [1, 2.5, 2.5]
    assert display.groups == [["B", "C"]] and display.bars == [[1, 2]]
    assert display.alt == (
        "Mean ranks over 10 datasets, 1 is best: A 1.00; B 2.50; C 2.50. Not told apart: B and C."
    )


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("methods", [1, 2, 30])
def test_it_fits_long_names(methods, width):
    display = CriticalDifferenceDisplay.from_comparison(comparison_of(made_up(methods))).plot(
        width=width
    )
    figure = display.figure_
    assert figure is not None
    figure.draw_without_rendering()
    whole = figure.bbox
    boxes = [text.get_window_extent() for text in display.ax_.get_yticklabels()]
    assert len(boxes) == methods and figure.get_figheight() < 10
    assert all(box.x0 >= whole.x0 and box.x1 <= whole.x1 for box in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_with_few_datasets_it_says_so():
    few = CriticalDifferenceDisplay.from_comparison(comparison_of(made_up(3, 5)))
    assert few.replacement.startswith("Too few datasets for a test and a diagram.")
