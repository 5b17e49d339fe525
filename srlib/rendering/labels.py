"""How names are printed: a suite's file of labels, the looks of methods that follow from it, and names nobody reads."""

import unicodedata
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from srlib.errors import InputError
from srlib.metrics import METRICS
from srlib.prose import listed
from srlib.yaml_files import Strict

LONGEST_TEXT = 60  # letters of a printed name


def check_text(text: str) -> str:
    """Return a text for readers, on one line and in the normal form of Unicode; raise ValueError if it is none."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    is_visible = all(unicodedata.category(letter)[0] != "C" for letter in text)
    if not (is_visible and 0 < len(text) <= LONGEST_TEXT):
        raise ValueError(
            f"a text of 1 to {LONGEST_TEXT} letters without control characters was expected, got {text[:80]!r}"
        )
    return text


def check_colours(palette: Any) -> Any:
    """Return the name of a palette, or colours; raise ValueError if they are unknown."""
    from srlib.displays.styling import colours  # loads matplotlib

    try:
        colours(palette, 99)
    except InputError as error:
        raise ValueError(str(error).removeprefix("palette: ")) from error
    return palette


Text = Annotated[str, AfterValidator(check_text)]


class Label(Strict):
    """How a name is printed; a text alone is its `print`."""

    print: Text | None = None
    """the name as readers see it, in figures, tables and sentences; else the name itself"""
    group: Text | None = None
    """group of a method, such as genetic programming"""
    symbolic: bool = True
    """whether a method is symbolic; if one of them is not, the names of those that are end in *"""
    colour: Annotated[str, AfterValidator(lambda colour: check_colours([colour])[0])] | None = None
    """colour of a method, such as "#0072B2"; else the colours of the style, by the order of the labels"""

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, content: Any) -> Any:
        return {"print": content} if isinstance(content, str) else content


class LabelsFile(Strict):
    """Content of a file of labels."""

    schema_: Literal[1] = Field(alias="schema")
    """version of this layout: 1"""
    labels: dict[str, Label]
    """a text or a label for each method, dataset, property or metric, by its name in the files; methods get their looks
    in this order, those without a label after them"""


def looks_of(
    labels: Mapping[str, Label], methods: Collection[str], datasets: Collection[str]
) -> dict[str, Any]:
    """Return what labels state for figures: `order`, `names`, `groups`, `colours` of a `srlib.displays.styling.Style`.

    The order has all labelled names but datasets and metrics, then the other methods: a method that is labelled has the
    same place with and without runs.

    Parameters
    ----------
    labels : dict of str to Label
        Labels of methods, datasets, properties and metrics, by name.
    methods, datasets : collection of str
        Names in the run tables.

    Raises
    ------
    InputError
        When two of these names would be printed alike.

    Examples
    --------
    >>> looks_of({"gp": Label(print="GP"), "ols": Label(symbolic=False)}, ["gp", "ols"], [])["names"]
    {'gp': 'GP*'}
    """
    names, groups, colours = (
        {name: text for name, label in labels.items() if (text := getattr(label, key))}
        for key in ("print", "group", "colour")
    )
    if plain := {name for name, label in labels.items() if not label.symbolic}:
        names |= {name: f"{names.get(name, name)}*" for name in methods if name not in plain}
    owners: dict[str, str] = {}
    for name in [*labels, *methods, *datasets]:
        owner = owners.setdefault(text := names.get(name, name), name)
        if owner != name:
            raise InputError(f"{owner!r} and {name!r} would both be printed as {text!r}")
    without_look = {*METRICS, *datasets}
    order = dict.fromkeys([name for name in [*labels, *methods] if name not in without_look])
    return {"order": list(order), "names": names, "groups": groups, "colours": colours}


def describe_unread(labels: Collection[str], names: Collection[str]) -> str:
    """Return a sentence on labels that are not among the names that reports read; empty without any.

    Examples
    --------
    >>> describe_unread(["gpleran", "deap"], {"gplearn", "deap"})
    'no report reads gpleran. Did you mean gplearn?'
    """
    free = sorted({*names} - {*labels})
    if not (unread := [name for name in labels if name not in names]):
        return ""
    sentence = f"no report reads {listed(unread, 5)}."
    if matches := [match for name in unread for match in get_close_matches(name, free, 1)]:
        sentence += f" Did you mean {listed(matches, 5)}?"
    return sentence
