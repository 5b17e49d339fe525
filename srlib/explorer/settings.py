"""The state of the explorer, kept in a file, so that it survives its kernel."""

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from srlib.files import cache_folder, write_atomically
from srlib.rules import Judge
from srlib.yamlfile import Strict, load_yaml, validate

SWITCHES: dict[str, tuple[Any, ...]] = {
    name: get_args(field.annotation)
    for name, field in Judge.model_fields.items()
    if get_origin(field.annotation) is Literal
}  # switches of the judge block that have a few values


class Settings(Strict):
    """What was chosen in the explorer.

    Parameters
    ----------
    runs, problems, rules : str
        Paths, or names of shipped files.
    switches : dict
        Values of `SWITCHES`; empty: as in the rules.
    without : dict of str to tuple of str
        What is left out of the `methods`, `datasets` and `properties`.
    weights : dict of str to int
        How often the runs of a repetition count, by its number; 1 where nothing is said.
    method, dataset : str or None
        Whose trace is shown, and which dataset.
    text, own : str
        The model that was typed, and the table of one's own runs.

    Examples
    --------
    >>> Settings(switches={"ties": "min"}).rules
    'judging-2022'
    """

    runs: str = "demo"
    problems: str = "synthetic-2022"
    rules: str = "judging-2022"
    switches: dict[str, Any] = {}
    without: dict[str, tuple[str, ...]] = {}
    weights: dict[str, int] = {}
    method: str | None = None
    dataset: str | None = None
    text: str = "0.4*x1*x2 - 1.5*x1"
    own: str = ""


def load_settings(path: str | Path = "") -> Settings:
    """Read the settings; the defaults where none were saved. An empty path means a file in the user's cache folder.

    Raises
    ------
    InputError
        When the file holds something else.
    """
    place = _place(path)
    if place.is_file():
        return validate(Settings, load_yaml(place), place)
    return Settings()


def save_settings(settings: Settings, path: str | Path = "") -> None:
    """Write the settings as JSON, in full or not at all."""
    write_atomically(_place(path), settings.model_dump_json(indent=1) + "\n")


def set_aside(path: str | Path = "") -> Path:
    """Keep settings that cannot be used under another name."""
    place = _place(path)
    return place.replace(place.with_suffix(".old.json"))


def _place(path: str | Path) -> Path:
    if path:
        return Path(path)
    return cache_folder() / "explorer.json"
