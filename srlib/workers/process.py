"""The far side of `workers`: what runs inside a worker process, and how one is started."""

import contextlib
import ctypes
import gc
import importlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from srlib.workers.strays import adopt

SINGLE_THREAD = (
    {
        name: "1"
        for name in (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMEXPR_NUM_THREADS",
            "VECLIB_MAXIMUM_THREADS",
            "BLIS_NUM_THREADS",
        )
    }
    | {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "PYTHONHASHSEED": "0",
    }
)  # Arrow's own pool reserves a gigabyte of the addresses that are limited; sets keep one order in all workers
ANSWERED = 77  # how a fork ends that has answered
FORKS = hasattr(os, "fork")
VALUE_LIMIT = 256 * 2**20
METHOD = "spawn"
if "forkserver" in multiprocessing.get_all_start_methods():
    METHOD = "forkserver"
_servers: dict[tuple[str, ...], Any] = {}
_start_lock = threading.Lock()
_serving: list[int] = []  # this process, where it is a worker; a fork of it has another number


def server_of(preload: Sequence[str]) -> Any:
    """Give the server whose workers have these modules from the start; None where processes are spawned.

    There is one for each list: a server imports only what it knows of when it starts, and what it lacks
    every worker would import again, which takes seconds.
    """
    if METHOD == "spawn":
        return None
    from multiprocessing.forkserver import ForkServer

    modules = ("srlib.workers.process", *preload)
    if modules not in _servers:
        server = ForkServer()
        server.set_forkserver_preload(list(modules))
        _servers[modules] = server
    return _servers[modules]


def serve(pipe: Connection, memory_bytes: int | None, preload: tuple[str, ...]) -> None:
    """Answer items from the pipe, one at a time, until it closes.

    Parameters
    ----------
    pipe : Connection
        Brings (function, item, CPU seconds or 0, whether apart from others); takes None on arrival, then
        (status, value, detail).
    memory_bytes : int or None
        Limit of the address space.
    preload : tuple of str
        Modules to import first.
    """
    _confine(memory_bytes)
    _serving[:] = [os.getpid()]
    for module in preload:
        with contextlib.suppress(Exception):  # the function's own import will tell
            importlib.import_module(module)
    gc.freeze()
    while True:
        try:
            function, item, computing, apart = pipe.recv()
        except EOFError:
            return
        except BaseException as error:
            pipe.send(None)
            pipe.send_bytes(_failure(error))
            continue
        pipe.send(None)
        if apart and FORKS:
            _forked(pipe, function, item, computing)
        else:
            _answer(pipe, function, item, computing)


def _answer(pipe: Connection, function: Callable, item: Any, computing: float) -> None:
    own = os.getpid()
    with limited(computing):
        answer = _apply(function, item)
    if os.getpid() != own:  # the function forked, and this is the fork
        os._exit(0)
    pipe.send_bytes(answer)


def _forked(pipe: Connection, function: Callable, item: Any, computing: float) -> None:
    """Answer from a fork, which finds this process as it was after its imports; share its end, if it has a bad one."""
    child = os.fork()
    if child == 0:
        _mortal()
        _answer(pipe, function, item, computing)
        os._exit(ANSWERED)
    _share(os.waitpid(child, 0)[1])


def in_a_fork(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function where this worker stays as it was: in a fork, whose end it shares, if that is a bad one.

    What the fork computes counts towards what the worker may. At once where no item is worked on, or in a fork already.

    Examples
    --------
    >>> in_a_fork(divmod, 7, 2)
    (3, 1)
    """
    if not FORKS or os.getpid() not in _serving:
        return function(*arguments)
    left = signal.getitimer(signal.ITIMER_PROF)[0]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _mortal()
        with limited(left), os.fdopen(writing, "wb") as stream:
            stream.write(_apply(_attempted, (function, arguments)))
        os._exit(ANSWERED)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        answer = stream.read()
    _, status, used = os.wait4(child, 0)
    _share(status)
    if left:
        signal.setitimer(signal.ITIMER_PROF, max(left - used.ru_utime - used.ru_stime, 1e-6))
    _, value, detail = pickle.loads(answer)
    if value is None:
        raise RuntimeError(detail)
    found, error = value
    if error is not None:
        raise error
    return found


def _attempted(call: tuple[Callable[..., Any], tuple[Any, ...]]) -> tuple[Any, Exception | None]:
    function, arguments = call
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error


def _share(status: int) -> None:
    """End as a fork has ended that did not answer."""
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # SIGKILL has no other way
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    elif os.WEXITSTATUS(status) != ANSWERED:
        os._exit(os.WEXITSTATUS(status))


@contextlib.contextmanager
def limited(computing: float) -> Iterator[None]:
    """Let the system end this process once it has computed that long meanwhile; 0 sets no limit."""
    if computing:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, computing)
    yield
    if computing:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _apply(function: Callable[[Any], Any], item: Any) -> bytes:
    try:
        answer = bytes(ForkingPickler.dumps(("ok", function(item), "")))
        if len(answer) > VALUE_LIMIT:
            return _failure(MemoryError(f"the value takes more than {VALUE_LIMIT} bytes"))
        return answer
    except BaseException as error:  # SystemExit and the like are failures of the item, too
        return _failure(error)


def _failure(error: BaseException) -> bytes:
    status = "memory" if isinstance(error, MemoryError) else "error"
    try:
        text = f"{type(error).__name__}: {error}".rstrip(": ")
    except BaseException:
        text = type(error).__name__
    detail = "out of memory"
    if not (status == "memory" and text == "MemoryError"):
        detail = text[:500]
    return bytes(ForkingPickler.dumps((status, None, detail)))


def _confine(memory_bytes: int | None) -> None:
    """Make this process its own session, silent, single-threaded, limited, and mortal with its parent."""
    os.environ.update(SINGLE_THREAD)
    process: Any = multiprocessing.current_process()
    process._config["daemon"] = (
        False  # children are allowed: the whole group is killed with this process
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    if hasattr(os, "setsid"):
        os.setsid()
    adopt()
    _mortal()
    if memory_bytes is not None:
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _mortal() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: no orphan goes on burning


@contextlib.contextmanager
def started_by(server: Any) -> Iterator[None]:
    """Start processes single-threaded, with sets in one order, and without running the caller's script again in them.

    They come from a server of ours (`server_of`): one that others have started in this process has another environment.
    """
    main: Any = sys.modules["__main__"]
    module: Any = sys.modules.get("multiprocessing.forkserver")
    with _start_lock:
        spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
        environment = {name: os.environ.get(name) for name in SINGLE_THREAD}
        main.__spec__ = main.__file__ = None
        os.environ.update(SINGLE_THREAD)
        theirs = getattr(module, "connect_to_new_process", None)
        try:
            if server is not None:
                module.connect_to_new_process = server.connect_to_new_process
            yield
        finally:
            if server is not None:
                module.connect_to_new_process = theirs
            main.__spec__, main.__file__ = spec, file
            for name, value in environment.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
