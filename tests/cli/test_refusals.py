"""Wrong input ends every command with 2 and one sentence that says what is wrong, and nothing is written."""

import os
from pathlib import Path

import pytest

from srlib.cli.main import WRONG_INPUT
from tests import workers_cases
from tests.builders import PROBLEMS_OF_TWO, RULES_OF_ONE, RUNS_OF_TWO, each

PROBLEM = "schema: 1\nname: n\nproblems: [{dataset: d, features: [a], "
TEXTS = "method,dataset,repetition,model\nA,d,1,a\nB,d,1,b\n"
WIDE = """{schema: 1, name: p, problems: [{dataset: d, data: {generator: formula, arguments: {formula: x1,
features: {x1..x99999999999: [uniform, 0, 1]}, rows: {train: 3}}}}]}"""
NOISE = ["noise.csv", "noise.csv.gz", "noise.parquet", "noise.feather", "noise.xls"]
ODD_FILES = dict.fromkeys(NOISE, "\x00\x01\x02\x80" * 50) | {
    "empty.csv": "",
    "untitled.csv": RUNS_OF_TWO.replace("model", "text"),
    "elsewhere.csv": RUNS_OF_TWO.replace(",d,", ",nowhere,").replace(",e,", ",there,"),
    "texts.csv": TEXTS,
    "title.csv": TEXTS.partition("A")[0],
    "twice.csv": TEXTS.replace("method,", "method,method,"),
    "half.csv": TEXTS.replace("1", "1.5"),
    "secret.yaml": PROBLEM + "data_seeds: [1], data: {pmlb: ../../secret}}]",
    "wide.yaml": WIDE,
    "again.csv": RUNS_OF_TWO,
    "sources.csv": "dataset,source\nheat,x\n",
    "typo.yaml": RULES_OF_ONE + "\ntied: dense\n",
    "misspelt.yaml": PROBLEMS_OF_TWO.replace("truth", "thruth"),
    "broken.yaml": PROBLEMS_OF_TWO.replace("a + b", "a +"),
    "own.yaml": PROBLEM + "data: {test: own.csv}}]",
    "own.csv": "a,y\n1,2\n",
    "dataless.yaml": PROBLEM + "data: {train: gone.csv, test: gone.csv}}]",
    "hidden.yaml": PROBLEM + "truth: a^2, property: solution}]",
    "folder/empty.txt": "",
}
REFUSALS = """
nonsense -> No such command 'nonsense'
judg -> Did you mean 'judge'?
score -> score: the command is called `srlib judge` now
score --help -> score: the command is called `srlib judge` now
score a b --x y -> score: the command is called `srlib judge` now
 -> Missing command (see `srlib --help`)
--nonsense -> No such option: --nonsense
new folder folder -> extra argument
assess nothing.csv --problems problems.yaml --out o.csv -> nothing.csv: no such file
assess runs.csv --problems problems.yaml --out o -> --out: a file that ends in .parquet, .feather or .csv
assess runs.csv --problems problems.yaml --out runs.csv -> --out: runs.csv holds the truths or runs that are read
compare again.csv runs.csv --out again.csv --metric r2_test -> --out: again.csv holds the truths or runs that are
audit dataless.yaml -> srlib: dataset d, key 'data.train': gone.csv does not exist
audit dataless.yaml --out o.txt -> --out: a file that ends in .parquet, .feather or .csv
audit secret.yaml -> string should match pattern
audit wide.yaml -> x1..x99999999999: at most 10000 features were expected
audit pipe.yaml -> pipe.yaml: a regular file was expected
audit folder -> folder: no NAME/metadata.yaml and no NAME/NAME.tsv.gz, so it is no PMLB folder
ballot make nothing.csv --problems diabetes --out o -> nothing.csv: no such file
ballot make demo --problems synthetic-2022 --out o -> tracks real-world
ballot read nothing.csv --key nothing.json --out o.csv -> nothing.json: cannot be read
check runs.csv --out o.txt -> --out: a file that ends in .parquet, .feather or .csv
check folder --problems problems.yaml -> folder: this folder holds no table and no JSON files of runs
check runs.csv --problems problems.yaml --layout odd -> odd: no such file, and no shipped layouts of that name
compare runs.csv --out o.csv --metric r3 -> metric 'r3': which values are better is not known; r3:lower or r3:higher
compare runs.csv --out o.csv --metric r2_test --missing drop -> No such option: --missing
compare runs.csv --out o.csv --metric r2_test --related all -> 'all' is not one of '', 'none'
compare runs.csv --out o.csv --metric r2_test --repetitions 0 -> repetitions: a number from 1 on was expected, got 0
compare runs.csv --out o.csv --metric r2_test --sources sources.csv -> no run is on a dataset 'heat'
compare texts.csv --out o.csv --metric r2_test -> hold no metric; name the problems
compare runs.csv again.csv --out o.csv --metric r2_test --alias A=B -> hold the same run
diff folder nothing -> folder: a folder that `srlib report` or `srlib judge` wrote, or two papers, were expected
equivalent --truth x --model x --domain x -> with LOW < HIGH was expected, got {'': ['x']}
equivalent --truth x --model x --domain x=5:1 -> with LOW < HIGH was expected, got {'x': ['5', '1']}
equivalent --truth x --model x --domain x=a:b -> with LOW < HIGH was expected, got {'x': ['a', 'b']}
equivalent --truth x --model x --domain =1:2 -> with LOW < HIGH was expected, got {'': ['1', '2']}
equivalent --truth x --model x --domain x=0:inf -> with LOW < HIGH was expected, got {'x': ['0', 'inf']}
equivalent --truth x --model 'x +' -> got the end at position 3: 'x +'
equivalent --truth x --model x --constants significant:0 -> significant:N (N up to 12), srbench or free was expected
equivalent --truth x --model x --constants free -> constants free and free names such as c0,c1 go together
equivalent --truth x --model x --free c -> constants free and free names such as c0,c1 go together
equivalent --truth x --model x --constants free --free c -> free: a name of the truth that is not in the model was
equivalent --truth x*c --model x*c --constants free --free c -> free: a name of the truth that is not in the model was
new folder -> a new or empty folder
new runs.csv -> runs.csv: a folder was expected
problems generate nothing.yaml --out o -> nothing.yaml: no such file
problems generate synthetic-2022 --out o --seeds -1 -> '--seeds': Input should be greater than or equal to 0
problems generate synthetic-2022 -> Missing option '--out'
problems generate own.yaml --out o --seeds 2 --seeds 1 -> data_seeds: 1 is a seed and the number of another seed
problems public hidden.yaml --out hidden.yaml -> holds the truths
qualify sklearn.linear_model --out o -> PACKAGE:ESTIMATOR was expected, as in sklearn.linear_model:Lasso
report folder --out o -> a regular file was expected, not a folder
robustness nothing.csv --problems problems.yaml --out o -> nothing.csv: no such file
robustness runs.csv --problems problems.yaml --out o --names A=x2 -> or x1 was expected, got {'A': 'x2'}
run nothing problems.yaml --out o -> nothing: no such file, and no shipped methods of that name
judge empty.csv --problems problems.yaml --out o -> empty.csv: the file is empty
judge untitled.csv --problems problems.yaml --out o -> column 'model' is missing
judge title.csv --problems problems.yaml --out o -> title.csv: the table has no rows
judge twice.csv --problems problems.yaml --out o -> column 'method' appears twice in the header
judge half.csv --problems problems.yaml --out o -> row 1: repetition must be a whole number below 2**53, got '1.5'
judge pipe.csv --problems problems.yaml --out o -> pipe.csv: a regular file was expected
judge noise.csv --problems problems.yaml --out o -> noise.csv: a CSV in UTF-8
judge noise.csv.gz --problems problems.yaml --out o -> noise.csv.gz: 
judge noise.parquet --problems problems.yaml --out o -> noise.parquet: 
judge noise.feather --problems problems.yaml --out o -> noise.feather: 
judge noise.xls --problems problems.yaml --out o -> noise.xls: 
judge runs.csv --problems problems.yaml --out . -> srlib: .: the current folder cannot be replaced
judge runs.csv --problems problems.yaml --out texts.csv -> texts.csv: a folder was expected
judge runs.csv --problems problems.yaml --qualified nothing.csv --out o -> nothing.csv: no such file
judge runs.csv --problems '' --out o -> : no such file, and no shipped problems of that name
audit empty.csv -> empty.csv: a mapping of keys to values was expected, got nothing
judge runs.csv --problems problems.yaml --out texts.csv/o -> cannot be written (Not a directory)
judge runs.csv --problems problems.yaml --out folder -> folder: it holds empty.txt, which `srlib judge` did not write
judge elsewhere.csv --problems problems.yaml --out o -> no run is on a dataset that these rules score
judge runs.csv --problems problems.yaml --rules typo.yaml --out o -> unknown key 'tied'
judge runs.csv --problems problems.yaml --rules judging-2021 --out o -> no shipped rules of that name (shipped: comp
judge runs.csv --problems misspelt.yaml --out o -> unknown key
judge runs.csv --problems broken.yaml --out o -> truth cannot be read
"""


def find_files():
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.usefixtures("competition")
@each("line sentence", REFUSALS, "->")
def test_wrong_input_is_one_sentence_and_writes_nothing(line, sentence, call):
    Path("folder").mkdir()
    for name, content in ODD_FILES.items():
        Path(name).write_text(content, encoding="latin-1")
    for name in ("pipe.csv", "pipe.yaml"):
        os.mkfifo(name)
    files = find_files()
    code, output, error = call(line)
    assert (code, output, error.count("\n"), error[:7]) == (WRONG_INPUT, "", 1, "srlib: ")
    assert sentence in error
    assert find_files() == files


@each(
    "line function sentence",
    """
diff a b | rendering.diff.diff_lines | srlib: a and b: stopped after 0.5 s
ballot read b.csv --key k.json --out t.csv | tools.ballot.read_ballots | srlib: 1 ballots: stopped after 0.5 s
""",
)
def test_command_that_meets_a_limit_is_one_sentence(line, function, sentence, call, monkeypatch):
    monkeypatch.setattr(f"srlib.{function}", workers_cases.computes_for_ever)
    assert call(f"{line} --timeout 0.5") == (WRONG_INPUT, "", f"{sentence}\n")
