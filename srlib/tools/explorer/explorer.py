"""`Explorer`: a competition on one screen: where a method stands, what would change it, and why."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import yaml

from srlib.competition import Competition, MeasuredModel
from srlib.displays import FitDisplay, dataset_titles, html_table
from srlib.displays.tables.aspects import MOST_CELLS
from srlib.errors import SrlibError, require_known
from srlib.progress import announce
from srlib.rules import READINGS, switch_at, written
from srlib.tools.explorer import views
from srlib.tools.explorer.scenario import UNCHANGED, Scenario
from srlib.tools.explorer.table import TableWidget

POLL_S = 1.0  # between two looks at the file of own runs
QUESTION = "What if the rules were otherwise, or a method were not there?"


class Explorer:
    """A competition that can be turned in a notebook; display it as the last line of a cell.

    Parameters
    ----------
    competition : Competition
        The competition as it is.
    scenario : Scenario
        Changes to begin with; the `repr` of an explorer's `scenario` opens the same screen again.
    method : str
        Method to begin with; empty: the first of the own runs, or the last one with a place.

    Attributes
    ----------
    judgement : Judgement
        The judgement that is on the screen.
    scenario : Scenario
        The changes that are on the screen.

    Raises
    ------
    InputError
        When the own runs cannot be read, or a name or a switch of the scenario is unknown.
    NothingScoredError
        When no run of the competition can be scored.

    Examples
    --------
    >>> competition = Competition.read("demo", "synthetic-2022", qualified="demo")
    >>> explorer = Explorer(competition, Scenario(datasets=("noise_easy",), switches={"ties": "min"}))
    >>> explorer.judgement.headline
    'sparse-polynomial wins with a final score of ... over 15 datasets (synthetic-2022); pyoperon follows with ...'
    """

    def __init__(
        self, competition: Competition, scenario: Scenario = UNCHANGED, method: str = ""
    ) -> None:
        self.field = competition.assess()
        self.official = self.base = self.judgement = self.field.judge()
        self.scenario, self.dataset, self._stamp = UNCHANGED, "", find_stamp("")
        self._watching: asyncio.Task[None] | None = None
        self._is_busy, self._saved = True, dict[str, Any]()
        self._measure = lru_cache(1)(self.field.measure_model)
        self._draw = lru_cache(1)(self._draw_fits)
        self._make_controls(scenario)
        self._make_screen()
        ranked = self.official.ranking.dropna(subset="rank")["method"]
        self._offer(ranked.iloc[-1])
        self._read_runs()
        for control, names in (
            (self.methods, scenario.methods),
            (self.datasets, scenario.datasets),
        ):
            for name in names:
                require_known(name, control.options, "name")
            control.value = names
        if method:
            require_known(method, self.method.options, "method")
            self.method.value = method
        self._is_busy = False
        self.update()

    @property
    def competition(self) -> Competition:
        """The competition that is on the screen."""
        return self.scenario.apply(self.field)

    def _make_controls(self, scenario: Scenario) -> None:
        """Create the controls with the values of a scenario, and update the screen when one changes."""
        settings = self.field.rules.settings
        turned = self.field.rules.with_switches(scenario.switches).settings
        choices: dict[str, Any] = dict.fromkeys(scenario.switches, ())
        for paths, rows in READINGS.items():
            choices |= dict(zip(paths, zip(*rows, strict=True), strict=True))
        self.switches: dict[str, Any] = {}
        for path, values in choices.items():
            values = settings[path], turned[path], *values
            texts = dict.fromkeys([*switch_at(path).values, *map(written, values)])
            self.switches[path] = widgets.Dropdown(options=[*texts], value=written(turned[path]))
        for name in self.field.rules.judge.aspects:
            path = f"aspects.{name}.weight"
            self.switches[path] = widgets.FloatText(turned[path])
        for path, control in self.switches.items():
            label = path.removeprefix("aspects.").removeprefix("properties.")
            control.description = label.replace("_", " ")
            control.tooltip = switch_at(path).meaning
        hints = "my-runs.csv", "0.4*x1*x2 - 1.5*x1", "my-rules.yaml"
        self.own, self.typed, self.path = (
            widgets.Text(placeholder=hint, continuous_update=False) for hint in hints
        )
        self.own.value = scenario.own
        self.method: Any = widgets.Dropdown()
        self.methods, self.datasets = widgets.SelectMultiple(), widgets.SelectMultiple()
        labels = {
            "Your runs": self.own,
            "Method": self.method,
            "Leave out methods": self.methods,
            "Leave out datasets": self.datasets,
            "Your model": self.typed,
            "Rules file": self.path,
        }
        for label, control in labels.items():
            control.description = label
        for control in (*self.switches.values(), *labels.values()):
            control.style.description_width = "10rem"
            control.layout.width = "auto"
            control.observe(self.update, "value")

    def _make_screen(self) -> None:
        """Create what is shown, and lay it out from the first question to the last."""
        self.problem, self.verdict, self.gains = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.changes, self.fit, self.saved = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.ranking, self.losses, self.models = TableWidget(), TableWidget(), TableWidget()
        for table in (self.ranking, self.losses):
            table.observe(self._choose, "chosen")
        self.ask = self._button("What would gain a place?", self._show_gains)
        self.save = self._button("Save", self._save)
        turned = _box("controls", *self.switches.values(), self.methods, self.datasets)
        self.screen = _box(
            "explorer",
            _box("controls", self.own, self.method),
            *(self.problem, self.verdict, self.gains, self.ask),
            widgets.Accordion([turned], titles=[QUESTION]),
            self.changes,
            _box(
                "columns",
                _box("part", self.ranking, self.losses),
                _box("part", self.typed, self.fit, self.models),
            ),
            _box("controls", self.path, self.save, self.saved),
        )

    def _button(self, label: str, action: Callable[[], None]) -> widgets.Button:
        """Return a button that does something."""
        button = widgets.Button(description=label, layout={"width": "auto"})
        button.on_click(lambda _: self._guard(action))
        return button

    def _guard(self, action: Callable[[], None]) -> None:
        """Change the screen; an error is shown as a sentence, and what was shown stays."""
        self._is_busy = True
        try:
            action()
        except SrlibError as error:
            self.problem.value = views.alert(error)
        except Exception as error:
            cause = f"srlib failed ({type(error).__name__}: {error})"
            self.problem.value = views.alert(f"{cause}; the numbers are those before this change")
            raise
        finally:
            self._is_busy = False

    def update(self, _: Any = None) -> None:
        """Show what follows from the controls; the gains, which take longest, come last."""
        if not self._is_busy:
            self._guard(self._update)

    def _update(self) -> None:
        self._read_runs()
        settings = self.field.rules.settings
        values = {
            path: yaml.safe_load(str(control.value)) for path, control in self.switches.items()
        }
        switches = {path: value for path, value in values.items() if value != settings[path]}
        scenario = Scenario(self.own.value, self.methods.value, self.datasets.value, switches)
        rules, judgement = self.field.rules.with_switches(switches), self.base
        if scenario != Scenario(scenario.own):
            judgement = judgement.under(rules, scenario.methods, scenario.datasets)
        standing = judgement.standing(self.method.value)
        verdict, losses = views.verdict(standing, self.base), views.losses(standing)
        ranking = views.ranking(judgement, self.official, standing.method)
        self.judgement, self.scenario, self.standing = judgement, scenario, standing
        self.verdict.value, self.problem.value, self.gains.value = verdict, "", ""
        code = f"The same in Python: <code>{views.html_text(scenario.code)}</code>"
        self.changes.value = views.paragraphs(scenario.sentences(self.field.rules)) + code
        self.ranking.html = html_table(ranking, judgement.headline, buttons="method")
        caption = f"{standing.method} beside {standing.rival or 'nobody'}, the worst loss first"
        self.losses.html = html_table(losses, caption, buttons="dataset")
        if self._saved.get(self.path.value, rules.settings) != rules.settings:
            self.saved.value = views.status(f"{self.path.value} holds other switches; press Save.")
        self._show_dataset()
        is_large = judgement.steps.dataset_scores.size > MOST_CELLS
        self.ask.layout.display = "" if is_large else "none"
        if not is_large:
            self._show_gains()

    def _read_runs(self) -> None:
        """Judge the competition with the own runs as the rules stand, if these or their file have changed."""
        own, old_stamp = self.own.value, self._stamp
        self._stamp = find_stamp(own)
        if self._stamp == old_stamp:
            return
        self.base = self.official
        if own:
            announce(f"Reading {own} and measuring its models")
            resources = replace(self.field.resources, on_progress=self._report)
            self.problem.value = views.status(f"Reading {own}")
            self.base = replace(self.field, resources=resources).with_runs(own).judge()
        self._offer("" if own and own != old_stamp[0] else self.method.value)

    def _report(self, done: int, total: int) -> None:
        """Say how many of the own models are measured."""
        sentence = f"Measuring the models of {self.own.value}: {done} of {total}"
        self.problem.value = views.status(sentence)

    def _offer(self, method: str | None) -> None:
        """Offer the methods and datasets of the competition with its own runs; a method that is gone is no choice."""
        names = (self.base.of_all or self.base).ranking["method"]
        is_own = ~names.isin(self.official.assessments["method"])
        names, datasets = [*names[is_own], *names[~is_own]], sorted(self.base.screened.scored)
        for control, options in ((self.methods, names), (self.datasets, datasets)):
            left_out = tuple(name for name in control.value if name in options)
            control.options, control.value = options, left_out
        self.method.options = names
        self.method.value = method if method in names else names[0]

    def _show_dataset(self) -> None:
        """Show the fits and models on the chosen dataset, at first that of the worst loss."""
        if self.dataset not in self.datasets.options:
            self.dataset = [*self.standing.losses["dataset"], *self.datasets.options][0]
        dataset, method, text = self.dataset, self.standing.method, self.typed.value
        judgement = self.base if dataset in self.scenario.datasets else self.judgement
        typed, note = None, ""
        try:
            if text:
                typed = self._measure(text, dataset)
                note = views.status(" ".join(typed.sentences))
        except SrlibError as error:
            note = views.alert(error)
        models = views.models(judgement, dataset, typed)
        self.models.html = html_table(models, f"Models on {dataset_titles(self.base)[dataset]}")
        names = method, self.standing.rival
        self.fit.value = note + self._draw(self._stamp, dataset, names, typed)

    def _draw_fits(
        self, _: Any, dataset: str, names: tuple[str, ...], typed: MeasuredModel | None
    ) -> str:
        """Return the figure of the models of some methods and the typed one; it is drawn again if one has changed."""
        display = FitDisplay.from_judgement(self.base, dataset, names, typed)
        return "" if display is None or display.numbers.empty else display.to_image()

    def _show_gains(self) -> None:
        self.gains.value = views.paragraphs(self.standing.gains)

    def _choose(self, change: Any) -> None:
        """Show the method or dataset in whose row a button was pressed."""
        if change.new:
            change.owner.chosen = ""  # so that it can be pressed again
            if change.owner is self.ranking:
                self.method.value = change.new
            else:
                self.dataset = change.new
                self.update()

    def _save(self) -> None:
        """Write the switches as a rules file, which may only replace one that this explorer wrote."""
        path, rules = self.path.value, self.judgement.rules
        rules.save(path, replace=path in self._saved)
        self._saved[path] = rules.settings
        self.saved.value = views.status(f"{path} holds these rules.")

    async def watch(self) -> None:
        """Update whenever the file of own runs has changed."""
        while True:
            await asyncio.sleep(POLL_S)
            if find_stamp(self.own.value) != self._stamp:
                asyncio.get_running_loop().call_soon(self.update)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return the screen for Jupyter, and watch the file of own runs from now on."""
        if self._watching is not None:
            self._watching.cancel()
        with suppress(RuntimeError):  # outside Jupyter nothing can change while nobody looks
            self._watching = asyncio.get_running_loop().create_task(self.watch())
        bundle: Any = self.screen._repr_mimebundle_(**options)
        return bundle | {
            "text/plain": "Run this cell in JupyterLab: the explorer is made of widgets."
        }


def _box(name: str, *children: widgets.Widget) -> widgets.Box:
    """Return widgets in a box whose layout is the class of this name in explorer.css."""
    return widgets.Box(children).add_class(f"srlib-{name}")


def find_stamp(path: str) -> tuple[str, Any]:
    """Return a path with the time and size of its file, which are others once the file has changed."""
    with suppress(OSError, ValueError):
        status = Path(path).stat()
        return path, (status.st_mtime_ns, status.st_size)
    return path, None
