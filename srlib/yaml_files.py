"""Reading YAML safely and strictly: YAML 1.2 values, no duplicate keys, limits, errors that name file and line."""

import re
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from srlib import limits
from srlib.errors import InputError
from srlib.files import opened
from srlib.removed import KEYS, removal

Model = TypeVar("Model", bound=BaseModel)
PLAIN = "!plain"  # tag of a text without quotes
TAGS = {PLAIN, *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))}
WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]")


class Strict(BaseModel):
    """A part of a YAML file: frozen, and unknown keys are refused by name; the line under a key says what it means."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True
    )


def load_yaml(path: str | Path) -> dict[str, Any]:
    """Read a YAML file that holds one mapping.

    Parameters
    ----------
    path : str or Path
        A regular file within the limits of `srlib.limits`: its bytes, its values (what an alias stands for counts
        each time, so that none grows beyond its text), how deep they nest, and the size of whole numbers.

    Raises
    ------
    InputError
        When the file is missing, not text, not YAML, too large, repeats a key, or is not a mapping.
    """
    path = Path(path)
    try:
        with opened(path) as stream:
            data = stream.read(limits.YAML_BYTES + 1)
        if len(data) > limits.YAML_BYTES:
            raise InputError(
                f"{path}: a YAML file of at most {limits.YAML_BYTES} bytes was expected"
            )
        text = data.decode("utf-8-sig")
        _check_nesting(text, path)
        node = yaml.compose(text, Loader=_Loader)
        content = None if node is None else _Builder(path).build(node)[0]
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f" line {mark.line + 1}" if mark else ""
        problem = str(error.problem or error.context).removeprefix("but ")
        raise InputError(f"{path}{line}: {problem}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML ({str(error)[:200]})") from error
    if not isinstance(content, dict):
        raise InputError(
            f"{path}: a mapping of keys to values was expected, got {type(content).__name__}"
        )
    return content


BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C where it is installed


class _Loader(BASE):
    """Composes nodes; `read_scalar` decides what a text without quotes means."""

    yaml_implicit_resolvers: dict[str | None, list[Any]] = {}


_Loader.add_implicit_resolver(PLAIN, re.compile(""), None)


def _check_nesting(text: str, path: Path) -> None:
    """Refuse deep nesting while the text is scanned: composing would recurse as deep."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > limits.YAML_DEPTH:
            line = event.start_mark.line + 1
            raise InputError(f"{path} line {line}: values nest at most {limits.YAML_DEPTH} deep")


class _Builder:
    """Values of the nodes of one file.

    Each node is built once, however many aliases stand for it, and its size counts with each of them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[int, tuple[Any, int] | None] = {}  # by the node's id; None: not complete

    def build(self, node: Any) -> tuple[Any, int]:
        """Build the value of a node and count the keys and values in it, itself included."""
        if id(node) not in self.results:
            self.results[id(node)] = None
            if node.tag not in TAGS:
                self.refuse(node, f"the tag {node.tag[:60]!r} is not read; write the value alone")
            if isinstance(node, yaml.ScalarNode):
                self.results[id(node)] = self.build_scalar(node), 1
            elif isinstance(node, yaml.SequenceNode):
                parts = [self.build(part) for part in node.value]
                size = 1 + sum(size for _, size in parts)
                self.results[id(node)] = [value for value, _ in parts], size
            else:
                self.results[id(node)] = self.build_mapping(node)
        result = self.results[id(node)]
        if result is None:
            self.refuse(node, "a value cannot contain itself")
        if result[1] > limits.YAML_VALUES:
            most = f"at most {limits.YAML_VALUES} values were expected"
            self.refuse(node, f"{most}, those that aliases repeat among them")
        return result

    def build_mapping(self, node: yaml.MappingNode) -> tuple[dict[Any, Any], int]:
        """Build a mapping; keys of its own win over merged ones (<<), and the first merged mapping over later ones."""
        content: dict[Any, Any] = {}
        merged: list[Any] = []
        count = 1
        for key_node, value_node in node.value:
            (key, _), (value, size) = self.build(key_node), self.build(value_node)
            count += 1 + size
            if isinstance(key, (dict, list)):
                self.refuse(key_node, "a key must be a plain value, no list and no mapping")
            if key_node.tag == PLAIN and key == "<<":
                merged += value if isinstance(value, list) else [value]
            elif key in content:
                self.refuse(key_node, f"duplicate key {str(key)[:60]!r}")
            else:
                content[key] = value
        for mapping in merged:
            if not isinstance(mapping, dict):
                self.refuse(node, "<< merges mappings")
            content = mapping | content
        return content, count

    def build_scalar(self, node: yaml.ScalarNode) -> Any:
        """Read a single value."""
        if CONTROL.search(node.value):
            self.refuse(node, f"a control character stands in {node.value[:40]!r}")
        try:
            return read_scalar(node.value) if node.tag == PLAIN else node.value
        except ValueError as error:
            self.refuse(node, str(error))

    def refuse(self, node: Any, sentence: str) -> NoReturn:
        """Raise an error that names the file and the line."""
        raise InputError(f"{self.path} line {node.start_mark.line + 1}: {sentence}")


def read_scalar(text: str) -> Any:
    """Read a text without quotes, by the core schema of YAML 1.2.

    Raises
    ------
    ValueError
        When it is a number that is too large.

    Examples
    --------
    >>> [read_scalar(text) for text in ("on", "1e-3", "0x1F", "012", "2022-01-01", "~")]
    ['on', 0.001, 31, 12, '2022-01-01', None]
    """
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        value = int(text, base) if len(text) < 100 else limits.WHOLE + 1
        if abs(value) > limits.WHOLE:
            raise ValueError(
                f"a whole number of at most {limits.WHOLE} was expected, got {text[:40]}"
            )
        return value
    if NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    if not FLOAT.fullmatch(text):
        return text
    if abs(float(text)) == float("inf"):
        raise ValueError(f"a number that float64 can hold was expected, got {text[:40]}")
    return float(text)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """Quote a text that would be read as another value."""
    style = None if text and read_scalar(text) is text else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def yaml_text(content: Any) -> str:
    """Write JSON content as YAML that `load_yaml` reads as the same."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def validate(model: type[Model], content: Any, source: str | Path) -> Model:
    """Check YAML content against a pydantic model; the first fault becomes one sentence.

    Raises
    ------
    InputError
        Names the file and the key, says what was allowed and what came.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"{source}: {_fault_sentence(model, first)}") from error


def _fault_sentence(model: type[BaseModel], fault: Any) -> str:
    key = ".".join(map(str, fault["loc"]))
    place = ".".join([part for part in fault["loc"] if isinstance(part, str)][-2:])
    value = fault.get("input")
    if fault["type"] == "extra_forbidden":
        allowed = ", ".join(_allowed_keys(model, fault["loc"][:-1]))
        return removal(KEYS, place) or f"unknown key {key!r}" + f"; allowed: {allowed}" * bool(
            allowed
        )
    if fault["type"] == "missing":
        return f"key {key!r} is missing"
    if replacement := removal(KEYS, f"{place}: {value}"):
        return replacement
    message = fault["msg"].removeprefix("Value error, ")
    message = f"key {key!r}: " * bool(key) + message[:1].lower() + message[1:]
    if fault["type"] == "value_error":
        return message
    excerpt = repr(value)
    return f"{message}, got {excerpt if len(excerpt) <= 80 else excerpt[:77] + '...'}"


def _allowed_keys(model: Any, location: tuple[int | str, ...]) -> list[str]:
    """Names of the fields at a location of nested models; [] where there is no model."""
    for part in location:
        fields = getattr(model, "model_fields", {})
        model = _find_model(fields[part].annotation if part in fields else model)
    return sorted(getattr(model, "model_fields", {}))


def _find_model(annotation: Any) -> Any:
    """Find the model that an annotation such as `list[Model] | None` holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    parts = map(_find_model, getattr(annotation, "__args__", ()))
    return next((part for part in parts if part is not None), None)
