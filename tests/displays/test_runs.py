"""Every run is in the table, with its text and its codes."""

import pandas as pd

from srlib.displays import run_table


def test_every_run_with_its_values_and_codes():
    keys = {"method": ["b", "a", "a"], "dataset": ["d"] * 3, "repetition": [1, 2, 1]}
    runs = pd.DataFrame(keys | {"model": ["x", None, "2*x"], "r2_test": [0.5, None, 1.0]})
    runs = runs.assign(file="runs.csv", row=[1, 2, 3])
    lines = [
        ("b", 1, 1, "noted", "dust"),
        ("b", 1, 1, "noted", "shown_differs"),
        ("b", 1, 1, "noted", "dust"),
        ("a", 2, 2, "excluded", "failed_run"),
    ]
    ledger = pd.DataFrame(lines, columns=["method", "repetition", "row", "action", "code"])
    ledger = ledger.assign(dataset="d", level="run", file="runs.csv")
    values = pd.DataFrame(keys | {"aspect: accuracy": [0.5, float("nan"), 1.0]})
    table = run_table(runs, ledger, values)
    found = table[["method", "repetition", "model", "aspect: accuracy", "codes", "row"]]
    assert found.astype(object).where(found.notna(), None).to_numpy().tolist() == [
        ["a", 1, "2*x", 1.0, None, 3],
        ["a", 2, None, None, "FAILED_RUN", 2],
        ["b", 1, "x", 0.5, "dust, shown_differs", 1],
    ]
