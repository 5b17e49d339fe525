"""Make mutants one by one in a copy of the project, run the tests that should notice, and write down which did not.

python -m tests.mutants named                       the seventeen of `named.py`; all have to be noticed
python -m tests.mutants sample --most 200           so many more of a shuffled list; stop it at any moment
python -m tests.mutants report                      figures, and survivors that `survivors.md` does not excuse
"""

import argparse
import contextlib
import csv
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.mutants.changes import changes
from tests.mutants.named import NAMED

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / ".mutants.csv"
REASONS = Path(__file__).with_name("survivors.md")
COLUMNS = ["file", "change", "outcome", "seconds", "text"]
# a folder of modules: all tests that may notice a change in it (those that reach the line are asked first)
TESTS = {
    "judging": ["tests/judging", "srlib/judging"],
    "assessing": [
        "tests/assessing",
        "srlib/assessing",
        "tests/cli/test_check.py",
        "tests/cli/test_problems.py",
    ],
    "rules": ["tests/test_rules.py", "tests/cli/test_explain.py", "srlib/rules"],
    "inference": ["tests/inference", "srlib/inference"],
}
# imported once, before each mutant forks: what takes long to import and is not ours
HEAVY = [
    "numpy", "pandas", "scipy.stats", "sympy", "pydantic", "matplotlib.pyplot", "pyarrow.parquet", "pytest",
    "hypothesis.extra.numpy",
]  # fmt: skip
LIMIT_S = 1200.0


def main() -> int:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=["named", "sample", "report"])
    parser.add_argument("--most", type=int, default=50, help="how many more mutants")
    parser.add_argument("--folder", choices=sorted(TESTS), help="of this folder only")
    parser.add_argument(
        "--longest", type=float, default=float("inf"), help="tests that take longer are not asked"
    )
    parser.add_argument("--copy", type=Path, help="where the copy is kept; else it is thrown away")
    given = parser.parse_args()
    if given.what == "report":
        return report()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # with the changed module put back
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = (given.copy or Path(folder) / "copy").resolve()
        if not (copy / "srlib").is_dir():
            prepare(copy)
        if given.what == "named":
            return named(copy)
        return sample(copy, given.most, given.folder, given.longest)


def prepare(copy: Path) -> None:
    """Copy what git knows, and what lies there new; the reference data lie beside it as they do here."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    if not os.environ.get("SRLIB_REFERENCE_DATA"):
        os.environ["SRLIB_REFERENCE_DATA"] = str(ROOT.parent / "shared" / "data")


def tested(copy: Path, arguments: list[str], limit: float = LIMIT_S, *plugins: object) -> int:
    """Run pytest in a fork of this process, which has imported what is heavy; its exit code, 124 for too long."""
    for name in HEAVY:
        importlib.import_module(name)
    child = os.fork()
    if not child:
        code = 3
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            os.setsid()
            os.chdir(copy)
            quiet = os.open(copy / ".mutants.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            os.environ["PYTHONPATH"] = str(copy)
            if not any(hasattr(plugin, "write") for plugin in plugins):  # mutants leave no bytecode
                sys.dont_write_bytecode, os.environ["PYTHONDONTWRITEBYTECODE"] = True, "1"
            here = {"", str(ROOT), str(Path.cwd())}
            sys.path[:] = [str(copy), *(path for path in sys.path if path not in here)]
            for name in [n for n in sys.modules if n.partition(".")[0] in ("tests", "srlib")]:
                del sys.modules[name]
            pytest = importlib.import_module("pytest")
            common = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:benchmark"]
            common += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            code = int(pytest.main([*common, *arguments], plugins=list(plugins)))
            if not str(sys.modules["srlib"].__file__).startswith(str(copy)):
                code = 99
            for plugin in plugins:
                if hasattr(plugin, "write"):
                    plugin.write(copy / ".mutants.reach.json")
        except Exception:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    begun, done, status = time.monotonic(), 0, 0
    try:
        while not done and time.monotonic() - begun < limit:
            time.sleep(0.05)
            done, status = os.waitpid(child, os.WNOHANG)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # its workers, and itself where it took too long
    if not done:
        os.waitpid(child, 0)
        return 124
    if (code := os.waitstatus_to_exitcode(status)) == 99:
        sys.exit("the tests ran with another srlib than the copy's")
    return code


def noticed(
    copy: Path,
    path: Path,
    text: str,
    arguments: list[str],
    limit: float = LIMIT_S,
    *plugins: object,
) -> bool:
    """Put a changed module into the copy, run tests until one fails, and put the module back."""
    kept, times = path.read_bytes(), path.stat()
    path.write_text(text, encoding="utf-8")
    for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        stale.unlink()
    try:
        # a change that makes the tests hang is noticed; 5: no test was left
        return tested(copy, ["-x", *arguments], limit, *plugins) not in (0, 5)
    finally:
        path.write_bytes(kept)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def named(copy: Path) -> int:
    """Make the named mutants; the exit code is 1 where one is not noticed."""
    if tested(copy, sorted({test for *_, test in NAMED})):
        sys.exit("the tests fail without any change: mend that first")
    survivors = 0
    for name, old, new, test in NAMED:
        path = copy / "srlib" / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) < 1:
            print(
                f"{name}: {old!r} no longer stands there; follow the code in tests/mutants/named.py"
            )
            survivors += 1
            continue
        found = noticed(copy, path, text.replace(old, new), [test])
        survivors += not found
        print(
            f"{'noticed ' if found else 'SURVIVES'} {name}: {old.strip()!r} -> {new.strip()!r}",
            flush=True,
        )
    print(f"{len(NAMED) - survivors} of {len(NAMED)} noticed")
    return int(survivors > 0)


def sample(copy: Path, most: int, folder: str | None, longest: float) -> int:
    """Make more mutants from a list that is shuffled once and for all; those that are known are left out."""
    from tests.mutants.reach import Only, Reach

    reached = copy / ".mutants.reach.json"
    if not reached.is_file():
        print("once without any change, to see which test reaches which line", flush=True)
        tested(
            copy, sorted({t for tests in TESTS.values() for t in tests}), 6 * LIMIT_S, Reach(copy)
        )
        if not reached.is_file():
            sys.exit(f"the tests do not run: {(copy / '.mutants.log').read_text()[-2000:]}")
    reach = json.loads(reached.read_text(encoding="utf-8"))
    if reach["failed"]:
        sys.exit(f"the tests fail without any change: mend that first ({reach['failed'][0]})")
    names, seconds = list(reach["tests"]), reach["tests"]
    known = {(row["file"], row["change"]) for row in rows()}
    todo = [
        (kind, path, change, text)
        for kind in TESTS
        if folder in (None, kind)
        for path in sorted((copy / "srlib" / kind).rglob("*.py"))
        for change, text in changes(path.read_text(encoding="utf-8"))
    ]
    random.Random(0).shuffle(todo)
    todo = [each for each in todo if (str(each[1].relative_to(copy)), each[2]) not in known]
    for kind, path, change, text in todo[:most]:
        begun, file = time.monotonic(), str(path.relative_to(copy))
        at = reach["lines"].get(file, {}).get(change.partition(":")[0], [])
        first = {names[i] for i in at}
        files = {name.partition("::")[0] for name in first}
        # what is reached is recorded for the first test that reaches it, and not at all in workers: it gives the order
        others = {n for n in names if n.startswith((*files, *TESTS[kind]))} - first
        outcome = "survives"
        for stage in (first, others):
            asked = sorted((n for n in stage if seconds[n] <= longest), key=seconds.__getitem__)
            wanted = sorted({name.partition("::")[0] for name in asked})
            limit = 60 + 10 * sum(map(seconds.__getitem__, asked))
            if asked and noticed(copy, path, text, wanted, limit, Only(asked)):
                outcome = "noticed"
                break
        new = not TABLE.is_file()
        with TABLE.open("a", newline="", encoding="utf-8") as table:
            writer = csv.writer(table)
            if new:
                writer.writerow(COLUMNS)
            line = path.read_text(encoding="utf-8").splitlines()[int(change.partition(":")[0]) - 1]
            writer.writerow([file, change, outcome, round(time.monotonic() - begun), line.strip()])
        print(f"{outcome} ({time.monotonic() - begun:.0f} s) {file} {change}", flush=True)
    return report()


def rows() -> list[dict[str, str]]:
    """Mutants that have been made."""
    if not TABLE.is_file():
        return []
    with TABLE.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def excuse(row: dict[str, str]) -> str:
    """How a row of `survivors.md` begins that gives a reason for this mutant."""
    change = row["change"].partition(": ")[2].replace("|", r"\|")
    text = row["text"].replace("|", r"\|")
    return f"| {row['file']} | `{text}` | `{change}` | "


def report() -> int:
    """Say how many survive; the exit code is 1 where 5% or more do without a reason in `survivors.md`."""
    made, reasons = rows(), REASONS.read_text(encoding="utf-8")
    survivors = [row for row in made if row["outcome"] == "survives"]
    unexcused = [row for row in survivors if excuse(row) not in reasons]
    for kind, count in sorted(Counter(row["file"].split("/")[1] for row in made).items()):
        left = sum(row["file"].split("/")[1] == kind for row in survivors)
        print(f"{kind}: {count} made, {left} survive")
    for row in unexcused:
        print(f"no reason given: {row['file']} {row['change']}\n  {excuse(row)}")
    print(f"{len(made)} made, {len(survivors)} survive, {len(unexcused)} of them without a reason")
    return int(bool(made) and len(unexcused) >= 0.05 * len(made))


if __name__ == "__main__":
    sys.exit(main())
