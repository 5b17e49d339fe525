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

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_three_lines_of_the_readme_give_what_the_command_writes(tmp_path: Path) -> None:
    """The demo's runs with what was measured on them, lest this takes minutes."""
    text = README.read_text(encoding="utf-8").partition("## In Python")[2]
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert example is not None
    lines = [line for line in example[1].splitlines() if line]
    assert len(lines) == 3
    known = {"runs": pd.read_parquet(DEMO / "assessments.parquet")}
    exec("\n".join(lines[:2]), known)
    found = eval(lines[2], known)
    place = [
        "--problems",
        "synthetic-2022",
        "--rules",
        "judging-2022",
        "--out",
        str(tmp_path / "theirs"),
    ]
    assert main(["score", str(DEMO / "assessments.parquet"), *place]) == 0
    known["judged"].write(tmp_path / "ours")
    for name in ("ranking", "aspects", "datasets"):
        ours = (tmp_path / "ours" / f"{name}.csv").read_text(encoding="utf-8")
        assert ours == (tmp_path / "theirs" / f"{name}.csv").read_text(encoding="utf-8")
    written = pd.read_csv(tmp_path / "theirs" / "ranking.csv")
    assert found.sort_values("method")["score"].tolist() == written["score"].tolist()


def results(judged, problems: Path) -> dict[str, object]:
    return {
        "Judgement": judged,
        "RunTable": srlib.read_runs(small.runs()),
        "Checked": srlib.check(small.runs(), problems=problems),
        "Comparison": srlib.compare(small.runs(), "r2_test"),
        "Model": srlib.parse("0.5*k*d**2", features=["k", "d"]),
        "Equivalent": srlib.equivalent("k*d", "d*k + 2"),
    }


def test_results_show_themselves(judged, problems: Path, tmp_path: Path) -> None:
    formatter = DisplayFormatter()
    for name, result in results(judged, problems).items():
        bundle, _ = formatter.format(result)
        assert bundle["text/plain"].startswith(f"{name}: "), name
        assert "<table" in bundle["text/html"], name
        page = result.to_html(tmp_path / f"{name}.html")
        assert page == (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert re.search(r'(?:src|href)="(?:https?:)?//', page) is None, name
        if name in ("Judgement", "Comparison"):
            assert result.plot().axes
            assert 'src="data:image/png' in page
        else:
            with pytest.raises(InputError, match="there is no figure"):
                result.plot()


def test_what_strangers_wrote_is_escaped() -> None:
    runs = small.runs().assign(method="<script>alert(1)</script>")
    found = srlib.read_runs(runs)
    for text in (found._repr_html_(), found.to_html()):
        assert text is not None
        assert "<script>alert" not in text


def test_measures_are_refused_where_runs_are_expected() -> None:
    measures = small.runs().assign(aspect="r2_test", value=1.0)
    measures = measures.drop(columns=["model", "r2_test"])
    with pytest.raises(InputError, match="DataFrame: single runs were expected"):
        srlib.read_runs(measures)
    assert len(srlib.compare(measures, "r2_test").unit_values) == 2


def test_nothing_scored_says_why_and_keeps_the_ledger(problems: Path) -> None:
    runs = small.runs().assign(model="k*(")
    with pytest.raises(NothingScoredError, match="unparsed") as error:
        srlib.judge(runs, problems)
    assert len(error.value.judgement.ledger) >= 12


def test_importing_loads_nothing_and_judging_needs_no_guard(tmp_path: Path, problems: Path) -> None:
    """A script without a guard: its body runs once."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, srlib\n"
        "print('heavy' if {'numpy', 'pandas', 'sympy'} & set(sys.modules) else 'light')\n"
        "found = srlib.equivalent('k*d', 'd*k + 2')\n"
        "print(found.verdict, 'matplotlib' in sys.modules, 'IPython' in sys.modules)\n",
        encoding="utf-8",
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["light", "offset False False"]


def test_a_model_predicts() -> None:
    model = srlib.parse("k*d", features=["d", "k"])
    table = pd.DataFrame({"k": [2.0, 3.0], "d": [5.0, 7.0]})
    assert model.predict(table).tolist() == [10, 21]
    assert model.predict(table[["d", "k"]].to_numpy()).tolist() == [10, 21]
    assert model.predict({"k": [2.0], "d": [5.0]}).tolist() == [10]
    with pytest.raises(InputError, match="no names"):
        srlib.parse("k*d").predict([[1.0, 2.0]])
    with pytest.raises(InputError, match="2 columns passed, passed data had 1 columns"):
        model.predict([[1.0]])


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(self, displays) -> None:
        raise ModuleNotFoundError("No module named 'seaborn'", name="seaborn")

    found = srlib.read_runs(small.runs())
    monkeypatch.setattr(type(found), "_draw", absent)
    for shown in (found.plot, found.to_html):
        with pytest.raises(
            InputError, match=r"seaborn is not installed: pip install 'srlib\[report,"
        ):
            shown()
