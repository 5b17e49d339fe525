"""Widgets of explore.ipynb, the tables that they show, and saving the chosen switches as a rules file."""

from collections.abc import Callable, Collection, Mapping
from html import escape
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import ipywidgets as widgets
from IPython.display import HTML, display

from srlib.competition import Competition
from srlib.displays import (
    Table,
    aspect_table,
    best_models,
    describe_exceptions,
    describe_improvements,
    final_ranking,
    html_table,
    ledger_table,
    standing,
)
from srlib.errors import InputError, SrlibError
from srlib.files import write_atomically
from srlib.judging import Judgement
from srlib.rules import JudgeRules, Rules, rules_text, sentence_of, switch_at, written
from srlib.tools.explorer.model_text import describe_model
from srlib.yaml_files import validate

DESCRIPTION_STYLE = {"description_width": "9rem"}


def controls_for(field: Judgement) -> dict[str, Any]:
    """Return {argument of `judge_choices`: widget}; the widgets start with the field's own values."""
    judge_rules = field.rules.judge
    controls: dict[str, Any] = {
        name: widgets.Dropdown(
            options=get_args(switch.annotation),
            value=getattr(judge_rules, name),
            tooltip=switch_at(name).meaning,
        )
        for name, switch in JudgeRules.model_fields.items()
        if get_origin(switch.annotation) is Literal
    }
    for name, aspect in judge_rules.aspects.items():
        controls[f"aspects.{name}.weight"] = widgets.FloatText(aspect.weight)
    methods, datasets = sorted(field.ranking["method"]), sorted(field.screened.scored)
    controls["without_methods"] = widgets.SelectMultiple(options=methods)
    controls["without_datasets"] = widgets.SelectMultiple(options=datasets)
    controls["own"] = widgets.Text(placeholder="my-runs.csv", continuous_update=False)
    for name, widget in controls.items():
        widget.description, widget.style = name.removeprefix("aspects."), DESCRIPTION_STYLE
        widget.layout.width = "auto"  # the width of its column
    return controls


def judge_choices(
    competition: Competition,
    own: str = "",
    without_methods: Collection[str] = (),
    without_datasets: Collection[str] = (),
    **switches: Any,
) -> Judgement:
    """Judge a competition with added runs, without some methods or datasets, and with other values of switches.

    Parameters
    ----------
    competition : Competition
        The competition whose field is explored.
    own : str
        Path of a run table that is added; empty for none.
    without_methods, without_datasets : collection of str
        Methods and datasets of the field that are left out.
    **switches
        Values of switches by path; see `Competition.with_switches`.

    Raises
    ------
    InputError
        When the table cannot be read, the switches exclude each other, or no run is left.
    NothingScoredError
        When no run can be scored.

    Examples
    --------
    >>> competition = Competition.read("demo", "synthetic-2022")
    >>> judgement = judge_choices(competition, without_datasets=["noise_easy"], ties="min")
    >>> judgement.rules.judge.ties, "noise_easy" in judgement.screened.datasets
    ('min', False)
    """
    if own:
        competition = competition.with_runs(own)
    return competition.without(without_methods, without_datasets).with_switches(switches).judge()


def connect(controls: Mapping[str, Any], show: Callable[..., None]) -> widgets.Output:
    """Return an Output that shows what `show` displays for the controls' values, updated at every change.

    An error of srlib is shown as a sentence.
    """

    def show_or_explain(**values: Any) -> None:
        try:
            show(**values)
        except SrlibError as error:
            display(HTML(f'<p role="alert">{escape(str(error))}</p>'))

    return widgets.interactive_output(show_or_explain, dict(controls))


def show_in_lab(*parts: Any) -> None:
    """Display widgets below each other; outside JupyterLab a sentence is shown in their place."""
    mime_bundle: Any = widgets.VBox(parts)._repr_mimebundle_()
    display({**mime_bundle, "text/plain": "Run the cells in JupyterLab."}, raw=True)


def show_ranking(field: Judgement, judge: Callable[..., Judgement], **values: Any) -> None:
    """Display the winner, differences from the field's rules, the ranking, the user's own methods, and the ledger."""
    judgement = judge(**values)
    old_settings = field.rules.settings
    sentences = [
        f"{path} is {written(value)}, not {written(old_settings[path])}. {sentence_of(path, value)}"
        for path, value in judgement.rules.settings.items()
        if value != old_settings[path]
    ]
    sentences += judgement.notices
    ranking = final_ranking(judgement).frame
    highest = max(1.0, ranking["score"].max())
    bars = ranking.style.hide().bar(["score"], vmin=0, vmax=highest, color="#56b4e9")
    bars = bars.format(precision=3, na_rep="–", escape="html").format_index(axis=1, escape="html")
    ledger = html_table(Table(ledger_table(judgement.ledger), row_headers=4), "The ledger in short")
    standings = "\n".join(describe_own_runs(field, judgement))
    display(
        HTML(
            f"<h3>{escape(judgement.headline)}</h3>"
            + "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
            + bars.to_html()
            + f'<pre style="white-space: pre-wrap">{escape(standings)}</pre>'
            + f"<details><summary>What did not count</summary>{ledger}</details>"
        )
    )


def describe_own_runs(field: Judgement, judgement: Judgement) -> list[str]:
    """Return sentences about each method that is not in the field: standing, reasons, and possible improvements."""
    ranking, lines = judgement.ranking, list[str]()
    own_rows = ranking[~ranking["method"].isin(field.assessments["method"])]
    for method in own_rows["method"]:
        lines += standing(judgement, method)
        lines += describe_exceptions(judgement, method)
        lines += describe_improvements(judgement, method)
    return lines


def show_dataset(judge: Callable[..., Judgement], dataset: str, **values: Any) -> None:
    """Display the best models on a dataset, and the values and points behind each method's score there."""
    judgement = judge(**values)
    models, aspects = best_models(judgement, dataset), aspect_table(judgement, dataset)
    tables = html_table(models, f"Models on {dataset}")
    display(HTML(tables + html_table(aspects, f"Values and points on {dataset}")))


def show_model(competition: Competition, text: str, dataset: str) -> None:
    """Display a typed model, its judgement and its fit on a dataset, or the place at which it cannot be parsed."""
    display(HTML(describe_model(competition, text, dataset)))


def save_rules(field: Judgement, controls: Mapping[str, Any], path: str) -> None:
    """Write the field's rules with the controls' switches as a new file; do nothing if `path` is empty.

    Raises
    ------
    InputError
        When the file exists, its name is not allowed as a name of rules, or the switches exclude each other.
    """
    if not path:
        return
    place = Path(path)
    if place.exists():
        raise InputError(f"{path}: the name of a new file was expected, this one exists")
    settings = field.rules.settings
    switches = {name: widget.value for name, widget in controls.items() if name in settings}
    rules = field.rules.with_switches(switches)
    content = rules.model_dump(mode="json", by_alias=True) | {"name": place.stem}
    validate(Rules, content, place)
    source = f"own rules, begun from {rules.name} in the explorer"
    write_atomically(place, rules_text(rules, place.stem, source))
    print(f"{path} is written.")
