"""What was chosen, for the command line: a rules file, and the command that gives the same ranking."""

import shlex
from html import escape
from pathlib import Path
from typing import Any

from srlib.errors import InputError
from srlib.explorer.scene import Scene, open_scene
from srlib.explorer.settings import Settings
from srlib.files import write_atomically
from srlib.rules import Rules, rules_text
from srlib.yaml_files import validate


def save_rules(path: str, **values: Any) -> dict[str, str]:
    """Write the rules with the switches that were turned; give what widgets show: the command for the same ranking.

    Raises
    ------
    InputError
        When there is such a file, its name is no name of rules, or it cannot be written.
    """
    settings = Settings(**values)
    scene = open_scene(settings.runs, settings.problems, settings.rules, settings.own)
    place = Path(path)
    if not path.strip() or place.exists():
        raise InputError(
            f"{path or 'no name'}: the name of a new file was expected, as my-rules.yaml"
        )
    chosen = scene.rules.model_copy(update={"judge": scene.judge(settings)})
    source = f"own rules, begun from {scene.rules.name} in the explorer"
    named = chosen.model_dump(mode="json", by_alias=True) | {"name": place.stem}
    validate(Rules, named, place)  # its name becomes the rules' name
    write_atomically(place, rules_text(chosen, place.stem, source))
    said = "\n".join([f"{path} is written.", *command(scene, settings, path)])
    return {"saved.value": f'<pre style="white-space: pre-wrap">{escape(said)}</pre>'}


def command(scene: Scene, settings: Settings, rules: str) -> list[str]:
    """Write the command that gives the same ranking, and say what no command does."""
    methods, datasets = scene.left_out(settings)
    words = ["srlib", "score", settings.runs, "--problems", settings.problems, "--rules", rules]
    lines = [shlex.join([*words, "--out", "scores"])]
    if methods or datasets:
        lines.append("What you left out is in it: take its rows out of the table first.")
    if settings.own.strip():
        lines.append(
            "Your own runs are not in it: save them as a table and name it behind the first."
        )
    return lines
