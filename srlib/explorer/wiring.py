"""Widgets and functions: whenever a control changes, the function is called with all values and its answer shown."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any

from srlib.progress import LISTENER

DIM = '<div style="opacity: 0.35" aria-busy="true">'
ELSEWHERE = "What is dim was made under other settings; what is wrong stands beside its box: "


class Watch:
    """Controls that are connected with a function, and the function with what it changes.

    From the moment a control changes until the answer is there, and after an error, what was shown before is dim.

    Parameters
    ----------
    controls : mapping
        Widgets, or mappings of widgets, by the names of the function's arguments.
    targets : mapping
        Widgets by name; `error`, an HTML widget, shows that work goes on and what is wrong in one sentence;
        `error_BOX`, where there is one, what is wrong with a box.
    function : callable
        Gives new values by widget and trait: ``{"ranking.value": "<p>..."}``.
    """

    def __init__(
        self,
        controls: Mapping[str, Any],
        targets: Mapping[str, Any],
        function: Callable[..., Mapping[str, Any]],
    ) -> None:
        self.controls, self.targets, self.function = controls, targets, function
        self.made = set[str]()  # outputs that the last answer filled
        self.beside: list[Watch] = []  # others whose turn comes later; theirs are dim meanwhile
        self.seconds = 0.0  # that the last answer took
        self.held, self.changed = False, list[Any]()

    def __call__(self, change: Any = None) -> None:
        """Work out the answer for the present values and show it."""
        self.changed.append(getattr(change, "owner", None))
        if not self.held:
            self._work()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Work once after several changes."""
        self.held = True
        try:
            yield
        finally:
            self.held = False
        if self.changed:
            self._work()

    def _work(self) -> None:
        changed, self.changed = {id(widget) for widget in self.changed}, []
        for other in self.beside:
            if changed & {id(widget) for widget in _widgets(other.controls)}:
                other.dim()
        self.dim()
        for name in self.targets:
            if name.startswith("error_"):
                self.targets[name].value = ""
        lasted = ""
        if self.seconds:
            lasted = f" (it took {self.seconds:.1f} s the last time)"
        self._say(f"Working{lasted} …")
        shown = self._answer()
        with self.hold():  # new options of a control change its value
            for name, value in {"error.value": "", **shown}.items():
                widget, _, trait = name.partition(".")
                setattr(self.targets[widget], trait, value)

    def dim(self) -> None:
        """Show that what stands there was made under other settings; controls are left alone."""
        for name in self.made:
            text = self.targets[name].value
            if isinstance(text, str) and text.startswith("<") and not text.startswith(DIM):
                self.targets[name].value = f"{DIM}{text}</div>"

    def _answer(self) -> Mapping[str, Any]:
        heard = LISTENER.set(lambda text: self._say(f"Working: {text} …"))
        started = time.monotonic()
        try:
            shown = self.function(**_values(self.controls))
        except Exception as error:  # whatever it is, nobody would see it in a widget's callback
            return self._errors(error)
        finally:
            LISTENER.reset(heard)
        self.seconds = time.monotonic() - started
        self.made.update(name[:-6] for name in shown if name.endswith(".value"))
        self.made -= {"error"}
        return shown

    def _errors(self, error: Exception) -> dict[str, str]:
        said, box = str(error) or type(error).__name__, getattr(error, "box", "")
        if not box:
            return {"error.value": alert(said)}
        beside = {}
        if f"error_{box}" in self.targets:
            beside = {f"error_{box}.value": alert(said)}
        return {**beside, "error.value": f"<p>{ELSEWHERE}{escape(box)}.</p>"}

    def _say(self, text: str) -> None:
        self.targets["error"].value = f'<p role="status">{escape(text)}</p>'


def watch(
    controls: Mapping[str, Any],
    targets: Mapping[str, Any],
    function: Callable[..., Mapping[str, Any]],
    wait: bool = False,
    after: Watch | None = None,
) -> Watch:
    """Connect controls, targets and function (see `Watch`), and work at once and at every change.

    Parameters
    ----------
    controls, targets, function
        Of `Watch`.
    wait : bool
        Work only when what is returned is called, as a button does; not at once, and not at every change.
    after : Watch, optional
        One that works first when a common control changes; it dims what this one showed.
    """
    made = Watch(controls, targets, function)
    if after is not None:
        after.beside.append(made)
    if not wait:
        for control in _widgets(controls):
            control.observe(made, "value")
        made()
    return made


def back(watching: Watch, values: Iterable[tuple[Mapping[str, Any], Any]], _: Any = None) -> None:
    """Set all controls of each mapping to a value, and work once."""
    with watching.hold():
        for controls, value in values:
            for control in controls.values():
                control.value = value


def alert(text: str) -> str:
    """Write what is wrong as HTML.

    Examples
    --------
    >>> alert("no <table>")
    '<p role="alert" style="color:#c00">no &lt;table&gt;</p>'
    """
    return f'<p role="alert" style="color:#c00">{escape(text)}</p>'


def with_text(widget: Any, text: str) -> dict[str, Any]:
    """Give what Jupyter displays of a widget, with a text for where there are no widgets."""
    return {**widget._repr_mimebundle_(), "text/plain": text}


def _values(controls: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _values(one) if isinstance(one, Mapping) else one.value
        for name, one in controls.items()
    }


def _widgets(controls: Mapping[str, Any]) -> list[Any]:
    return [
        w
        for one in controls.values()
        for w in (_widgets(one) if isinstance(one, Mapping) else [one])
    ]
