"""`import srlib` as others call it: paths and DataFrames give the same, results show themselves."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

import srlib
from srlib.cli.main import main
from srlib.errors import InputError, NothingScoredError
from srlib.files import DEMO
from tests.api import small
from tests.builders import judge_competition

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_lines_of_the_readme_give_what_the_command_writes(tmp_path):
    """The demo's runs with what was measured on them, lest this takes minutes."""
    section = README.read_text(encoding="utf-8").partition("## In Python")[2]
    names = {"runs": pd.read_parquet(DEMO / "assessments.parquet")}
    exec(section.split("```")[1].removeprefix("python"), names)
    names["judged"].write(tmp_path / "ours")
    words = f"{DEMO}/assessments.parquet --problems synthetic-2022 --out {tmp_path}/theirs"
    assert main(["judge", *words.split()]) == 0
    for name in ("ranking.csv", "aspects.csv", "datasets.csv"):
        assert (tmp_path / "ours" / name).read_text() == (tmp_path / "theirs" / name).read_text()


def test_results_show_themselves(judged, problems, tmp_path):
    results = {
        "Judgement": judged,
        "RunTable": srlib.read_runs(small.runs()),
        "Checked": srlib.check(small.runs(), problems=problems),
        "Comparison": srlib.compare(small.runs(), "r2_test"),
        "Model": srlib.parse("0.5*k*d**2", features=["k", "d"]),
        "Equivalent": srlib.equivalent(srlib.parse("k*d"), "d*k + 2"),
    }
    for name, result in results.items():
        bundle, _ = DisplayFormatter().format(result)
        assert bundle["text/plain"].startswith(f"{name}: ") and "<table" in bundle["text/html"]
        page = result.to_html(tmp_path / "page.html")
        assert page == (tmp_path / "page.html").read_text(encoding="utf-8")
        assert re.search(r'(?:src|href)="(?:https?:)?//', page) is None, name
        if name in ("Judgement", "Comparison"):
            assert result.plot().axes and 'src="data:image/png' in page
        else:
            with pytest.raises(InputError, match="this result has no figure"):
                result.plot()


def test_what_strangers_wrote_is_escaped():
    runs = srlib.read_runs(small.runs().assign(method="<script>alert(1)</script>"))
    assert "<script>alert" not in f"{runs._repr_html_()} {runs.to_html()}"


def test_measures_are_refused_where_runs_are_expected():
    measures = small.runs().assign(aspect="r2_test", value=1.0)
    measures = measures.drop(columns=["model", "r2_test"])
    with pytest.raises(InputError, match="DataFrame: single runs were expected"):
        srlib.read_runs(measures)
    assert len(srlib.compare(measures, "r2_test").unit_values) == 2


def test_nothing_scored_says_why_and_keeps_the_ledger(problems):
    with pytest.raises(NothingScoredError, match="unparsed") as error:
        judge_competition(small.runs().assign(model="k*("), problems)
    assert len(error.value.judgement.ledger) >= 12


def test_importing_loads_nothing_and_judging_needs_no_guard(tmp_path):
    """A script without a guard: its body runs once."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, srlib\n"
        "print('heavy' if {'numpy', 'pandas', 'sympy'} & set(sys.modules) else 'light')\n"
        "print(srlib.equivalent('k*d', 'd*k + 2').verdict)\n"
        "print('matplotlib' in sys.modules, 'IPython' in sys.modules)\n"
    )
    output = subprocess.check_output([sys.executable, script], text=True)
    assert output.splitlines() == ["light", "offset", "False False"]


def test_a_missing_extra_is_named(monkeypatch):
    def draw(self, displays):
        raise ModuleNotFoundError("No module named 'seaborn'", name="seaborn")

    runs = srlib.read_runs(small.runs())
    monkeypatch.setattr(type(runs), "_draw", draw)
    for show in (runs.plot, runs.to_html):
        with pytest.raises(InputError, match=r"seaborn is not installed: pip install 'srlib\[rep"):
            show()
