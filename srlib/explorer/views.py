"""What the explorer shows at once: ranking, scores as bars, a method's trace, a dataset's models, one's own place."""

from html import escape
from typing import Any

from srlib.displays import best_models, final_ranking, headline, trace_lines
from srlib.displays.tables.table import html_table
from srlib.errors import InputError, SrlibError
from srlib.explorer.scene import Scene, open_scene
from srlib.explorer.settings import Settings, load_settings, save_settings, set_aside
from srlib.judging import Judgement
from srlib.judging.robustness.improvements import improvements, would_gain
from srlib.words import listed

WIDTH, LINE = 420, 24  # pixels


def play(file: str = "", **values: Any) -> dict[str, Any]:
    """Judge with all settings and save them; give what widgets show, by widget and trait.

    Parameters
    ----------
    file : str
        Of the settings; the user's own otherwise.
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
    save_settings(settings, file)
    return {
        **{f"{name}.options": choices[name] for name in ("methods", "datasets", "properties")},
        "method.options": choices["methods"],
        "dataset.options": choices["datasets"],
        "error.value": "",
        "ranking.value": f"<h3>{escape(headline(judgement))}</h3>{under(settings)}{bars(judgement)}"
        + html_table(final_ranking(judgement), "Ranking", row_headers=2),
        "trace.value": html_table(
            trace_lines(judgement, method), f"From the runs of {method} to its scores"
        ),
        "models.value": html_table(
            best_models(judgement, dataset), f"Models on {dataset}", equations=["model"]
        ),
        "standing.value": standing(scene, judgement) if scene.own else "",
    }


def under(settings: Settings) -> str:
    """Say under which settings a ranking was made."""
    said = [f"{name} {getattr(settings, name)}" for name in ("runs", "problems", "rules")]
    said += [f"{name} = {value}" for name, value in settings.switches.items() if value != ""]
    said += [f"without {listed(names, 5)}" for names in settings.without.values() if names]
    weighed = {number: weight for number, weight in settings.weights.items() if weight != 1}
    said += [f"repetition {number} counts {weight} times" for number, weight in weighed.items()]
    if settings.own.strip():
        said.append("with runs of your own")
    return f"<p>Made with {escape(', '.join(said))}.</p>"


def reopened(file: str = "") -> tuple[Settings, dict[str, Any], str]:
    """Take the saved settings, or the defaults with a sentence where those cannot be used; the old file is kept."""
    try:
        settings = load_settings(file)
        scene = open_scene(settings.runs, settings.problems, settings.rules)
        return settings, scene.choices, "These are the settings that were saved."
    except SrlibError as error:
        kept = set_aside(file)
        said = f"The saved settings cannot be used: {error}. These are the defaults; the old ones are in {kept}."
        return Settings(), open_scene().choices, said


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


def bars(judgement: Judgement) -> str:
    """Draw the final scores, and the scores on each dataset as strokes, as SVG: in a millisecond."""
    ranking, top = judgement.ranking, max(float(judgement.datasets["score"].max()), 1e-9)
    parts = []
    for line, (method, score) in enumerate(
        zip(ranking["method"], ranking["score"].fillna(0.0).tolist(), strict=True)
    ):
        y, own = (
            line * LINE,
            judgement.datasets[judgement.datasets["method"] == method]["score"].dropna(),
        )
        strokes = "".join(f"M{200 + WIDTH * one / top:.1f} {y + 3}v16" for one in own)
        name = escape(method if len(method) < 28 else f"{method[:26]}…")
        parts.append(
            f'<text x="192" y="{y + 16}" text-anchor="end">{name}</text>'
            f'<rect x="200" y="{y + 3}" width="{WIDTH * score / top:.1f}" height="16" fill="#56b4e9"/>'
            f'<path d="{strokes}" stroke="#1b2530" stroke-opacity="0.5"/>'
        )
    said = "; ".join(f"{row.method} {row.score:.3f}" for row in ranking.itertuples())
    size = f'width="{220 + WIDTH}" height="{LINE * len(ranking)}"'
    label = f'role="img" aria-label="Final scores: {escape(said)}"'
    return f'<svg {size} {label} font-size="13" fill="currentColor">{"".join(parts)}</svg>'


def standing(scene: Scene, judgement: Judgement) -> str:
    """Say where runs of one's own rank, and which improvement would gain them a place."""
    own = judgement.ranking[judgement.ranking["method"].isin(scene.own)]
    found = improvements(judgement).table
    ways = would_gain(found[found["method"].isin(scene.own)])
    table = html_table(
        own[["rank", "method", "score"]], f"Your runs among {len(judgement.ranking)} methods"
    )
    return table + "".join(f"<p>{escape(way)}</p>" for way in ways)
