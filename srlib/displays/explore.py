"""The explorer of a page: what its script needs, and the switches that a reader may turn, as they are declared."""

import json
from html import escape
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from IPython.display import display

from srlib.displays.bundles import EXPLORER
from srlib.files import write_atomically
from srlib.judging.portable import SIZES, portable
from srlib.letters import seen
from srlib.rules import Aspect, Judge, declared, written

FILE = "explorer.json"
TITLES = {
    "Scores and weights": ("combine", "aspects.*.weight"),
    "Ranks": ("ties", "rank_start", "rank_per", "minimal_accuracy"),
    "Absent runs": ("missing", "incomplete", "repetitions"),
    "From runs to a value": ("aggregate", "aspects.*.digits", "aspects.*.round", "aspects.*.from",
                             "aspects.*.transform", "aspects.*.base", "aspects.*.direction"),
    "Properties and noise": ("properties.*", "noise_guard.*"),
    "Several models a run, and defects of 2022": ("candidate", "quirks"),
}  # fmt: skip
ELSEWHERE = {
    "tracks": "the datasets of another track are not on the page",
    "qualification": "the ranking does not depend on it",
    "real_world": "the ranking does not depend on it",
}
LIMITS: dict[str, tuple[float | None, float | None, bool]] = {  # least, most, whole numbers
    "repetitions": (1, None, True),
    "minimal_accuracy": (0, 1, False),
    "min_accuracy": (None, None, False),
    "base": (1.0001, None, False),
    "digits": (0, 12, True),
    "weight": (0, None, False),
}
TOLD = (
    "What is measured on a model (the switches of the measure block) cannot be changed here: that takes "
    "another srlib assess. Nothing here is official."
)
TOO_MANY = (
    "These are too many runs for a page that ranks them anew. srlib score does it by any rules, with --without-method "
    "and --without-dataset, and so does explore.ipynb in JupyterLab."
)


def show_explorer(judgement: Any, output: Path) -> None:
    """Show what a reader may change on the page itself; a sentence where there are too many runs for that.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        What is ranked anew.
    output : Path
        The numbers go into its explorer.json, which the renderer puts into the page.
    """
    data = portable(judgement)
    if not data:
        display({"text/html": f"<p>{TOO_MANY}</p>", "text/plain": TOO_MANY}, raw=True)
        return
    data |= {"switches": switches(data), "rules": judgement.rules.name}
    data["shown"] = {
        "methods": [seen(name) for name in data["methods"]],
        "datasets": [seen(one["name"]) for one in data["datasets"]],
    }
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    write_atomically(output / FILE, text)
    shown = {"text/html": f"<p>{escape(TOLD)}</p>", "text/plain": TOLD}
    display({**shown, EXPLORER: {"files": [FILE], "said": TOLD}}, raw=True)


def switches(data: dict[str, Any]) -> list[dict[str, Any]]:
    """List the switches that change something here, in groups, with what they and their values mean."""
    groups = []
    for title, patterns in TITLES.items():
        found = [one for pattern in patterns for one in _switches(pattern, data)]
        if found:
            groups.append({"title": title, "switches": found})
    return groups


def _switches(pattern: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    first, *rest = pattern.split(".")
    block = data["judge"][first]
    if first == "quirks":
        paths = [["quirks", name] for name in _quirks(data)]
    elif first == "aspects":
        paths = [["aspects", name, rest[-1]] for name in block if rest[-1] in block[name]]
    elif rest:
        paths = [[first, name] for name in block]
    else:
        paths = [[first]]
    return [one for path in paths if (one := _switch(path, data))]


def _quirks(data: dict[str, Any]) -> list[str]:
    """Name the defects that can be found in these data."""
    even = any(name.endswith(" even") for name in data["scores"].get("relevant_features", ()))
    here = {
        "even_features_irrelevant": even,
        "noise_base_as_easy": bool(data["least"]),
        "seir_left_out": any(one["seir"] for one in data["datasets"]),
    }
    return [name for name, there in here.items() if there]


def _switch(path: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """Describe a switch; empty where it has but one value here."""
    if path[0] == "quirks":
        says = declared(Judge, "quirks")[0].sentence([path[1]], "quirks")
        texts = {
            "values": [False, True],
            "labels": ["no", "yes"],
            "says": [f"If yes: {says}", says],
        }
        return {"path": path, "label": path[1].replace("_", " "), "meaning": "A defect.", **texts}
    block, name = declared(Judge, ".".join(path)), path[-1]
    about = {"path": path, "label": _label(path), "meaning": f"{block[1].capitalize()}."}
    values = _values(path, data)
    if values is None:
        least, most, whole = LIMITS[name]
        none = NoneType in get_args(_annotation(path))
        return about | {"least": least, "most": most, "whole": whole, "none": none}
    if len(values) < 2:
        return {}
    says = [block[0].sentence(value, ".".join(path)) for value in values]
    return about | {"values": values, "labels": [written(v) for v in values], "says": says}


def _label(path: list[str]) -> str:
    """Name a switch as a reader would."""
    last = path[-1].replace("_", " ")
    if path[0] == "aspects":
        return f"{seen(path[1])}: {last}"
    if path[0] == "noise_guard":
        return f"noise guard: {last}"
    return last


def _annotation(path: list[str]) -> Any:
    """Look up the type of a switch."""
    block: Any = Judge
    if path[0] == "aspects":
        block, path = Aspect, path[2:]
    for name in path:
        fields = {info.alias or field: info for field, info in block.model_fields.items()}
        block = fields[name].annotation
    return block


def _values(path: list[str], data: dict[str, Any]) -> list[Any] | None:
    """List the values that a switch can have here; None where it is a number."""
    kind, name = _annotation(path), path[-1]
    ruled = data["judge"]
    if path[0] == "aspects":
        aspect = ruled["aspects"][path[1]]
        sized = aspect["from"] in SIZES
        if name == "from" and sized:
            return [*SIZES]
        fixed = name == "direction" and aspect["from"] == "property"
        if fixed or (name in ("from", "transform", "base") and not sized):
            return [aspect[name]]
        if name == "direction":
            return ["higher", "lower"]
    if name in LIMITS and path[0] != "noise_guard":
        return None
    if path[0] == "properties":
        known = data["scores"].get(name, {})
        return [v for v in get_args(kind) if v in known or (v == "ratio" and known)]
    noisy = "noise_sensitivity" in data["scores"]
    if path[0] == "noise_guard" and not noisy:
        return [ruled["noise_guard"][name]]
    if name in LIMITS:
        return None
    if name == "candidate" and not data["candidates"]:
        return [ruled["candidate"]]
    if name == "combine" and any(a["from"] != "value" for a in ruled["aspects"].values()):
        return [value for value in get_args(kind) if value != "values"]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    some = next(one for one in get_args(kind) if get_origin(one) is Literal)
    return [*get_args(some), None]
