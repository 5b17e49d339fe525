import numpy as np
import pandas as pd
import pytest

from srlib.displays.figures.critical_difference import CriticalDifferenceDisplay, groups


def made_up(methods: int, datasets: int = 12) -> pd.DataFrame:
    generator = np.random.default_rng(0)
    names = [f"method {i} " + "with a name of sixty letters " * 2 for i in range(methods)]
    array = generator.normal(size=(datasets, methods)) - 0.5 * np.arange(methods)
    return pd.DataFrame(array, index=[f"d{i}" for i in range(datasets)], columns=names)


def test_numbers_by_hand():
    """A always before B before C, over 10 datasets: CD = 2.343 * sqrt(3 * 4 / 60) = 1.05."""
    values = pd.DataFrame({"C": range(10), "A": range(20, 30), "B": range(10, 20)})
    shown = CriticalDifferenceDisplay.from_values(values)
    assert shown.numbers["method"].tolist() == ["A", "B", "C"]
    assert shown.numbers["mean_rank"].tolist() == [1, 2, 3]
    assert shown.difference == pytest.approx(1.05, abs=0.01)
    assert shown.numbers["groups"].tolist() == ["1", "1 2", "2"]
    assert "A 1.00; B 2.00; C 3.00" in shown.alt


def test_bars_are_the_longest_runs():
    assert groups(np.array([1.0, 1.1, 1.2, 5.0]), 1.0) == [(0, 2)]
    assert groups(np.array([1.0, 3.0]), 1.0) == []
    assert groups(np.array([np.nan, np.nan]), np.nan) == []


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("methods", [1, 2, 30])
def test_it_fits_long_names(methods, width):
    shown = CriticalDifferenceDisplay.from_values(made_up(methods)).plot(width=width)
    figure = shown.figure_
    assert figure is not None
    figure.draw_without_rendering()
    whole = figure.bbox
    boxes = [text.get_window_extent() for text in shown.ax_.texts]
    assert len(boxes) == methods and figure.get_figheight() < 10
    assert all(box.x0 >= whole.x0 and box.x1 <= whole.x1 for box in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_without_a_dataset_it_says_so():
    values = made_up(3) * np.nan
    shown = CriticalDifferenceDisplay.from_values(values).plot()
    assert shown.test.n_datasets == 0 and np.isnan(shown.difference)
    assert "0 datasets" in shown.ax_.get_title("center")
