"""Write docs/rules.md from the switches' own declarations: `python docs/rules_page.py` (make docs does it)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.files import PARAMETERS
from srlib.rules import Judge, Measure, Rules, Switch, Switches, load_rules, written
from srlib.rules.blocks import Aspect
from srlib.rules.template import allowed

PAGE = Path(__file__).with_name("rules.md")
ONE = "aspects.NAME."
INTRODUCTION = """\
# The rules, switch by switch

<!-- Made by docs/rules_page.py from srlib/rules and parameters/rules. Do not edit: run `make docs`. -->

Rules are a YAML file with two blocks. `measure` holds all that assessing a model may read: change it, and the models
are assessed again. `judge` holds all that turns assessments into a ranking: it is cheap to change. Each switch below
is explained in a line. Each of its values has the sentence that a report prints where the value is used.

*Stated in* names the document that asks for a value. Where no document does, the project had to choose, and the
reports say so. *Readings* lists the values that the switchboard of `srlib robustness` tries: those in which published
competitions or careful readers differ. *Used by* names the rules that are shipped:

"""


def page() -> str:
    """Make the whole page."""
    shipped = [load_rules(path) for path in sorted((PARAMETERS / "rules").glob("*.yaml"))]
    text = INTRODUCTION + "".join(f"- `{rules.name}`: {rules.source}\n" for rules in shipped)
    for title, block in (("measure", Measure), ("judge", Judge)):
        text += f"\n## The block `{title}`\n"
        for path, info in _switches(block):
            text += _switch(path, info, shipped)
    return text


def _switches(block: type[Switches], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, info in block.model_fields.items():
        key, kind = above + (info.alias or name), info.annotation
        if key == "aspects":
            yield from _switches(Aspect, ONE)
        elif isinstance(kind, type) and issubclass(kind, Switches):
            yield from _switches(kind, f"{key}.")
        else:
            yield key, info


def _switch(path: str, info: Any, shipped: list[Rules]) -> str:
    switch = next(found for found in info.metadata if isinstance(found, Switch))
    users: dict[str, list[str]] = {}
    for rules in shipped:
        for key, value in rules.settings.items():
            if _general(key) == path:
                users.setdefault(written(value), []).append(_with_aspect(f"`{rules.name}`", key))
    stated = dict.fromkeys(_stated(switch))
    values = dict.fromkeys([*_named(switch, info), *map(written, switch.readings), *users])
    values |= dict.fromkeys(value for value, _ in stated)
    text = f"\n### `{path}`\n\n{_cell(' '.join((info.description or '').split()))}.\n\n"
    text += "| value | what it says | stated in | used by |\n|---|---|---|---|\n"
    for value in values:
        said = _cell(switch.sentence(_read(value), path)) or "(nothing)"
        documents = ", ".join(where for one, where in stated if one == value) or "-"
        text += f"| `{value}` | {said} | {documents} | {_joined(users.get(value, []))} |\n"
    if switch.readings:
        tried = ", ".join(f"`{written(value)}`" for value in dict.fromkeys(switch.readings))
        with_others = f" (turned together: {switch.together})" if switch.together else ""
        text += f"\nReadings: {tried}{with_others}.\n"
    return text


def _named(switch: Switch, info: Any) -> list[str]:
    """Values that the declaration names, as YAML writes them."""
    says = switch.says if isinstance(switch.says, dict) else {}
    names = dict.fromkeys([*allowed(info), *(name for name in says if name)])
    if "[]" in names:
        return [name if name == "[]" else f"[{name}]" for name in names]
    return list(names)


def _stated(switch: Switch) -> Iterator[tuple[str, str]]:
    for document, value in switch.settled.items():
        if isinstance(value, dict):
            for aspect, inner in value.items():
                yield written(inner), f"{document} ({aspect})"
        else:
            yield written(value), document


def _general(key: str) -> str:
    if not key.startswith("aspects."):
        return key
    return ONE + key.split(".")[2]


def _with_aspect(name: str, key: str) -> str:
    return f"{name} ({key.split('.')[1]})" if key.startswith("aspects.") else name


def _read(value: str) -> Any:
    """Turn what is written back into what `sentence` tells apart: a list, or a text."""
    if value.startswith("["):
        return [part for part in value.strip("[]").split(", ") if part]
    return {"null": None}.get(value, value)


def _joined(names: list[str]) -> str:
    """Put the aspects of one rules file behind its name, once."""
    found: dict[str, list[str]] = {}
    for name in names:
        file, _, aspect = name.partition(" ")
        found.setdefault(file, []).extend([aspect.strip("()")] if aspect else [])
    return ", ".join(f"{n} ({', '.join(a)})" if a else n for n, a in found.items()) or "-"


def _cell(text: str) -> str:
    text = text.replace("|", "\\|").replace("*", "\\*")
    if "_" in text.partition(" ")[0]:
        return text
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
