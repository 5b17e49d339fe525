"""What asks a command to stop stops it in one sentence, and its exit code never says that all is done."""

import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from srlib import cli
from srlib.cli.main import WRONG_INPUT, main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of a POSIX system")
LAUNCHER = Path(cli.__file__).with_name("launcher.sh")
HEAD = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
from srlib.cli import main as module
def interrupt(*_):
    os.kill(os.getpid(), signal.{name})
class Last:
    __del__ = interrupt
"""
BODIES = {
    "plain": "interrupt(); time.sleep(60)",
    "where nothing can be raised": "last = Last(); del last\nfor _ in range(600): time.sleep(0.1)",
    "swallowed": "try:\n    interrupt(); time.sleep(60)\nexcept BaseException:\n    pass",
    "turned into another": "try:\n    interrupt(); time.sleep(60)\nfinally:\n    raise ImportError('numpy')",
}


@pytest.mark.parametrize(
    ("name", "said"), [("SIGINT", "130 srlib: interrupted"), ("SIGTERM", "143 srlib: terminated")]
)
@pytest.mark.parametrize("body", BODIES)
def test_a_signal_is_one_sentence_wherever_it_comes(name, said, body):
    lines = "\n".join(f"    {line}" for line in BODIES[body].split("\n"))
    code = f"{HEAD.format(name=name)}def run(words):\n{lines}\n    return 0\nmodule._run = run\n"
    code += "from srlib.cli.start import main\nsys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"{done.returncode} {done.stderr}" == f"{said}\n" and done.stdout == ""


EVERYWHERE = """
import os, signal, sys
from srlib.cli import main as module, signals, start
module._run = lambda words: 0
codes = {start.main.__code__, module.main.__code__, module._answered.__code__}
codes |= {signals.Stopping.heeded.__wrapped__.__code__}
codes |= {one.__code__ for one in vars(signals.Stopping).values() if hasattr(one, "__code__")}
seen = 0

def traced(frame, event, _):
    global seen
    if frame.f_code not in codes:
        return None
    frame.f_trace_opcodes = True
    if event == "opcode" and signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGTERM)
    return traced

ended, at = set(), 0
while seen == 0:
    at += 1
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        os.dup2(into, 2)
        sys.settrace(traced)
        code = start.main()
        sys.settrace(None)
        os._exit(code or 10 * (seen < at))
    os.close(into)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with open(out) as said:
        ended.add((status, said.read()))
    seen = status == 10
print(at, sorted(ended))
"""


def test_a_signal_between_any_two_steps_on_the_way_in_and_out_is_one_sentence(tmp_path):
    words = [sys.executable, "-c", EVERYWHERE]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    steps, ended = done.stdout.split(" ", 1)
    assert ended == f"{[(0, ''), (10, ''), (143, 'srlib: terminated' + chr(10))]}\n"
    assert int(steps) > 200


def test_an_interrupt_that_comes_before_python_is_ready_waits_until_it_is(tmp_path):
    if subprocess.run(["env", "--block-signal=INT", "true"], check=False).returncode:
        pytest.skip("env cannot block signals here")
    program = shutil.copy(LAUNCHER, tmp_path / "srlib")
    python = tmp_path / "python"
    ends = []
    for first in ("kill -INT $$", "true"):
        python.write_text(f'#!/bin/sh\n{first}\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        words = ["sh", program, "--version"]
        # a background job ignores it
        default = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, preexec_fn=default
        )
        ends.append((done.returncode, done.stdout[:5], done.stderr))
    assert ends == [(130, "", "srlib: interrupted\n"), (0, "srlib", "")]


def test_output_that_cannot_be_written_is_one_sentence():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    start = "import sys\nfrom srlib.cli.start import main\nsys.exit(main())"
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-c", start, "--help"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == WRONG_INPUT
    assert done.stderr == "srlib: standard output: No space left on device\n"


def test_what_is_temporary_goes_away_even_after_a_kill(tmp_path):
    code = "import os, signal, sys, tempfile\nfrom srlib.cli import main as module\n"
    code += "from srlib.cli.start import main\ndef run(words):\n    tempfile.mkdtemp()\n"
    code += "    if sys.argv[1] == 'kill': os.kill(os.getpid(), signal.SIGKILL)\n    return 0\n"
    code += "module._run = run\nsys.exit(main())"
    left = []
    for word in ("kill", "kill", "end"):
        command = [sys.executable, "-c", code, word]
        subprocess.run(command, env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)
        left.append(len(list(tmp_path.iterdir())))
    assert left == [1, 1, 0]


def test_a_cache_that_cannot_be_written_is_said_and_judging_goes_on(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    (tmp_path / "runs.csv").write_text("method,dataset,repetition,model\nA,d,1,x1 + 1\n")
    problems = "{schema: 1, name: p, problems: [{dataset: d, features: [x1], truth: x1}]}"
    (tmp_path / "p.yaml").write_text(problems)
    monkeypatch.chdir(tmp_path)
    words = ["assess", "runs.csv", "--problems", "p.yaml", "--jobs", "1", "--out"]
    assert main([*words, "a.parquet"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path / "file" / "cache"))
    assert main([*words, "b.parquet"]) == 0
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "SRLIB_CACHE names another folder" in said
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
