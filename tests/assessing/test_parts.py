"""Runs of a table that is larger than memory are assessed in parts, and every byte is that of assessing at once."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.assessing import parts
from srlib.cli.main import main
from srlib.readers import read_runs

PROBLEMS = """schema: 1
name: made
problems:
  - {dataset: a, features: [x1, x2], truth: x1 + x2, domain: {x1: [1, 5], x2: [1, 5]}}
  - {dataset: b, features: [width, height], truth: width, domain: {width: [1, 5], height: [1, 5]}}
  - {dataset: c, features: [x1, x2], domain: {x1: [1, 5], x2: [1, 5]}}
  - {dataset: d, features: [width, height], domain: {width: [1, 5], height: [1, 5]}}
"""


def made() -> pd.DataFrame:
    """Runs with repeats, positions that other texts settle, odd names and rows that cannot be used."""
    texts = {
        "a": ["x1 + x2", "x_1*2", "x0 + x1", "I*x1"],
        "b": ["x0*x1", "x1 + 1", "width", "x2 - x1"],
        "c": ["x1", "x0", "x1**2 +", None],
        "d": ["x0 - x1", "width", "x0", "2"],
        "élan": ["q*2", "x", "", "1"],
    }
    rows = [
        (method, dataset, repetition, text)
        for method in ("zero", "one", "NA", "Ünï code")
        for repetition in range(1, 9)
        for dataset, some in texts.items()
        for text in [some[(repetition + len(method)) % 4]]
    ]
    table = pd.DataFrame(rows, columns=["method", "dataset", "repetition", "model"])
    table["r2_test"] = np.linspace(0, 1, len(table))
    table["seed"] = pd.array([None, *range(len(table) - 1)], dtype="Int64")
    table["mine"] = pd.array([*range(len(table) - 1), None], dtype="Int64")
    table["told"] = [True, None] * (len(table) // 2)
    table["row"] = "given"
    table.loc[table["method"].eq("one") & table["dataset"].eq("b"), "model"] = "x1*3"
    twice = table.iloc[[3, 17, 40, 99]]
    other = twice.assign(model=["1", None, "x1", "2"])
    return pd.concat([table.iloc[:50], twice, table.iloc[50:], other], ignore_index=True)


def spoilt() -> pd.DataFrame:
    """The same with values that cannot be read."""
    table = made().assign(method=lambda t: t["method"].mask(t.index.isin([5, 60])))
    table["repetition"] = table["repetition"].astype("str").mask(table.index == 70, "third")
    table["dataset"] = table["dataset"].mask(table.index == 90)
    table["status"] = pd.Series("ok", table.index).mask(table.index == 20, "fine")
    table["names"] = pd.Series("x0", table.index).where(table.index.isin([7, 8, 90, 120]))
    return table.drop(columns="row")


def written(folder: Path, path: Path, problems: str, rules: str, *words: str) -> bytes:
    out = folder / "out.parquet"
    words = (*words, "--problems", problems, "--rules", rules, "--out", str(out))
    assert main(["assess", str(path), *words]) == 0
    return out.read_bytes()


def in_parts(monkeypatch) -> None:
    """Let small tables count as large ones."""
    for name, value in {"LARGE": 1, "PART": 30, "ROWS": 7}.items():
        monkeypatch.setattr(parts, name, value)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("kind", ["demo", "made", "spoilt"])
def test_in_parts_every_byte_is_the_same(kind, suffix, tmp_path, monkeypatch, capsys):
    problems, rules = tmp_path / "p.yaml", "judging-2026"
    problems.write_text(PROBLEMS, encoding="utf-8")
    table = {"made": made, "spoilt": spoilt}.get(kind, lambda: demo())()
    path = tmp_path / f"runs{suffix}"
    if suffix == ".csv":
        # no value in the first rows, and a line break within one
        table = table.assign(late=pd.Series("a,\n b", table.index).mask(table.index < 20))
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path, index=False, row_group_size=45)
    named = {"demo": "synthetic-2022"}.get(kind, str(problems))
    expected = written(tmp_path, path, named, rules)
    said = capsys.readouterr().out
    in_parts(monkeypatch)
    monkeypatch.setattr("srlib.api.runs._assessed", None)
    assert written(tmp_path, path, named, rules) == expected
    assert capsys.readouterr().out == said
    if kind == "made":  # texts of another dataset, in another part, settle some
        told = pd.read_parquet(tmp_path / "out.parquet").query("names_evidence == 'others'")
        assert told.query("dataset == 'b'")["names_note"].str.contains("dataset d").any()


@pytest.mark.parametrize("table", [made(), spoilt()], ids=["made", "spoilt"])
def test_names_are_stated_of_methods_that_some_parts_lack(table, tmp_path, monkeypatch, capsys):
    problems, path = tmp_path / "p.yaml", tmp_path / "runs.parquet"
    problems.write_text(PROBLEMS, encoding="utf-8")
    table[~(table["method"].eq("zero") & table["dataset"].eq("a"))].to_parquet(path)
    stated = [word for one in ("zero=x1", "one=features", "zero=x0") for word in ("--names", one)]
    call = str(problems), "judging-2026", *stated
    expected = written(tmp_path, path, *call)
    assert expected != written(tmp_path, path, *call[:2])
    wrong = [["assess", str(path), "--problems", *call[:1], "--out", str(tmp_path / "o.csv"), "--names", one]
             for one in ("nobody=x0", "zero=x2")]  # fmt: skip
    assert [main(words) for words in wrong] == [2, 2]
    said = capsys.readouterr().err
    in_parts(monkeypatch)
    assert [main(words) for words in wrong] == [2, 2]
    assert capsys.readouterr().err == said
    monkeypatch.setattr("srlib.api.runs._assessed", None)
    assert written(tmp_path, path, *call) == expected


def demo() -> pd.DataFrame:
    """Some of the demo's runs."""
    table = read_runs("demo", prefer="runs").frame.drop(columns=["file", "row"])
    return table[table["repetition"] <= 1].reset_index(drop=True)


def test_what_is_no_plain_table_is_assessed_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(parts, "LARGE", 1)
    bad = made().assign(repetition="none")
    path = tmp_path / "runs.parquet"
    for table in (bad, made().assign(candidate=1), made().rename(columns={"model": "Model"})):
        table.to_parquet(path, index=False)
        with parts.large_runs([path]) as large:
            assert large is None
    made().to_csv(tmp_path / "runs.csv", sep=";")
    made().to_excel(tmp_path / "runs.xlsx")
    for others in (
        [tmp_path / "runs.csv"],
        [tmp_path / "runs.xlsx"],
        [path, path],
        [made()],
        ["demo"],
    ):
        with parts.large_runs(others) as large:
            assert large is None


HEAD, GOOD = b"method,dataset,repetition,model\n", b"A,%c,%d,x1 + x2\n"
FAULTS = {
    "too long": b"A,a,99,x1,x2\n",
    "open": b'A,a,99,"x1\n',
    "no text": b"A,a,99,\xff\n",
    "a NUL": b"A,a,99,\0\n",
}


@pytest.mark.parametrize("before", range(6, 16))
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_in_a_later_part_of_a_csv_is_said_as_of_the_whole(
    fault, before, tmp_path, monkeypatch, capsys
):
    path = tmp_path / "runs.csv"
    rows = [GOOD % (97 + n % 4, n) for n in range(20)]
    path.write_bytes(HEAD + b"".join([*rows[:before], FAULTS[fault], *rows[before:]]))
    problems = tmp_path / "p.yaml"
    problems.write_text(PROBLEMS, encoding="utf-8")
    words = ["assess", str(path), "--problems", str(problems), "--out", str(tmp_path / "o.csv")]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(path) in said
    in_parts(monkeypatch)
    assert main(words) == 2
    assert capsys.readouterr().err == said
