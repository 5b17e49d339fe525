"""docs/tables.md lists the columns of the contracts and of the files that commands write, and no others."""

import re
from pathlib import Path

import pandas as pd
import pytest

from srlib import ledger
from srlib.cli.main import main
from srlib.files import DEMO, PARAMETERS
from srlib.judging import readings
from srlib.tables import ASSESSMENTS, MEASURES, REPORTED_COLUMNS, RUNS
from tests.builders import PROBLEMS_OF_TWO, RUNS_OF_TWO
from tests.pages.harness import FEW

PAGE = (Path(__file__).resolve().parents[2] / "docs/tables.md").read_text()
LEDGER_KINDS = {name: str(kind).replace("Int64", "Int") for name, kind in ledger.DTYPES.items()}
RULES = (PARAMETERS / "rules/judging-2022.yaml").read_text()
RUNS_TEXT = f"{RUNS_OF_TWO}C,d,1,a,0.5\nC,e,1,,0.9\n"
COMMANDS = (
    "judge runs.csv --problems p.yaml --qualified gate.csv --rules one.yaml --rules judging-2026 --out judge",
    "robustness runs.csv --problems p.yaml --rules one.yaml --resamples 10 --out robustness",
    "compare runs.csv --metric r2_test --out compare/pairs.csv",
    f"inference score --problems {DEMO}/inference/problems --answers {DEMO}/inference/answers --out inference-score",
)


def cells(title):
    """Rows of the table below a heading, as lists of cells."""
    section = PAGE.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def listed_columns(title):
    return {name: kind for name, kind, _ in cells(title)}


def test_columns_of_contracts_are_those_of_the_page():
    runs = listed_columns("runs")
    assert runs == RUNS.columns
    reported = {f"{name}_reported": runs[name] for name in REPORTED_COLUMNS}
    assert runs | reported | listed_columns("assessments") == ASSESSMENTS.columns
    assert listed_columns("measures") == MEASURES.columns
    assert listed_columns("ledger") == LEDGER_KINDS


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    """Columns of each file that the commands write, by command and name of the file."""
    folder = tmp_path_factory.mktemp("columns")
    (folder / "compare").mkdir()
    (folder / "p.yaml").write_text(PROBLEMS_OF_TWO)
    (folder / "one.yaml").write_text(RULES.replace("repetitions: 10", "repetitions: 1"))
    (folder / "runs.csv").write_text(RUNS_TEXT)
    (folder / "gate.csv").write_text("method,qualified\nA,true\nB,true\nC,false\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(readings, "READINGS", FEW)
        assert [main(command.split()) for command in COMMANDS] == [0] * len(COMMANDS)
    paths = [path for path in folder.rglob("*.csv") if path.parent != folder]
    return {
        (path.relative_to(folder).parts[0].replace("-", " "), path.name): [
            *pd.read_csv(path, nrows=0)
        ]
        for path in sorted(paths)
    }


def test_columns_of_written_files_are_those_of_the_page(headers):
    rows = {(command, file): columns for command, file, columns in cells("What the commands write")}
    assert rows.keys() == headers.keys()
    for key, columns in rows.items():
        pattern = re.escape(columns).replace("RULES", r"[\w-]+")
        pattern = pattern.replace(r"SWITCH,\ ", r"(?:[\w./]+, )+").replace("METHOD", ".+")
        repeated = pattern.replace(
            r",\ [\w-]+\ rank,\ [\w-]+\ score", r"(?:, [\w-]+ rank, [\w-]+ score)+"
        )
        assert re.fullmatch(repeated, ", ".join(headers[key])), key
