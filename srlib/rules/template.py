"""The text of a rules file to change: every switch with its value, and beside it what it means and what is allowed."""

import re
from types import NoneType
from typing import Any, get_args

from srlib.rules.file import Rules
from srlib.rules.switch import Switch, Switches, written

WIDTH = 36


def rules_text(rules: Rules, name: str, source: str) -> str:
    """Write rules as a file of one's own; it claims no document as its source.

    Parameters
    ----------
    rules : Rules
        Whose values are taken.
    name, source : str
        Of the new file.
    """
    lines = ["# Every switch with its meaning and the values that it may have.", "schema: 1"]
    lines += [f"name: {name}", f'source: "{source}"']
    for block in ("measure", "judge"):
        lines += [f"{block}:", *_block(getattr(rules, block), "  ")]
    return "\n".join(lines) + "\n"


def _block(block: Switches, indent: str) -> list[str]:
    lines = []
    for name, info in type(block).model_fields.items():
        value, key = getattr(block, name), info.alias or name
        if isinstance(value, Switches):
            lines += [f"{indent}{key}:", *_block(value, indent + "  ")]
        elif isinstance(value, dict):
            lines.append(f"{indent}{key}:")
            for part, inner in value.items():
                lines += [f"{indent}  {part}:", *_block(inner, indent + "    ")]
        else:
            said = re.sub(r"\s+", " ", info.description or "")
            choices = allowed(info)
            said += f" ({' | '.join(choices)})" if choices else ""
            lines.append(f"{indent}{key}: {_quoted(value)} ".ljust(WIDTH) + f"# {said}")
    return lines


def allowed(info: Any) -> list[str]:
    """Values that a switch names, as YAML writes them; empty where it takes any number or text."""
    switch = next(m for m in info.metadata if isinstance(m, Switch))
    found, kinds = [], [info.annotation]
    while kinds:
        kind = kinds.pop(0)
        found += [written(v) for v in get_args(kind) if isinstance(v, str | int)]
        kinds += [v for v in get_args(kind) if not isinstance(v, str | int)]
    optional = NoneType in get_args(info.annotation)
    named = [] if isinstance(switch.says, str) or not found else found
    if named and optional:
        return [*named, "null"]
    return named


def _quoted(value: Any) -> str:
    text = written(value)
    return f'"{text}"' if isinstance(value, str) and re.search(r"[:#,]", text) else text
