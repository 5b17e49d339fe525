"""What every block of switches is made of, and what is declared of a switch beside its type and its meaning."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from srlib.yaml_files import Strict

Share = Annotated[float, Field(ge=0, le=1)]
Digits = Annotated[int, Field(ge=0, le=12)]
DOCUMENTS = (
    "judging criteria",
    "dataset properties",
    "proposal",
    "SRBench",
    "published code",
    "competition 2023",
)


class Switches(Strict):
    """A block of switches; the line under each says what it means."""

    model_config = ConfigDict(use_attribute_docstrings=True)


@dataclass(frozen=True)
class Switch:
    """What is declared of a switch, once; pages, tables, the switchboard and templates are made from it.

    Parameters
    ----------
    says : str or mapping of str to str
        What a page says of the value, by the value as YAML writes it, or one text for all; `{}` stands for the value,
        `{aspect}` for the aspect's name. The key '' stands for all values that are not named.
    settled : mapping of str to Any
        The value that a document of `DOCUMENTS` states; of an aspect's switch, by the aspect's name.
    readings : tuple
        Values in which published competitions, or readers of a document, differ; the switchboard turns to each.
    together : str
        Switches of one name turn together, reading by reading.
    """

    says: str | Mapping[str, str]
    settled: Mapping[str, Any] = field(default_factory=dict)
    readings: tuple[Any, ...] = ()
    together: str = ""

    def sentence(self, value: Any, path: str) -> str:
        """Say what the value means, in the place of the switch at `path`."""
        if isinstance(self.says, str):
            said = self.says
        elif isinstance(value, list | tuple):
            named = [self.says.get(name, self.says.get("", "").format(name)) for name in value]
            said = " ".join(named) or self.says["[]"]
        else:
            said = self.says.get(written(value), self.says.get("", ""))
        return said.format(written(value), aspect=_aspect(path))

    def stated(self, document: str, path: str) -> tuple[bool, Any]:
        """Whether a document settles the switch at `path`, and the value that it states."""
        if document not in self.settled:
            return False, None
        value = self.settled[document]
        if not path.startswith("aspects."):
            return True, value
        return _aspect(path) in value, value.get(_aspect(path))


def written(value: Any) -> str:
    """Write a value as YAML does.

    Examples
    --------
    >>> written(None), written("mean"), written(("a", "b")), written(5.0)
    ('null', 'mean', '[a, b]', '5')
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str):
        return value
    return json.dumps(value)


def declared(block: type[BaseModel], path: str) -> tuple[Switch, str]:
    """Look up a switch and its meaning, dotted where it is nested; aspects have any name."""
    first, *rest = path.split(".")
    fields = {info.alias or name: info for name, info in block.model_fields.items()}
    info = fields[first]
    if rest:
        inner: Any = get_args(info.annotation)[1] if first == "aspects" else info.annotation
        return declared(inner, rest[-1])
    switch = next(m for m in info.metadata if isinstance(m, Switch))
    return switch, " ".join((info.description or "").split())


def leaves(block: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """All switches of a block with their values, dotted where they are nested.

    Examples
    --------
    >>> list(leaves({"ties": "dense", "noise_guard": {"action": "flag"}}))
    [('ties', 'dense'), ('noise_guard.action', 'flag')]
    """
    for name, value in block.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


def _aspect(path: str) -> str:
    parts = path.split(".")
    if parts[0] == "aspects":
        return parts[1]
    return ""
