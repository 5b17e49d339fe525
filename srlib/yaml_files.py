"""Read YAML safely and strictly: YAML 1.2 values, no duplicate keys, limits of size, errors with file and line.

Parameters of notebooks, which suites state, are checked here, too.
"""

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from srlib import limits
from srlib.errors import InputError
from srlib.files import open_file

Model = TypeVar("Model", bound=BaseModel)
Text = Annotated[str, Field(min_length=1, max_length=5000)]
PLAIN = "!plain"  # tag of a text without quotes in YAML
TAGS = {PLAIN, *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))}
WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
TOO_MANY_VALUES = "at most {} values were expected, those that aliases repeat among them"
# types that a notebook's parameter may have besides its own: a text may stand for a list, and a number may be None
ALLOWED_TYPES: dict[Any, Any] = {list: list | str, int: int | None, float: float | None}
CONTROL_CHARACTER = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]")


class Strict(BaseModel):
    """Base class of the parts of YAML files: frozen, without unknown keys; docstrings below keys describe them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _name_unknown_key(cls, content: Any) -> Any:
        """Raise ValueError for an unknown key, with the list of allowed keys."""
        keys = sorted(field.alias or name for name, field in cls.model_fields.items())
        for key in content if isinstance(content, dict) else ():
            if key not in keys:
                raise ValueError(f"unknown key {key!r}; allowed: {', '.join(keys)}")
        return content


class About(Strict):
    """Statements of a file about the competition itself, in the order of the pages; they decide no number."""

    date: Text | None = None
    """when the competition takes place or took place; stands on the pages"""
    deadline: Text | None = None
    """until when runs are taken; stands on the pages"""
    contact: Text | None = None
    """whom to ask; stands on the pages"""
    description: Text | None = None
    """what the competition is about; stands on the pages"""

    def about(self) -> dict[str, str]:
        """Return the statements that the file makes, by key."""
        return {key: text for key in About.model_fields if (text := getattr(self, key))}


def load_yaml(path: str | Path) -> dict[str, Any]:
    """Return the mapping in a YAML file.

    Parameters
    ----------
    path : str or Path
        A regular file within `srlib.limits`: bytes, number of values (the value of an alias counts each time, so that
        aliases cannot multiply), depth of nesting, and size of whole numbers.

    Raises
    ------
    InputError
        When the file is missing, not text, not YAML, too large, repeats a key, or is not a mapping.
    """
    path = Path(path)
    try:
        with open_file(path) as stream:
            data = stream.read(limits.YAML_BYTES + 1)
        if len(data) > limits.YAML_BYTES:
            raise InputError(
                f"{path}: a YAML file of at most {limits.YAML_BYTES} bytes was expected"
            )
        text = data.decode("utf-8-sig")
        _check_size(text)
        node = yaml.compose(text, Loader=_Loader)
        content = node and _read_node(node, itertools.count())
    except RecursionError as error:  # nested aliases, or a value that contains itself
        raise InputError(
            f"{path}: values that nest at most {limits.YAML_DEPTH} deep were expected"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or error).removeprefix("but ")
        raise InputError(f"{path}{line}: {problem}") from error
    if not isinstance(content, dict):
        came = type(content).__name__ if content else "nothing"
        raise InputError(f"{path}: a mapping of keys to values was expected, got {came}")
    return content


BASE: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # the faster loader in C if it is installed


class _Loader(BASE):
    """Loader that composes nodes; `read_scalar` decides what a text without quotes means."""

    yaml_implicit_resolvers: dict[str | None, list[Any]] = {}


_Loader.add_implicit_resolver(PLAIN, re.compile(""), None)


def _yaml_error(sentence: str, node: yaml.Node | yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=sentence, problem_mark=node.start_mark)


def _check_size(text: str) -> None:
    """Raise an error for deep nesting or too many values while scanning, before nodes of that size are composed."""
    depth = count = 0
    for event in yaml.parse(text, Loader=_Loader):
        count += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > limits.YAML_DEPTH:
            raise _yaml_error(
                f"values that nest at most {limits.YAML_DEPTH} deep were expected", event
            )
        if count > limits.YAML_VALUES:
            raise _yaml_error(TOO_MANY_VALUES.format(limits.YAML_VALUES), event)


def _read_node(node: Any, counter: Iterator[int]) -> Any:
    """Return the value of a node; an alias is read and counted each time it occurs."""
    if next(counter) > limits.YAML_VALUES:
        raise _yaml_error(TOO_MANY_VALUES.format(limits.YAML_VALUES), node)
    if node.tag not in TAGS:
        raise _yaml_error(f"the tag {node.tag[:60]!r} is not read; write the value alone", node)
    if isinstance(node, yaml.SequenceNode):
        return [_read_node(item, counter) for item in node.value]
    if isinstance(node, yaml.ScalarNode):
        if CONTROL_CHARACTER.search(node.value):
            raise _yaml_error(f"a control character stands in {node.value[:40]!r}", node)
        if node.tag != PLAIN:
            return node.value
        try:
            return read_scalar(node.value)
        except ValueError as error:
            raise _yaml_error(str(error), node) from error
    content: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = _read_node(key_node, counter)
        if isinstance(key, dict | list):
            raise _yaml_error("a key must be a plain value, no list and no mapping", key_node)
        if key in content:
            raise _yaml_error(f"duplicate key {str(key)[:60]!r}", key_node)
        content[key] = _read_node(value_node, counter)
    return content


def read_scalar(text: str) -> Any:
    """Return the value of a text without quotes by the core schema of YAML 1.2.

    Raises
    ------
    ValueError
        When the text is a number that is too large.

    Examples
    --------
    >>> [read_scalar(text) for text in ("on", "1e-3", "0x1F", "012", "2022-01-01", "~")]
    ['on', 0.001, 31, 12, '2022-01-01', None]
    """
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        if len(text) > 100 or abs(int(text, base)) > limits.WHOLE_NUMBER:
            raise ValueError(
                f"a whole number of at most {limits.WHOLE_NUMBER} was expected, got {text[:40]}"
            )
        return int(text, base)
    if NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    if not FLOAT.fullmatch(text):
        return text
    if math.isinf(float(text)):
        raise ValueError(f"a number that float64 can hold was expected, got {text[:40]}")
    return float(text)


class _Dumper(yaml.SafeDumper):
    """Dumper that writes texts with `_represent_text`."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """Return the YAML node of a text, in quotes if it would otherwise be read as another value."""
    style = None if text and read_scalar(text) is text else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def yaml_text(content: Any) -> str:
    """Return JSON content as YAML, which `load_yaml` reads back unchanged."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def validate(model: type[Model], content: Any, source: str | Path) -> Model:
    """Return YAML content, or the bytes of a JSON file, as a pydantic model.

    Raises
    ------
    InputError
        For the first fault; the message names file and key, what was allowed and what was found.
    """
    try:
        if isinstance(content, bytes):
            return model.model_validate_json(content)
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"{source}: {_fault_sentence(first)}") from error


def _fault_sentence(fault: Any) -> str:
    key = ".".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        return f"key {key!r} is missing"
    message = fault["msg"].removeprefix("Value error, ")
    message = (message[:1].lower() + message[1:]).replace("tuple", "list")
    if key:
        message = f"key {key!r}: {message}"
    if fault["type"] == "value_error":
        return message
    return f"{message}, got {repr(fault['input'])[:80]}"


def check_parameter(name: str, kind: Any, value: Any) -> None:
    """Raise InputError if a value does not have the annotated type of its parameter.

    Raises
    ------
    InputError
        The parameter, what was allowed, and the value. `ALLOWED_TYPES` lists which other types are allowed.

    Examples
    --------
    >>> check_parameter("seeds", int, "abc")
    Traceback (most recent call last):
        ...
    srlib.errors.InputError: seeds: input should be a valid integer, got 'abc'
    """
    adapter = TypeAdapter(ALLOWED_TYPES.get(kind, kind), config=ConfigDict(strict=True))
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        fault = error.errors()[0] | {"loc": ()}
        raise InputError(f"{name}: {_fault_sentence(fault)}") from error
