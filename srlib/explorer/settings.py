"""What was chosen in the explorer."""

from typing import Any, Literal, get_args, get_origin

from srlib.rules import Judge
from srlib.yaml_files import Strict

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
    method: str | None = None
    dataset: str | None = None
    text: str = "0.4*x1*x2 - 1.5*x1"
    own: str = ""
