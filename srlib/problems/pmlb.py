"""A folder in PMLB's layout (NAME/metadata.yaml, NAME/NAME.tsv.gz) -> problems, with formulas."""

import re
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.problems.manifest import Data, Problem
from srlib.yaml_files import load_yaml

# A line `F = mu*Nn` or `y' = x - cos(y)/x`: a name, perhaps with a prime, then the formula.
FORMULA = re.compile(r"^\s*(?P<target>[A-Za-z_]\w*'?)\s*=\s*(?P<formula>\S.*?)\s*$", re.MULTILINE)
NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
RANGE = re.compile(
    rf"^\s*(?P<name>\S+)\s+in\s+\[\s*(?P<low>{NUMBER})\s*,\s*(?P<high>{NUMBER})\s*\]\s*$",
    re.MULTILINE,
)


def read_folder(folder: Path) -> tuple[Problem, ...]:
    """Read every dataset of a folder, sorted by name.

    Raises
    ------
    InputError
        When the folder has no dataset, or a metadata file lacks its features.
    """
    names = sorted(
        p.name
        for p in folder.iterdir()
        if (p / "metadata.yaml").is_file() or (p / f"{p.name}.tsv.gz").is_file()
    )
    if not names:
        raise InputError(
            f"{folder}: no NAME/metadata.yaml and no NAME/NAME.tsv.gz, so it is no PMLB folder"
        )
    return tuple(read_dataset(folder / name) for name in names)


def read_dataset(folder: Path) -> Problem:
    """Read one dataset's metadata.

    Parameters
    ----------
    folder : Path
        Named after the dataset.

    Returns
    -------
    Problem
        With truth and domain where the description states them; its data split 75 to 25 where they are there.
    """
    path = folder / "metadata.yaml"
    content: dict[str, Any] = load_yaml(path) if path.is_file() else {}
    features = _features(content, path) if content else ()
    description = str(content.get("description") or "")
    truth = find_formula(description, features)
    data = None
    if (folder / f"{folder.name}.tsv.gz").is_file():
        data = Data(pmlb=folder.name)
    ranges = find_ranges(description)
    return Problem(
        dataset=folder.name,
        track="synthetic" if truth else "qualification",
        property="solution" if truth else None,
        family=folder.name.split("_")[0] if truth else None,
        features=features,
        target="target",
        truth=truth,
        domain={name: ranges[name] for name in features if name in ranges} or None,
        data=data,
    )


def find_formula(description: str, features: tuple[str, ...]) -> str | None:
    r"""Find the right-hand side of the one line that defines the target, or None.

    Examples
    --------
    >>> find_formula("A model.\n\n  F = mu*Nn\n\n  mu in [1.0,5.0]", ("mu", "Nn"))
    'mu*Nn'
    >>> find_formula("y' = x - cos(y)/x", ("x", "y"))
    'x - cos(y)/x'
    >>> find_formula("Data from 1989 (n = 52).", ("lugs_1989",)) is None
    True
    """
    for match in FORMULA.finditer(description):
        words = set(re.findall(r"[^\W\d]\w*", match["formula"]))
        if words & set(features) and match["target"] not in features:
            return match["formula"]
    return None


def find_ranges(description: str) -> dict[str, tuple[float, float]]:
    """Find the lines `NAME in [LOW,HIGH]`.

    Examples
    --------
    >>> find_ranges("  mu in [1.0,5.0]")
    {'mu': (1.0, 5.0)}
    """
    found = {m["name"]: (float(m["low"]), float(m["high"])) for m in RANGE.finditer(description)}
    return {name: (low, high) for name, (low, high) in found.items() if low < high}


def _features(content: dict[str, Any], path: Path) -> tuple[str, ...]:
    entries = content.get("features")
    if not isinstance(entries, list) or not all(
        isinstance(e, dict) and e.get("name") is not None for e in entries
    ):
        raise InputError(f"{path}: key 'features': a list of entries with a name was expected")
    return tuple(str(entry["name"]) for entry in entries)
