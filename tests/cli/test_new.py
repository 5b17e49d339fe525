"""`srlib new`: a competition in git, its checks and board, and its bundle for Codabench, as teams would treat them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from srlib.cli.main import main
from tests.builders import each

ENVIRONMENT = os.environ | {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{f"GIT_{who}_DATE": "2026-03-01T12:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}  # fmt: skip
ANA = "practice/submissions/Ana/runs.csv"
TABLE = """method,dataset,repetition,model,r2_test,names
Ana,product,1,0.4*x1*x2 - 1.5*x1,1,features
Ana,product,2,0.4*x1*x2 - 1.5*x1,1,features
Ana,wave,1,sin(x1),0.99,features
Ana,wave,2,sin(x1),0.99,features
"""


@pytest.fixture
def competition(tmp_path, monkeypatch, capsys):
    """Make a competition, put it into git, and go there."""
    assert main(["new", str(tmp_path / "competition")]) == 0
    monkeypatch.chdir(tmp_path / "competition")
    shell("git init -q -b main && git add --all && git commit -q -m Call")
    return Path()


def shell(line, code=0):
    """Run a line of shell; give what it prints."""
    words = ["sh", "-c", line]
    done = subprocess.run(words, env=ENVIRONMENT, stdout=-1, stderr=-2, text=True, errors="replace")
    assert done.returncode == code, done.stdout
    return done.stdout


def write_files(folder, files):
    """Write texts or bytes by path below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def submit(branch, files, mode=0o644):
    """Commit files on a branch of their own, begun at main."""
    shell(f"git switch -q -c {branch} main")
    write_files(Path(), files)
    for name in files:
        Path(name).chmod(mode)
    shell("git add --all && git commit -q -m Submit && git switch -q main")


def check(branch, code=0):
    return shell(f"sh check.sh main {branch}", code)


def test_workflows_take_pull_requests_as_data(competition):
    """No trigger with rights for strangers, no secret, all actions by commit, least permissions; nothing compiled."""
    assert not list(Path().rglob("__pycache__"))
    allowed = {"submission": {"contents": "read"}, "board": {"contents": "write"}}
    for path in sorted(Path(".github/workflows").glob("*.yml")):
        text = path.read_text()
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == allowed.pop(path.stem)
        assert "pull_request_target" not in text and "secrets" not in text
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        uses = [step["uses"] for step in steps if "uses" in step]
        assert uses and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in uses)
        assert any(step.get("run") == "sh install.sh" for step in steps)
    assert not allowed


@each(
    "requirements code",
    f"""
    |1
    # srlib @ git+https://host/srlib@{"a" * 40}|1
    srlib|1
    srlib==1.0.0|1
    srlib @ git+https://host/srlib@main|1
    srlib @ git+https://host/srlib@{"a" * 40}\\nother|1
    srlib @ git+https://host/srlib@{"a" * 40}|0
    srlib[report] @ git+https://host/srlib@{"a" * 40}|0""",
)
def test_srlib_comes_from_one_address_and_commit_only(competition, requirements, code):
    Path("requirements.txt").write_text(requirements + "\n")
    Path("python3").write_text("#!/bin/sh\necho pip: $*\n")
    Path("python3").chmod(0o755)
    output = shell('PATH="$PWD:$PATH" sh install.sh', int(code))
    assert ("pip: -m pip install -r requirements.txt" in output) == (code == "0")
    assert ("srlib @ git+URL@COMMIT" in output) == (code == "1")


REFUSED = f"""
{ANA} check.sh
{ANA} practice/submissions/Ben/runs.csv
{ANA} final/submissions/Ana/runs.csv
practice/submissions/layout.yaml
practice/submissions/Ana/layout.yaml
practice/submissions/Ana/deep/runs.csv
practice/submissions/Ana/r\runs.csv
practice/submissions/Ána/runs.csv
"""


@pytest.mark.parametrize("names", REFUSED.strip("\n").split("\n"))
def test_branch_that_changes_more_than_tables_of_one_folder_is_refused(competition, names):
    submit("branch", dict.fromkeys(names.split(" "), TABLE))
    assert "A submission changes tables" in check("branch", 1)


def test_links_executables_and_removed_tables_of_others_are_refused(competition):
    submit("executable", {ANA: TABLE}, mode=0o755)
    assert "A submission changes tables" in check("executable", 1)
    shell("git switch -q -c link main && mkdir -p practice/submissions/Ana")
    Path(ANA).symlink_to("/etc/passwd")
    shell("git rm -q -r practice/submissions/wordy && git add --all && git commit -q -m Link")
    shell("git switch -q main")
    assert "A submission changes tables" in check("link", 1)


@pytest.mark.slow
def test_season(competition, tmp_path):
    """Three teams, one of them hostile: checks, two boards, what changed; the same board twice, byte for byte."""
    board = tmp_path / "board"
    submit("ana", {ANA: TABLE})
    submit("ben", {ANA.replace("Ana", "Ben"): TABLE.replace("0.4*x1*x2", "0.4*x1*(", 1)})
    stolen = TABLE.replace("sin(x1)", "__import__('os')").replace("Ana", "careful")
    rows = {ANA.replace("Ana/runs", f"Cara/{name}"): text for name, text in
            {"runs": stolen, "again": stolen, "noise": os.urandom(100_000), "empty": ""}.items()}  # fmt: skip
    submit("cara", rows)
    assert "findings: none" in check("ana")
    assert "1 unparsed" in check("ben", 1)
    assert "findings: none" not in check("cara", 1)
    shell("git merge -q ben")
    shell(f"sh board.sh {board}")
    (first,) = board.glob("2026-03-01-*")
    shell("git merge -q -m Ana ana && git merge -q -m Cara cara")
    shell(f"sh board.sh {board}")
    changes = (board / "changes.md").read_text()
    newest = changes.split("\n## ")[0]
    assert "Ana enters on place 1." in newest and "Cara enters" in newest
    assert re.search(r"careful: place \d → \d; its own values are the same\.", newest)
    assert changes.count("The first board.") == 1
    before = state_of(board)
    shell(f"sh board.sh {board}")
    shutil.copytree(board / first.name, board / "latest", dirs_exist_ok=True)
    shell(f"sh board.sh {board}")
    assert state_of(board) == before
    ranking = pd.read_csv(board / "latest/synthetic/ranking.csv")
    assert set(ranking["method"]) == {"careful", "wordy", "Ana", "Ben", "Cara"}


def state_of(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_board_stops_where_frozen_files_changed(competition, tmp_path):
    shell("sha256sum rules.yaml final/public.yaml > frozen.sha256 || true")
    Path("rules.yaml").write_text(Path("rules.yaml").read_text() + "\n")
    assert "rules.yaml" in shell(f"sh board.sh {tmp_path / 'board'}", 1)
    assert not (tmp_path / "board").exists()


HOSTILE = {
    "good": {"runs.csv": TABLE},
    "empty": {},
    "unreadable": {"runs.csv": b"\x00\xff" * 500},
    "repeated": {"a.csv": TABLE, "b.csv": TABLE.replace("1.5", "1.6")},
    "stolen": {"careful/runs.csv": TABLE.replace("Ana", "careful"), "layout.yaml": "schema: 1"},
    "program": {"runs.csv": TABLE.replace("sin(x1)", "open('/app/input/ref/problems.yaml')")},
    "assessed": {"runs.csv": "method,dataset,aspect,value\ncareful,product,accuracy,1e9\n"},
}


@pytest.mark.slow
def test_codabench_bundle_always_gives_numbers_and_shows_no_truth(competition, tmp_path):
    """The platform's tree, and its command, for a good submission and for hostile ones."""
    shell("sh codabench/bundle.sh")
    shell(f"{sys.executable} -m zipfile -e codabench/bundle.zip {tmp_path}/bundle")
    board = yaml.safe_load((tmp_path / "bundle/competition.yaml").read_text())
    keys = {column["key"] for column in board["leaderboards"][0]["columns"]}
    (task,) = board["tasks"]
    for name, files in HOSTILE.items():
        app = tmp_path / name
        for part, folder in (("reference_data", "input/ref"), ("scoring_program", "program")):
            shell(f"{sys.executable} -m zipfile -e {tmp_path}/bundle/{task[part]} {app / folder}")
        (app / "input/res").mkdir(parents=True)
        write_files(app / "input/res", files)
        (command,) = yaml.safe_load((app / "program/metadata.yaml").read_text()).values()
        log = shell(command.replace("/app/program", f"{app}/program") + f" {app}")
        scores = json.loads((app / "output/scores.json").read_text())
        assert set(scores) == keys and all(0 <= value < 1000 for value in scores.values())
        assert (scores["place"] == 1) == (name in ("good", "stolen")), log
        page = (app / "output/detailed_results.html").read_text()
        # a submission that holds the truth itself is shown its own text
        has_truth = any("0.4*x1*x2" in str(content) for content in files.values())
        assert page and (has_truth or "0.4*x1*x2" not in page)
