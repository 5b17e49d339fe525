"""A folder in PMLB's layout (NAME/metadata.yaml, NAME/NAME.tsv.gz) -> problems, with formulas."""

import re
from pathlib import Path

from srlib.errors import InputError
from srlib.problems.problem import Problem
from srlib.yaml_files import load_yaml, validate

# A line `F = mu*Nn` or `y' = x - cos(y)/x`: a name, perhaps with a prime, then the formula.
FORMULA = re.compile(r"^\s*(?P<target>[A-Za-z_]\w*'?)\s*=\s*(?P<formula>\S.*?)\s*$", re.MULTILINE)
NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"^\s*(\S+)\s+in\s+\[\s*({NUMBER})\s*,\s*({NUMBER})\s*\]\s*$", re.MULTILINE)


def read_folder(folder: Path) -> tuple[Problem, ...]:
    """Read every dataset of a folder, sorted by name.

    Raises
    ------
    InputError
        When the folder has no dataset, or a metadata file lacks its features.
    """
    names = sorted(
        path.name
        for path in folder.iterdir()
        if (path / "metadata.yaml").is_file() or (path / f"{path.name}.tsv.gz").is_file()
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
    features, description = tuple[str, ...](), ""
    if path.is_file():
        content = load_yaml(path)
        description = str(content.get("description") or "")
        try:
            features = tuple(str(entry["name"]) for entry in content["features"])
        except (KeyError, TypeError) as error:
            raise InputError(
                f"{path}: key 'features': a list of entries with a name was expected"
            ) from error
    entry = {"dataset": folder.name, "features": features, "target": "target"}
    entry["track"] = "qualification"
    if truth := find_formula(description, features):
        family = folder.name.split("_")[0]
        entry |= {"track": "synthetic", "property": "solution", "family": family, "truth": truth}
    ranges = find_ranges(description)
    if domain := {name: ranges[name] for name in features if name in ranges}:
        entry["domain"] = domain
    if (folder / f"{folder.name}.tsv.gz").is_file():
        entry["data"] = {"pmlb": folder.name}
    return validate(Problem, entry, path)


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
    ranges = {name: (float(low), float(high)) for name, low, high in RANGE.findall(description)}
    return {name: (low, high) for name, (low, high) in ranges.items() if low < high}
