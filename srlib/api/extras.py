"""Which extra brings a package that is not installed."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, requires

from srlib.errors import InputError

# packages whose modules bear another name
NAMES = {"ipython": "IPython", "pillow": "PIL", "scikit-learn": "sklearn", "distributed": "dask"}


def missing(module: str) -> str:
    """Say how to install what a module belongs to; empty where no extra of srlib brings it.

    Parameters
    ----------
    module : str
        Name of a module that could not be imported.

    Examples
    --------
    >>> missing("seaborn.objects")
    "seaborn is not installed: pip install 'srlib[report]' brings it"
    >>> missing("os")
    ''
    """
    wanted = module.partition(".")[0]
    try:
        stated = requires("srlib") or []
    except PackageNotFoundError:
        return ""
    for requirement in stated:
        found = re.match(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]", requirement)
        if found is None:
            continue
        name, extra = found.groups()
        if wanted in (NAMES.get(name, name.replace("-", "_")), name) and extra != "test":
            return f"{name} is not installed: pip install 'srlib[{extra}]' brings it"
    return ""


@contextmanager
def extras_named() -> Iterator[None]:
    """Turn the error of a package that is not installed into the sentence that says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if advice := missing(error.name or ""):
            raise InputError(advice) from error
        raise
