"""Commands as forks of a process that has imported what they need: real processes that start in milliseconds.

A fork has a process id, a session, standard streams, a folder, an environment, limits and signals of its own, and can
be killed at any moment. What it starts with Python (the process of a page, its kernel) is a fork of the same process,
which has done nothing but import; the servers of its workers are forks of a second one, with the hash seed and the
single thread that `srlib.workers` asks for. They have the folder, the environment, the streams and the limits that they
were started with; `os.getppid` gives who asked for them, and they can be waited for.

The fixture `forks` makes forks of the pages, kernels and servers that a test starts in its own process, too. Not for
tests that signal or kill these. Where several processes share the tests, as in `make unit`, the servers are forks in
all modules but a few that are about how they start.

What a fork hides is what a process reads while Python starts and imports: PYTHONHASHSEED, LANG, MPLBACKEND,
OMP_NUM_THREADS, PYTHONPATH, a signal before the first line; a module that is missing, or that a cell uses and never
imports; what Python finds to say while it takes its modules apart. Tests of those start Python itself, and
`make nbval` runs the notebooks in kernels of their own.
"""

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import inspect
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
SIGNALS = {getattr(signal, name) for name in ("SIGINT", "SIGTERM")}
COMMANDS = (
    *("report", "run", "qualify", "assess", "score", "robustness", "compare", "equivalent"),
    *("problems", "audit", "ballot", "inference", "diff", "new"),
)
IMPORTED = (
    *("srlib.assessing", "srlib.judging.robustness", "srlib.recording.participant"),
    *("srlib.rendering", "srlib.rendering.diffpage", "srlib.audit", "srlib.ballot"),
    *("srlib.inference", "srlib.comparing.benchmark", "srlib.problems.generate"),
    *("papermill", "ipykernel.kernelapp", "sklearn.linear_model", "multiprocessing.forkserver"),
    *(f"srlib.cli.{name}" for name in COMMANDS),
)
WARM = "srlib.expressions.algebra.warm"
PYTHON = sys.executable
ENVIRONMENT = dict(os.environ)  # before a test changes it
PAGE, KERNEL = "srlib.rendering.execute", "ipykernel_launcher"
_starting = threading.Lock()
_servers: dict[tuple[str, ...], Any] = {}
# Processes that were forked for this one by another, and where their end is told.
adopted: dict[int, socket.socket] = {}
_waitpid = getattr(os, "waitpid", None)


def waitpid(pid: int, options: int) -> tuple[int, int]:
    """Wait for a process as its parent would, also for one that was forked for this one by another."""
    if pid not in adopted:
        assert _waitpid is not None
        return _waitpid(pid, options)
    if options & os.WNOHANG and not select.select([adopted[pid]], [], [], 0)[0]:
        return 0, 0
    with adopted.pop(pid) as connection:
        return pid, int(_line(connection) or 9)


def ask(address: str, job: dict[str, Any], streams: Sequence[int]) -> tuple[int, socket.socket]:
    """Ask for a fork that has these streams; give its process id and where its end will be told."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    socket.send_fds(connection, [b"."], list(streams))
    connection.sendall(json.dumps(job | {"asker": os.getpid()}).encode() + b"\n")
    return int(_line(connection)), connection


def _line(connection: socket.socket) -> bytes:
    read = b""
    while not read.endswith(b"\n"):
        if not (more := connection.recv(1 if len(read) < 16 else 2**16)):
            break
        read += more
    return read.strip()


class Forked:
    """A command that was forked; what tests need of a `subprocess.Popen`."""

    def __init__(self, pid: int, connection: socket.socket, pipes: Mapping[str, int]) -> None:
        self.pid, self.connection, self.pipes = pid, connection, dict(pipes)
        self.returncode: int | None = None

    def communicate(self, timeout: float = 300) -> tuple[str, str]:
        """Read all that it says, until it has ended and nobody else holds its streams."""
        said, until = {"stdout": b"", "stderr": b""}, time.monotonic() + timeout
        while self.pipes:
            ready = select.select(list(self.pipes.values()), [], [], until - time.monotonic())[0]
            assert ready, f"it still runs after {timeout:g} s; it said {said}"
            for name in [name for name, pipe in self.pipes.items() if pipe in ready]:
                if more := os.read(self.pipes[name], 2**16):
                    said[name] += more
                else:
                    os.close(self.pipes.pop(name))
        self.wait()
        return said["stdout"].decode(), said["stderr"].decode()

    def poll(self) -> int | None:
        """Give its exit code if it has ended."""
        if self.returncode is None and select.select([self.connection], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """Wait for its end; give its exit code, negative for a signal that ended it."""
        if self.returncode is None:
            with self.connection:
                self.returncode = os.waitstatus_to_exitcode(int(_line(self.connection) or 9))
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class Zygote:
    """A process that forks commands."""

    def __init__(self, folder: str, nursery: "Zygote | None", environment: dict[str, str]) -> None:
        self.address = str(Path(tempfile.mkdtemp(dir=folder), "s"))
        self.nursery = self.address
        if nursery:
            self.nursery = nursery.address
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.forking", self.address, self.nursery, *IMPORTED],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
            start_new_session=True,  # an interrupt is for pytest
            env=ENVIRONMENT | {"OMP_NUM_THREADS": "1"} | environment,
        )
        self.unready = 1 + (nursery is None)

    def start(
        self,
        words: Sequence[str],
        *,
        folder: Path | str = CHECKOUT,
        environment: Mapping[str, str] | None = None,
        stdout: str = "",
        stderr: str = "",
        **more: Any,
    ) -> Forked:
        """Start `srlib` with these words; streams without a path are pipes.

        More may be: `bytes` (no file gets longer), `closed` (nobody reads its output), `confined` (what root may do
        more than others is taken from it), `mark` (15 letters that it and its forks bear as a name).
        """
        self.awaited()
        theirs, pipes = [os.open(os.devnull, os.O_RDWR)], {}
        for name, path in (("stdout", stdout), ("stderr", stderr)):
            if path:
                theirs.append(os.open(path, os.O_RDWR))
            else:
                pipes[name], end = os.pipe()
                theirs.append(end)
        job = {"words": list(words), "folder": str(folder), **more}
        job |= {"home": self.address, "nursery": self.nursery}
        job |= {"environment": os.environ | dict(environment or {}), "numbers": [0, 1, 2]}
        if job.get("closed"):
            os.close(pipes.pop("stdout"))
        forked = Forked(*ask(self.address, job, theirs), pipes)
        for handle in theirs:
            os.close(handle)
        return forked

    def run(self, words: Sequence[str], **how: Any) -> tuple[int, str, str]:
        """Run `srlib`; give the exit code and what it said."""
        forked = self.start(words, **how)
        said, complaint = forked.communicate()
        assert forked.returncode is not None
        return forked.returncode, said, complaint

    def awaited(self) -> None:
        """Wait until it has imported everything."""
        while self.unready:
            assert self.process.stdout is not None and self.process.stdout.readline()
            self.unready -= 1

    def close(self) -> None:
        """End it; what it forked lives on."""
        self.process.communicate()


@functools.cache
def zygotes() -> tuple[Zygote, Zygote]:
    """Give the two of this process, with hash seeds of their own; the second one forks the servers of both."""
    from srlib.workers.process import SINGLE_THREAD

    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    folder = tempfile.TemporaryDirectory(prefix="z")
    second = Zygote(folder.name, None, SINGLE_THREAD)
    first = Zygote(folder.name, second, {})
    second.awaited()
    atexit.register(lambda: (first.close(), second.close(), folder.cleanup()))
    return first, second


@contextlib.contextmanager
def servers_forked_here() -> Iterator[None]:
    """Let servers of workers that this very process starts be forks, as those of a command are."""
    from multiprocessing import util

    from srlib.workers import process

    if not hasattr(os, "fork"):
        yield
        return
    zygotes()  # before a test asks what was started meanwhile
    _wait_for_adopted()
    with pytest.MonkeyPatch.context() as patched:
        server = functools.partial(_server_here, util.spawnv_passfds)
        patched.setattr(util, "spawnv_passfds", server)
        patched.setattr(process, "_servers", _servers)  # others start their own
        yield


@contextlib.contextmanager
def forked_here() -> Iterator[None]:
    """Let pages, kernels and servers of workers that this very process starts be forks, as those of a command are."""
    if not hasattr(os, "fork"):
        yield
        return
    child = functools.partialmethod(_child_here, subprocess.Popen._execute_child)
    with servers_forked_here(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(subprocess.Popen, "_execute_child", child)
        yield


def _wait_for_adopted() -> None:
    """Let this process wait for what others have forked for it, too."""
    os.waitpid = waitpid
    poll = subprocess.Popen._internal_poll
    poll.__defaults__ = tuple(waitpid if one is _waitpid else one for one in poll.__defaults__)
    if hasattr(subprocess, "_del_safe"):
        subprocess._del_safe.waitpid = waitpid


def _homes() -> dict[str, str]:
    with _starting:
        first, second = zygotes()
        first.awaited()
        return {"home": first.address, "nursery": second.address}


def _server_here(otherwise: Any, *given: Any) -> int:
    return _server(_homes(), otherwise, *given)


def _child_here(self: Any, otherwise: Any, *given: Any, **named: Any) -> None:
    words, job = given[0], {}
    if isinstance(words, list) and words[1:3] in (["-m", PAGE], ["-m", KERNEL]):
        job = _homes()
    _child(self, job, otherwise, *given, **named)


# What follows runs in a zygote and in its forks.


def serve(address: str) -> None:
    """Fork for everyone who asks, until standard input ends."""
    wake, told = os.pipe()
    for handle in (wake, told):
        os.set_blocking(handle, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(told)
    running: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            ready = select.select([0, wake, listener], [], [])[0]
            if 0 in ready:
                return
            if wake in ready:
                os.read(wake, 2**16)
                for pid, status in _ended():
                    with contextlib.suppress(OSError, KeyError), running.pop(pid) as connection:
                        connection.sendall(b"%d\n" % status)
            if listener in ready:
                connection = listener.accept()[0]
                _, handles, _, _ = socket.recv_fds(connection, 1, 32)
                job = json.loads(_line(connection))
                signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for handle in (wake, told):
                        os.close(handle)
                    os.setsid()  # before anyone knows it: who asks for its group must not get ours
                    connection.sendall(b"%d\n" % os.getpid())
                    for one in (listener, connection, *running.values()):
                        one.close()
                    with ended_shortly():
                        become(job, handles)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
                for handle in handles:
                    os.close(handle)
                running[pid] = connection


@contextlib.contextmanager
def ended_shortly() -> Iterator[None]:
    """End this process as Python ends, but without taking apart the thousands of modules that it shares with others."""
    try:
        yield
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        threading._shutdown()
        atexit._run_exitfuncs()
        gc.collect()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):  # Python has a word and an exit code for it
            raise end from None
        os._exit((end.code or 0) & 0xFF)


def _ended() -> Iterator[tuple[int, int]]:
    assert _waitpid is not None
    with contextlib.suppress(ChildProcessError):
        while (ended := _waitpid(-1, os.WNOHANG))[0]:
            yield ended


def become(job: dict[str, Any], handles: Sequence[int]) -> None:
    """Make this fork the process that was asked for, and run it to its end."""
    import fcntl
    import resource
    from multiprocessing import util

    aside = [fcntl.fcntl(handle, fcntl.F_DUPFD, 200) for handle in handles]
    for handle in handles:
        os.close(handle)
    for handle, number in zip(aside, job["numbers"], strict=True):
        os.dup2(handle, number)
        os.close(handle)
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["environment"])
    tempfile.tempdir = None
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(15, job.get("mark", "srlib").encode(), 0, 0, 0)
    if job.get("bytes"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["bytes"],) * 2)
    if job.get("confined") and os.geteuid() == 0:
        _confine()
    util.spawnv_passfds = functools.partial(_server, job, util.spawnv_passfds)
    subprocess.Popen._execute_child = functools.partialmethod(
        _child, job, subprocess.Popen._execute_child
    )
    os.getppid = functools.partial(_alive, job["asker"])
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    if "words" in job:
        _command(job["words"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    kind, what, *words = job["python"]
    if kind == "-c":
        sys.argv[:] = [kind, *words]
        exec(what, {"__name__": "__main__"})
    else:
        if what == KERNEL:  # it reads who started it while it is imported, which was long ago
            words.append(f"--IPKernelApp.parent_handle={os.environ.get('JPY_PARENT_PID', 0)}")
        sys.argv[:] = [what, *words]
        warnings.filterwarnings("ignore", message=".*found in sys.modules after import")
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    sys.exit()


def _alive(pid: int) -> int:
    """Give the process that asked for this one, or, once it has ended, the first one of all."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return 1
    return pid


def _command(words: Sequence[str]) -> None:
    from multiprocessing import util

    from srlib.cli import start as program

    sys.argv[:] = ["srlib", *words]
    for number in SIGNALS:
        signal.signal(number, program._end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    atexit.unregister(util._exit_function)
    code = program.main()
    atexit.register(util._exit_function)  # in the order of a process that imports it in the end
    sys.exit(code)


def _server(job: dict[str, Any], otherwise: Any, path: Any, words: Any, handles: Any) -> int:
    """Start a server of multiprocessing as a fork, in the place of `util.spawnv_passfds`."""
    if words[-2] != "-c":
        return otherwise(path, words, handles)
    numbers = sorted({0, 1, 2, *handles})
    address = job["nursery"] + "w" * (WARM in words[-1])
    return _adopted(job, address, ["-c", words[-1]], dict(zip(numbers, numbers, strict=True)))


def _child(self: Any, job: dict[str, Any], otherwise: Any, *given: Any, **named: Any) -> None:
    """Start Python as a fork, and everything else as before; in the place of `Popen._execute_child`."""
    asked = inspect.signature(otherwise).bind(self, *given, **named).arguments
    words = asked["args"]
    python = isinstance(words, list) and words[0] == PYTHON and words[1] in ("-c", "-m")
    if not job or not python:
        otherwise(self, *given, **named)
        return
    streams = {0: asked["p2cread"], 1: asked["c2pwrite"], 2: asked["errwrite"]}
    streams = {number: number if own == -1 else own for number, own in streams.items()}
    streams |= {number: number for number in asked["pass_fds"]}
    here = {
        "folder": str(asked["cwd"] or Path.cwd()),
        "environment": dict(asked["env"] or os.environ),
    }
    self.pid = _adopted(job, job["home"], words[1:], streams, here)
    self._child_created = True
    pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
    self._close_pipe_fds(*(asked[name] for name in pipes))


def _adopted(
    job: dict[str, Any],
    address: str,
    python: list[str],
    streams: Mapping[int, int],
    here: Mapping[str, Any] | None = None,
) -> int:
    """Ask for a fork that runs Python with these words, where and as this process runs."""
    now = {"folder": str(Path.cwd()), "environment": dict(os.environ), "numbers": list(streams)}
    kept = {key: value for key, value in job.items() if key not in ("words", "closed")}
    kept |= now | {"python": python} | dict(here or {})
    pid, connection = ask(address, kept, list(streams.values()))
    adopted[pid] = connection
    return pid


def _confine() -> None:
    """Give up what lets root write and read everywhere."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, data)
    for place in (0, 1, 2):
        data[place] &= ~0b110
    libc.capset(header, data)


def main() -> None:
    """Import what was named, and fork."""
    address, nursery, *modules = sys.argv[1:]
    _wait_for_adopted()
    for module in modules:
        importlib.import_module(module)
    if address == nursery and os.fork() == 0:
        importlib.import_module(WARM)
        address += "w"
    gc.freeze()
    serve(address)


if __name__ == "__main__":
    main()
