"""Write docs/rules.md from the switches' own declarations: `python docs/rules_page.py` (make docs does it)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srlib.rules import (
    ASPECT_READINGS,
    READINGS,
    JudgeRules,
    MeasureRules,
    sentence_of,
    shipped_rules,
    shipped_statements,
    switch_at,
    written,
)
from srlib.rules.judge import Aspect
from srlib.yaml_files import Strict

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
    text = INTRODUCTION
    text += "".join(f"- `{name}`: {rules.source}\n" for name, rules in shipped_rules().items())
    for title, block in (("measure", MeasureRules), ("judge", JudgeRules)):
        text += f"\n## The block `{title}`\n" + "".join(map(_section, _paths(block)))
    return text


def _paths(block: Any, above: str = "") -> Iterator[str]:
    for name, info in block.model_fields.items():
        path, kind = above + (info.alias or name), info.annotation
        if path == "aspects":
            yield from _paths(Aspect, ONE)
        elif isinstance(kind, type) and issubclass(kind, Strict):
            yield from _paths(kind, f"{path}.")
        else:
            yield path


def _section(path: str) -> str:
    switch, users, documents = switch_at(path), dict[str, list[str]](), dict[str, list[str]]()
    for name, rules in shipped_rules().items():
        for key, value in rules.settings.items():
            if _general(key) == path:
                users.setdefault(written(value), []).append(_with_aspect(f"`{name}`", key))
    for document, statements in shipped_statements().items():
        for key, value in statements.items():
            if _general(key) == path:
                documents.setdefault(value, []).append(_with_aspect(document, key))
    of_aspects = {
        (f"{ONE}{key}",): tuple((value,) for value in values)
        for key, values in ASPECT_READINGS.items()
    }
    groups = READINGS | of_aspects
    together = next((paths for paths in groups if path in paths), ())
    readings = dict.fromkeys(written(row[together.index(path)]) for row in groups.get(together, ()))
    names = [name for name in switch.sentences if name != "else"]
    if "[]" in names:
        names = ["[]", *(f"[{name}]" for name in (*switch.values, *names) if name != "[]")]
    text = f"\n### `{path}`\n\n{_cell(switch.meaning)}.\n\n"
    text += "| value | what it says | stated in | used by |\n|---|---|---|---|\n"
    for value in dict.fromkeys([*names, *readings, *users, *documents]):
        sentence = _cell(sentence_of(path, _read(value))) or "(nothing)"
        stated = ", ".join(documents.get(value, [])) or "-"
        text += f"| `{value}` | {sentence} | {stated} | {_joined(users.get(value, []))} |\n"
    if readings:
        with_others = f" (turned together: {'/'.join(together)})" if len(together) > 1 else ""
        text += f"\nReadings: {', '.join(f'`{value}`' for value in readings)}{with_others}.\n"
    return text


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
