"""Builders of inputs for all rooms: cases, competitions, judgements, notebooks and suites, problems to record on."""

from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from hypothesis import settings
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from srlib.competition import Competition, Resources
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.judging import Judgement
from srlib.ledger import entry, to_frame
from srlib.rendering.provenance import Job, Provenance
from srlib.rendering.suite import Report
from srlib.rules import load_rules
from srlib.tools.recording import Method


def each(names, table, sign="|"):
    r"""Parametrise a test by a text: a line for each case, a sign between its cells; `\n` is a new line."""
    rows = [row.replace("\\n", "\n").split(sign) for row in table.strip("\n").splitlines()]
    cells = [[cell.strip(" ") for cell in row] for row in rows]
    return pytest.mark.parametrize(names.split(), cells)


def examples(count):
    """Try so many examples of a property, and as many fewer in the quick tests as their profile says."""
    return settings(max_examples=max(1, count * settings().max_examples // 100))


@contextmanager
def refused(sentence):
    """Expect an InputError of one line in which the pattern is found."""
    with pytest.raises(InputError, match=sentence) as caught:
        yield caught
    assert "\n" not in str(caught.value)


def read_table(text):
    """Read a table whose columns are separated by blanks; `beta` stands for the second of METHODS."""
    return pd.read_csv(StringIO(text), sep=r"\s+").replace({"method": {"beta": METHODS[1]}})


def judge_competition(
    runs="demo", problems="synthetic-2022", rules="judging-2022", jobs=None, timeout=10.0, **options
):
    """The judgement of a competition that is read from files, names or tables."""
    resources = Resources(timeout=timeout, jobs=jobs)
    return Competition.read(runs, problems, rules, resources=resources, **options).judge()


# two datasets without data files, three methods, features with names
SPRINGS = """
schema: 1
name: springs
problems:
  - {dataset: hooke, property: solution, features: [k, d], truth: k*d, domain: {k: [1, 3], d: [0, 2]}}
  - {dataset: drag, property: solution, features: [v, c], truth: c*v**2, domain: {v: [1, 4], c: [1, 2]}}
"""
SPRING_RUNS = """method,dataset,repetition,model,r2_test
Exact,hooke,1,k*d,1.0
Exact,hooke,2,k*d,1.0
Exact,drag,1,v*v*c + 0.0,1.0
Exact,drag,2,v*v*c + 0.0,1.0
Near,hooke,1,k*d + 1.5,0.9
Near,hooke,2,k*d + 1.5,0.9
Near,drag,1,c*v**2.2,0.9
Near,drag,2,c*v**2.2,0.9
Broken,hooke,1,k*(d,0.9
Broken,hooke,2,k*(d,0.9
Broken,drag,1,,0.9
Broken,drag,2,,0.9
"""


def spring_runs():
    """Two repetitions of each model; R2 as reported."""
    return pd.read_csv(StringIO(SPRING_RUNS))


# two datasets, two methods of one run, and the criteria for one repetition
PROBLEMS_OF_TWO = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
"""
RUNS_OF_TWO = """method,dataset,repetition,model,r2_test
A,d,1,a + b,1.0
A,e,1,a*b + 1,0.9
B,d,1,a,0.5
B,e,1,a + b*b,0.9
"""
RULES_OF_ONE = (PARAMETERS / "rules/judging-2022.yaml").read_text()
RULES_OF_ONE = RULES_OF_ONE.replace("repetitions: 10", "repetitions: 1")

METHODS = ("alpha", "<script>alert(1)</script> $beta$ & =cmd()")
RUNS = """
    method dataset repetition r2_test complexity model
    alpha  d1      1          0.96    5          "0.5*x1 + x2"
    alpha  d1      2          0.94    5          "0.5*x1 + x2"
    alpha  d2      1          0.91    9          "0.5*x1 + x2"
    alpha  d2      2          0.89    9          "0.5*x1 + x2"
    beta   d1      1          0.96    25         "=x1^2 - 1.5"
    beta   d1      2          0.94    25         "=x1^2 - 1.5"
    beta   d2      1          -0.24   25         "=x1^2 - 1.5"
    beta   d2      2          -0.26   25         "=x1^2 - 1.5"
    beta   d2      3          null    25         null
"""
ASPECTS = """
    method dataset aspect     value aspect_rank
    alpha  d1      accuracy   0.95  2
    alpha  d1      simplicity -1.0  2
    alpha  d1      property   1.0   2
    alpha  d2      accuracy   0.90  2
    alpha  d2      simplicity -1.4  2
    alpha  d2      property   0.5   2
    beta   d1      accuracy   0.95  2
    beta   d1      simplicity -2.0  1
    beta   d1      property   0.0   1
    beta   d2      accuracy   -0.25 1
    beta   d2      simplicity -2.0  1
    beta   d2      property   0.0   1
"""
# harmonic means of the ranks: 3/(1/2+1/1+1/1) = 1.2
SCORES = """
    method dataset score
    alpha  d1      2.0
    alpha  d2      2.0
    beta   d1      1.2
    beta   d2      1.0
"""


def made_up_judgement(**changes):
    """What `srlib.judging.judge` would return for the numbers above; `changes` are other fields."""
    runs, aspects, datasets = map(read_table, (RUNS, ASPECTS, SCORES))
    key = {"method": METHODS[1], "dataset": "d2", "repetition": 3}
    failed_run = entry("judge", "failed_run", "excluded", "no model", **key)
    truth = "0.5*x1 + x2"
    problems = (
        SimpleNamespace(dataset="d1", difficulty="easy", truth=truth, known_truth=truth),
        SimpleNamespace(dataset="d2", difficulty=None, truth=None, known_truth=None),
    )
    judgement = object.__new__(Judgement)
    fields = {
        "ranking": pd.DataFrame({"method": METHODS, "score": [2.0, 1.1], "rank": [1, 2]}),
        "aspects": aspects.assign(n_runs=2, value_rounded=aspects["value"], direction="higher"),
        "datasets": datasets.assign(property="solution", n_runs=2),
        "assessments": runs.assign(simplified_model=runs["model"], solution_kind=None),
        "ledger": to_frame([failed_run]),
        "counts": {"read": 9, "scored": 8, "excluded": 1},
        "rules": load_rules("judging-2022"),
        "notices": (),
        "ranking_of_all": None,
        "problems": SimpleNamespace(name="made-up", problems=problems),
        "screened": SimpleNamespace(barred=(), idle=(), expected={"d1": 2, "d2": 2}),
    }
    vars(judgement).update(fields | changes)
    return judgement


PARAMETER_CELL = 'number: int = 1  # shown\noutput_dir: str = ""  # folder'
WORK = """from pathlib import Path
from IPython.display import HTML, display
folder = Path(output_dir or "nowhere", "tables")
if output_dir:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.csv").write_text(f"method,score\\n=cmd(),{number + 0.123456789}\\n")
display(HTML("<table><caption>Scores</caption></table>"))
number"""
CHECK = 'print("checks passed:", end=" ", flush=True)\nprint("2 of 2")'


def write_notebook(path, *sources, texts=""):
    """Write a notebook: heading, parameters (with the names in `texts`), cells of these sources, all with fixed ids."""
    heading = "# A <small> question\n\nThe sum $a_1 + b$.\n\n## First part"
    parameters = "\n".join([*(f"{name}: str = ''" for name in texts.split()), PARAMETER_CELL])
    cells = [new_markdown_cell(heading), *map(new_code_cell, (parameters, *sources))]
    cells[1].metadata["tags"] = ["parameters"]
    for position, cell in enumerate(cells):
        cell["id"] = f"cell-{position}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


def write_suite(folder, reports, defaults="{}"):
    """Write a suite with the notebooks NAME.ipynb of the folder; values are parameters as YAML."""
    lines = "\n".join(
        f"  - {{name: {name}, notebook: {name}.ipynb, parameters: {text}}}"
        for name, text in reports.items()
    )
    path = folder / "suite.yaml"
    head = f"schema: 1\nsuite: small\ntitle: Small & simple\ndefaults: {defaults}\nreports:\n"
    path.write_text(f"{head}{lines}\n")
    return path


def write_runs(path, *methods):
    """Write a run table with a run of each method."""
    rows = "".join(f"{method},d,1,x\n" for method in methods)
    path.write_text(f"method,dataset,repetition,model\n{rows}")


def small_job(folder, name="r", title="Small", **links):
    """Give what a report called NAME is made from, in FOLDER/new; `links` are pages by their notebooks' names."""
    origin = Provenance([{"name": "runs: <r>.csv", "sha256": "ab" * 32}], "f")
    notebook = folder / "nowhere.ipynb"
    report = Report(name, notebook, {"runs": "<r>.csv"}, folder, suite_title=title, links=links)
    return Job(report, origin, folder)


def recorded_problem(seeds="[11, 12, 13]"):
    """The smallest problem file to record on: one line, a seed for each repetition."""
    return f"""
schema: 1
name: tiny
problems:
  - dataset: line
    features: [x1]
    data_seeds: {seeds}
    data: {{generator: noise_2022, arguments: {{ratio: 0.0}}}}
"""


def recorded_method(kind="Good", **keys):
    """The method of one of `tests.tools.recording.estimators`."""
    entry = {"name": kind, "estimator": f"tests.tools.recording.estimators:{kind}"}
    return Method.model_validate(entry | {"model": {"attribute": "text_"}} | keys)


def write_problem(rows, features="mass"):
    """Write p.yaml with one dataset; the test rows are the training rows."""
    Path("own.csv").write_text(f"{features},y\n{rows}")
    data = "data_seeds: [1], data: {train: own.csv, test: own.csv}"
    entry = f"{{dataset: own, features: [{features}], {data}}}"
    Path("p.yaml").write_text(f"schema: 1\nname: own\nproblems: [{entry}]\n")
    return "p.yaml"
