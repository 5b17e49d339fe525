"""What `import srlib` promises: names, signatures, tables of every make, results, one sentence for a wrong argument."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

import srlib
from tests.builders import judge_competition, refused, spring_runs

SNAPSHOT = Path(__file__).with_name("signatures.txt")


def signatures():
    """A line for each exported function, class and method of a competition, without types."""
    exported = {name: getattr(srlib, name) for name in srlib.__all__}
    for name in vars(srlib.Competition):
        if name[0] != "_" and callable(method := getattr(srlib.Competition, name)):
            exported[f"Competition.{name}"] = method
    return "".join(f"{name}{bare_signature(exported[name])}\n" for name in sorted(exported))


def bare_signature(function):
    signature = inspect.signature(function)
    bare = [item.replace(annotation=item.empty) for item in signature.parameters.values()]
    return signature.replace(parameters=bare, return_annotation=signature.empty)


def test_names_and_signatures_are_those_of_the_snapshot():
    assert signatures() == SNAPSHOT.read_text(), (
        "What `import srlib` offers has changed. If that is meant: a renamed name warns first (docs/api.md), "
        "CHANGELOG.md says what callers have to do, and the snapshot is written by: python -m tests.test_public_api"
    )


@pytest.mark.parametrize("name", srlib.__all__)
def test_name_is_there_lazily_and_listed(name):
    assert name in dir(srlib)
    importlib.import_module("srlib.assessing")  # no package of srlib takes a function's name
    assert callable(getattr(srlib, name))


@pytest.mark.slow
def test_importing_loads_and_sets_nothing_and_judging_needs_no_guard(tmp_path):
    """A script without a guard: its body runs once."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\n"
        "before = dict(os.environ)\n"
        "import srlib\n"
        "print('heavy' if {'numpy', 'pandas', 'sympy'} & set(sys.modules) else 'light')\n"
        "print(srlib.equivalent('k*d', 'd*k + 2').verdict, before == dict(os.environ))\n"
        "print('matplotlib' in sys.modules, 'IPython' in sys.modules)\n"
    )
    output = subprocess.check_output([sys.executable, script], text=True)
    assert output.splitlines() == ["light", "offset True", "False False"]


@pytest.fixture(scope="module")
def judged(springs):
    return judge_competition(spring_runs(), springs)


@pytest.mark.slow
def test_result_shows_itself(judged, springs, tmp_path):
    results = {
        "Judgement": judged,
        "RunTable": srlib.read_runs(spring_runs()),
        "Checked": srlib.check(spring_runs(), problems=springs),
        "Comparison": srlib.compare(spring_runs(), "r2_test"),
        "Model": srlib.parse("0.5*k*d**2", features=["k", "d"]),
        "Equivalent": srlib.equivalent(srlib.parse("k*d"), "d*k + 2"),
    }
    for name, result in results.items():
        bundle, _ = DisplayFormatter().format(result)
        assert bundle["text/plain"].startswith(f"{name}: ") and "<table" in bundle["text/html"]
        page = srlib.to_html(result, tmp_path / "page.html")
        assert page == (tmp_path / "page.html").read_text()
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page), name
        if name in ("Judgement", "Comparison"):
            assert srlib.plot(result).axes and 'src="data:image/png' in page
        else:
            with refused("this result has no figure"):
                srlib.plot(result)


def test_texts_of_strangers_are_escaped():
    runs = srlib.read_runs(spring_runs().assign(method="<script>alert(1)</script>"))
    assert "<script>alert" not in f"{runs._repr_html_()} {srlib.to_html(runs)}"


MAKES = {
    "an index that appears twice": lambda runs: runs.set_axis([7] * len(runs)),
    "keys in the index": lambda runs: runs.set_index(["method", "dataset", "repetition"]),
    "categories": lambda runs: runs.astype({"method": "category", "dataset": "category"}),
    "Arrow": lambda runs: runs.convert_dtypes(dtype_backend="pyarrow"),
    "numbers as text": lambda runs: runs.astype({"repetition": "str", "r2_test": "str"}),
    "from a generator": lambda runs: (part for part in [runs.head(5), runs.tail(7)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_table_of_any_make_gives_the_same_verdict(make, judged, springs):
    again = judge_competition(make(spring_runs()), springs)
    pd.testing.assert_frame_equal(again.aspects, judged.aspects)
    assert again.counts == judged.counts


@pytest.mark.slow
def test_no_function_changes_the_callers_frame(springs):
    runs = spring_runs().set_axis(range(20, 8, -1)).assign(file="mine", row="first")
    assessments = judge_competition(runs.copy(), springs).assessments
    copies = runs.copy(), assessments.copy()
    srlib.read_runs(runs, names={"Exact": "features"})
    srlib.check(runs, problems=springs)
    srlib.compare(runs, "edit_distance", problems=springs)
    judge_competition(runs, springs)
    judge_competition(assessments, springs)
    pd.testing.assert_frame_equal(runs, copies[0])
    pd.testing.assert_frame_equal(assessments, copies[1])


def test_measures_are_refused_where_runs_are_expected():
    measures = spring_runs().assign(aspect="r2_test", value=1.0).drop(columns=["model", "r2_test"])
    with refused("DataFrame: single runs were expected"):
        srlib.read_runs(measures)
    assert len(srlib.compare(measures, "r2_test").unit_values) == 2


WRONG = {
    "runs: a path, 'demo' or a DataFrame .* None": lambda r, p: judge_competition(None, p),
    "runs: .* got dict": lambda r, p: judge_competition(r.to_dict(), p),
    "timeout: a positive .* got 'a'": lambda r, p: judge_competition(r, p, timeout="a"),
    "jobs: a whole number of at least 1 .* 0": lambda r, p: judge_competition(r, p, jobs=0),
    "seed: a whole .* 'a'": lambda r, p: srlib.Competition.read(r, p).robustness(seed="a"),
    "model: a formula's text was expected, got int": lambda *_: srlib.parse(3),
    "features: a list of names .* got 'x1'": lambda *_: srlib.parse("x1", features="x1"),
    "domain: {NAME": lambda *_: srlib.equivalent("x", "x", domain=[1, 2]),
    "X: a table of numbers": lambda *_: srlib.solution_rate("a", [[[1], [2]]], truth="a"),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_argument_is_one_sentence(sentence, springs):
    with pytest.raises(srlib.SrlibError, match=sentence) as error:
        WRONG[sentence](spring_runs(), springs)
    assert "\n" not in str(error.value)


if __name__ == "__main__":
    SNAPSHOT.write_text(signatures())
