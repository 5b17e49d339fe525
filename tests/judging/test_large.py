"""A table that is larger than memory is judged in parts, and every byte is that of judging it at once."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from srlib.api.judging import Judged
from srlib.cli.main import main
from srlib.errors import InputError
from srlib.judging import judge_runs, large
from srlib.problems import load_problems
from srlib.readers import read_runs
from tests.judging.small import rules

DEMO = load_problems("synthetic-2022")
READINGS: dict[str, dict[str, Any]] = {
    "as-stated": {},
    "per-repetition": {"rank_per": "repetition"},
    "one-mean": {"combine": "one_harmonic", "incomplete": "worst_value", "aggregate": "median"},
    "rest": {"combine": "mean", "missing": "drop", "incomplete": "rest"},
    "few-repetitions": {"repetitions": 3, "rank_per": "repetition", "minimal_accuracy": 0.9},
    "many-repetitions": {"repetitions": 12, "quirks": ("seir_left_out",)},
}


def demo(kind: str) -> pd.DataFrame:
    """The demo's assessments, as they are or with gaps, seeds, oddities and runs that cannot be used."""
    table = read_runs("demo").frame.drop(columns=["file", "row"])
    if kind == "demo":
        return table
    random = np.random.default_rng(5)
    table = table[random.random(len(table)) > 0.25].reset_index(drop=True)
    first, *_, last = sorted(table["method"].unique())
    datasets = sorted(table["dataset"].unique())
    table["repetition"] *= random.integers(1, 40, len(table))
    table = table.drop_duplicates(["method", "dataset", "repetition"]).reset_index(drop=True)
    few = random.random(len(table)) < 0.05
    table.loc[few, "r2_test"] = np.nan
    table.loc[(table["method"] == first) & (table["dataset"] != datasets[3]), "status"] = "failed"
    table.loc[table["method"] == last, "parse_status"] = "unparsed"  # nobody of it ran
    table.loc[table.index[7:30], "simplify_status"] = "timeout"
    table.loc[table.index[40:60], "model"] = "sqrt(x_0) + div(x_0, 2)"
    extra = table.tail(3).assign(dataset=["elsewhere", "élan", datasets[0]], repetition=[1, 2, 999])
    digest = table.set_index("dataset")["problem_digest"][datasets[0]].iloc[0]
    extra["problem_digest"] = [None, None, digest]
    return pd.concat([table, extra], ignore_index=True).astype(table.dtypes.to_dict())


def written(folder: Path, judged: Judged) -> dict[str, bytes]:
    judged.write(folder)
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("kind", "reading"), [("demo", "as-stated"), *(("odd", one) for one in READINGS)]
)
def test_in_parts_every_table_is_the_same(
    kind: str, reading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "LARGE", 1)
    monkeypatch.setattr(large, "PART", 250)
    monkeypatch.setattr("srlib.judging.verdict.ROWS_AT_ONCE", 90)
    path = tmp_path / "table.parquet"
    demo(kind).to_parquet(path, index=False, row_group_size=200)
    chosen = rules("judging-2022", **READINGS[reading])
    gate = "demo" * (reading == "as-stated")
    at_once = judge_runs(path, DEMO, chosen, qualified=gate)
    with large.large_table([str(path)], DEMO) as table:
        assert table is not None and len(table.parts.files) > 2
        in_parts = table.judge(chosen, gate)
        folder = table.parts.files[0].parent
    assert not folder.exists()
    assert in_parts.counts == at_once.counts
    assert in_parts.notices == at_once.notices
    expected = written(tmp_path / "at-once", Judged(at_once))
    found = written(tmp_path / "in-parts", Judged(in_parts))
    assert found.keys() == expected.keys()
    for name in expected.keys() - {"score.json", ".score.json"}:
        assert found[name] == expected[name], name


def test_the_command_says_the_same(tmp_path, monkeypatch, capsys):
    path = tmp_path / "table.parquet"
    demo("odd").to_parquet(path, index=False)
    words = ["score", str(path), "--problems", "synthetic-2022", "--rules", "judging-2022", "--out"]
    assert main([*words, str(tmp_path / "a")]) == 0
    said = capsys.readouterr()
    monkeypatch.setattr(large, "LARGE", 1)
    monkeypatch.setattr(large, "PART", 250)
    monkeypatch.setattr("srlib.api.judging.judge", None)
    assert main([*words, str(tmp_path / "b")]) == 0
    again = capsys.readouterr()
    assert again.out.replace(str(tmp_path / "b"), str(tmp_path / "a")) == said.out
    assert again.err == said.err
    for file in (path for path in (tmp_path / "a").rglob("*.csv")):
        assert (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes() == file.read_bytes()


def test_a_row_that_cannot_be_read_is_named_by_its_number(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 1)
    monkeypatch.setattr(large, "PART", 250)
    table = demo("demo")
    for changed, said in (
        (table.assign(parse_status=table["parse_status"].mask(table.index == 700)), "row 701: "),
        (pd.concat([table, table.tail(1)]), "rows 1020 and 1021: "),
    ):
        path = tmp_path / "table.parquet"
        changed.to_parquet(path, index=False)
        with (
            large.large_table([str(path)], DEMO) as opened,
            pytest.raises(InputError, match=f"^{path} {said}"),
        ):
            opened.judge(rules("judging-2022"))
        with pytest.raises(InputError, match=f"^{path} {said}"):
            read_runs(path)


def test_what_is_small_or_has_to_be_assessed_is_judged_at_once(tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    demo("demo").to_parquet(path, index=False)
    with large.large_table([str(path)], DEMO) as table:
        assert table is None
    monkeypatch.setattr(large, "LARGE", 1)
    other = rules("judging-2022").model_copy(
        update={"measure": rules("judging-2022").measure.model_copy(update={"decimals": 5})}
    )
    with large.large_table([str(path)], DEMO) as table, pytest.raises(large.OutdatedError):
        table.judge(other)
    demo("demo").drop(columns=["measure_digest", "problem_digest"]).to_parquet(path)
    with large.large_table([str(path)], DEMO) as table:
        assert table is None
