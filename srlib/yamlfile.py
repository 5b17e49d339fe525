"""Reading YAML safely and strictly: YAML 1.2 values, no duplicate keys, limits, errors that name file and line."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from srlib import limits
from srlib.errors import InputError
from srlib.files import opened
from srlib.removed import KEYS, removal

Model = TypeVar("Model", bound=BaseModel)
# only its events are used: text, no objects
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TAG = "tag:yaml.org,2002:"
WORDS: dict[str, bool | None] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
WORDS |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(
    ("false", "False", "FALSE"), False
)
WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
NUMBER = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]")
MERGE = object()  # stands for the key <<
KINDS = {"str": str, "int": int, "float": float, "bool": bool, "null": type(None)}


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
        each time, so that none grows beyond what it says), how deep they nest, and the size of whole numbers.

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
        content = _Builder(path).build(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f" line {mark.line + 1}" if mark else ""
        problem = " ".join(str(error.problem or error.context or "not valid YAML").split())
        raise InputError(f"{path}{line}: {problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(
            f"{path}: not valid YAML ({' '.join(str(error).split())[:200]})"
        ) from error
    if not isinstance(content, dict):
        raise InputError(
            f"{path}: a mapping of keys to values was expected, got {type(content).__name__}"
        )
    return content


def yaml_text(content: Any) -> str:
    """Write JSON content as YAML that `load_yaml` reads as the same."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None if not text or plain(text) is text else '"'
    return dumper.represent_scalar(f"{TAG}str", text, style=style)


_Dumper.add_representer(str, _quoted)


def plain(text: str) -> Any:
    """Value of a text without quotes, by the core schema of YAML 1.2.

    Raises
    ------
    ValueError
        When it is a number that is too large.

    Examples
    --------
    >>> [plain(text) for text in ("on", "1e-3", "0x1F", "012", "2022-01-01", "~")]
    ['on', 0.001, 31, 12, '2022-01-01', None]
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if WHOLE.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        value = int(text, base) if len(text) < 100 else limits.WHOLE + 1
        if abs(value) > limits.WHOLE:
            raise ValueError(
                f"a whole number of at most {limits.WHOLE} was expected, got {text[:40]}"
            )
        return value
    if not NUMBER.fullmatch(text):
        return text
    value = float(text.replace(".i", "i").replace(".I", "i").replace(".n", "n").replace(".N", "n"))
    if value in (float("inf"), float("-inf")) and text[-1] not in "fF":
        raise ValueError(f"a number that float64 can hold was expected, got {text[:40]}")
    return value


@dataclass
class _Open:
    """A collection that is being read: what is in it, the key that waits for its value, and what is to be merged."""

    value: dict[Any, Any] | list[Any]
    anchor: str | None
    before: int
    waiting: bool = False
    key: Any = None
    merged: list[dict[Any, Any]] = field(default_factory=list)


class _Builder:
    """Values from the parser's events, counted as they come."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.line = 1
        self.count = 0
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.root: Any = None
        self.documents = 0

    def build(self, text: str) -> Any:
        for event in yaml.parse(text, Loader=LOADER):
            self.line = event.start_mark.line + 1
            if isinstance(event, yaml.ScalarEvent):
                before = self.count
                self._counted(1)
                self._placed(self._scalar(event), event.anchor, before, event.implicit[0])
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self.anchors:
                    self._refuse(f"alias *{event.anchor} stands for nothing that ends before it")
                value, size = self.anchors[event.anchor]
                self._counted(size)
                self._placed(value, None, 0)
            elif isinstance(event, yaml.CollectionStartEvent):
                mapping = isinstance(event, yaml.MappingStartEvent)
                self._tagged(event.tag, "map" if mapping else "seq")
                self.stack.append(_Open({} if mapping else [], event.anchor, self.count))
                self._counted(1)
                if len(self.stack) > limits.YAML_DEPTH:
                    self._refuse(f"values nest at most {limits.YAML_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                done = self.stack.pop()
                if done.merged and isinstance(done.value, dict):
                    further: dict[Any, Any] = {}
                    for other in reversed(done.merged):  # the first one counts
                        further |= other
                    done.value = further | done.value
                self._placed(done.value, done.anchor, done.before)
            elif isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    self._refuse("one document was expected, and here a second one begins")
        return self.root

    def _counted(self, size: int) -> None:
        self.count += size
        if self.count > limits.YAML_VALUES:
            self._refuse(
                f"at most {limits.YAML_VALUES} values were expected, those that aliases repeat among them"
            )

    def _placed(self, value: Any, anchor: str | None, before: int, bare: bool = False) -> None:
        """Put a value where it belongs: into the innermost open collection, as a key or behind one."""
        if anchor is not None:
            self.anchors[anchor] = value, self.count - before
        if not self.stack:
            self.root = value
            return
        holder = self.stack[-1]
        if isinstance(holder.value, list):
            holder.value.append(value)
        elif not holder.waiting:
            if isinstance(value, (dict, list)):
                self._refuse("a key must be a plain value, no list and no mapping")
            holder.key, holder.waiting = (MERGE if bare and value == "<<" else value), True
        elif holder.key is MERGE:
            others = value if isinstance(value, list) else [value]
            if not all(isinstance(other, dict) for other in others):
                self._refuse("<< merges mappings")
            holder.merged += others
            holder.waiting = False
        else:
            if holder.key in holder.value:
                self._refuse(f"duplicate key {str(holder.key)[:60]!r}")
            holder.value[holder.key] = value
            holder.waiting = False

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        if CONTROL.search(event.value):
            self._refuse(f"a control character stands in {event.value[:40]!r}")
        if event.tag in (None, "!"):
            if not event.implicit[0]:
                return event.value
            try:
                return plain(event.value)
            except ValueError as error:
                self._refuse(str(error))
        name = self._tagged(event.tag, *KINDS)
        if name == "str":
            return event.value
        value = plain(event.value)
        value = float(value) if name == "float" and type(value) is int else value
        if type(value) is not KINDS[name]:
            self._refuse(f"!!{name} was expected, got {event.value[:40]!r}")
        return value

    def _tagged(self, tag: str | None, *allowed: str) -> str:
        name = (tag or "!").removeprefix(TAG)
        if tag not in (None, "!") and name not in allowed:
            self._refuse(f"the tag {str(tag)[:60]!r} is not read; allowed: {', '.join(allowed)}")
        return name

    def _refuse(self, sentence: str) -> NoReturn:
        raise InputError(f"{self.source} line {self.line}: {sentence}")


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
        raise InputError(f"{source}: {_sentence(model, error)}") from error


def _sentence(model: type[BaseModel], error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    place = ".".join([part for part in first["loc"] if isinstance(part, str)][-2:])
    if first["type"] == "extra_forbidden":
        if gone := removal(KEYS, place):
            return gone
        parent = _fields_at(model, first["loc"][:-1])
        allowed = f"; allowed: {', '.join(parent)}" if parent else ""
        return f"unknown key {key!r}{allowed}"
    if first["type"] == "missing":
        return f"key {key!r} is missing"
    if gone := removal(KEYS, f"{place}: {first.get('input')}"):
        return gone
    message = first["msg"].removeprefix("Value error, ")
    got = ""
    if first["type"] != "value_error":
        got = f", got {_short(first.get('input'))}"
    return f"key {key!r}: " * bool(key) + f"{message[:1].lower()}{message[1:]}{got}"


def _short(value: Any) -> str:
    text = repr(value)
    if len(text) <= 80:
        return text
    return text[:77] + "..."


def _fields_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Names of the fields at a location of a nested model; [] where it is no model."""
    current: Any = model
    for part in location:
        fields = getattr(current, "model_fields", None)
        annotation = current
        if fields and part in fields:
            annotation = fields[part].annotation
        current = _model_in(annotation)
        if current is None:
            return []
    return sorted(getattr(current, "model_fields", {}))


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
