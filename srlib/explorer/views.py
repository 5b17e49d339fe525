"""What the explorer shows at once: ranking, scores as bars, a method's trace, a dataset's models, one's own place."""

from html import escape
from typing import Any

import pandas as pd

from srlib.displays import best_models, final_ranking, headline, ledger_table, trace_lines
from srlib.displays.tables.table import html_table
from srlib.errors import InputError
from srlib.explorer.chart import bars
from srlib.explorer.scene import Scene, open_scene
from srlib.explorer.settings import SWITCHES, Settings
from srlib.judging import Judgement
from srlib.judging.robustness.what_if import describe_gains, improvements
from srlib.prose import listed
from srlib.rules import sentence_of, switch_at

OWN_LINES = 8  # of the ledger, on runs of one's own


def play(**values: Any) -> dict[str, Any]:
    """Judge with all settings; give what widgets show, by widget and trait.

    Parameters
    ----------
    **values
        Those of `Settings`.

    Raises
    ------
    InputError
        One sentence: a table that is no run table, switches that exclude each other, nothing left to judge.
    """
    settings = Settings(**values)
    scene = open_scene(settings.runs, settings.problems, settings.rules, settings.own)
    choices, judgement = scene.choices, scene.judged(settings)
    method = (
        settings.method
        if settings.method in set(judgement.ranking["method"])
        else choices["methods"][0]
    )
    dataset = (
        settings.dataset if settings.dataset in choices["datasets"] else choices["datasets"][0]
    )
    made = f"<p>{escape(made_with(settings))}</p>"
    ranking, models = final_ranking(judgement), best_models(judgement, dataset)
    own = ""
    if scene.own:
        own = made + standing(scene, judgement)
    return {
        **{f"{name}.options": choices[name] for name in ("methods", "datasets", "properties")},
        "method.options": choices["methods"],
        "dataset.options": choices["datasets"],
        **{f"said_{name}.value": explained(scene, settings, name) for name in SWITCHES},
        "error.value": "",
        "ranking.value": f"<h3>{escape(headline(judgement))}</h3>{made}{bars(judgement)}"
        + html_table(ranking, "Ranking", row_headers=2),
        "ledger.value": made
        + html_table(ledger_table(judgement.ledger), "The ledger in short", row_headers=4),
        "trace.value": made
        + html_table(trace_lines(judgement, method), f"From the runs of {method} to its scores"),
        "models.value": made + html_table(models, f"Models on {dataset}", equations=["model"]),
        "standing.value": own,
        "plain.value": as_text([headline(judgement), made_with(settings)], ranking),
    }


def explained(scene: Scene, settings: Settings, switch: str) -> str:
    """Say what a switch is about, which value the rules have, and what the present one means."""
    given = getattr(scene.rules.judge, switch)
    value = settings.switches.get(switch, "")
    turned = ""
    if value in ("", given):
        value = given
    else:
        turned = f"; here <b>{escape(str(value))}</b>"
    about = switch_at(switch).meaning
    told = f"{about[0].upper()}{about[1:]}. As in the rules: <b>{escape(str(given))}</b>{turned}."
    said = f"{told} {escape(sentence_of(switch, value))}"
    return f'<div style="line-height: 1.3; font-size: 0.85em">{said}</div>'


def as_text(sentences: list[str], table: pd.DataFrame) -> str:
    """Write sentences and a table for where there are no widgets."""
    return "\n".join([*sentences, "", table.round(3).to_string(index=False, na_rep="")])


def made_with(settings: Settings) -> str:
    """Say under which settings something was made."""
    said = [f"{name} {getattr(settings, name)}" for name in ("runs", "problems", "rules")]
    said += [f"{name} = {value}" for name, value in settings.switches.items() if value != ""]
    said += [f"without {listed(names, 5)}" for names in settings.without.values() if names]
    if settings.own.strip():
        said.append("with runs of your own")
    return f"Made with {', '.join(said)}."


def uploaded(upload: Any) -> dict[str, str]:
    """Take the text of an uploaded file; give what widgets show.

    Raises
    ------
    InputError
        When it is no text.
    """
    try:
        if upload:
            return {"own.value": bytes(upload[-1]["content"]).decode("utf-8-sig")}
        return {}
    except UnicodeDecodeError:
        raise InputError("the uploaded file is no text; a run table as CSV was expected") from None


def standing(scene: Scene, judgement: Judgement) -> str:
    """Say where runs of one's own rank, what became of each, and which improvement would gain a place."""
    own = judgement.ranking[judgement.ranking["method"].isin(scene.own)]
    found = improvements(judgement).table
    ways = describe_gains(found[found["method"].isin(scene.own)])
    table = html_table(
        own[["rank", "method", "score"]], f"Your runs among {len(judgement.ranking)} methods"
    )
    lines = judgement.ledger[judgement.ledger["method"].isin(scene.own)]
    lines = lines[["dataset", "repetition", "action", "code", "detail"]]
    lines = lines.sort_values("action", key=lambda action: action != "excluded", kind="stable")
    if len(lines):
        said = f"What did not count as it came, or was noted: {len(lines)} lines"
        table += html_table(lines.head(OWN_LINES), said, row_headers=2)
    return table + "".join(f"<p>{escape(way)}</p>" for way in ways)
