"""Widgets and functions: whenever a control changes, the function is called with all values and its answer shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any

from srlib.progress import LISTENER


class Watch:
    """Controls that are connected with a function, and the function with what it changes.

    Parameters
    ----------
    controls : mapping
        Widgets, or mappings of widgets, by the names of the function's arguments.
    targets : mapping
        Widgets by name; `error`, an HTML widget, shows that work goes on and what is wrong in one sentence.
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
        self.held = self.changed = False

    def __call__(self, change: Any = None) -> None:
        """Work out the answer for the present values and show it."""
        self.changed = True
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
        self.changed = False
        self._say("Working …")
        shown = self._answer()
        with self.hold():  # new options of a control change its value
            for name, value in {"error.value": "", **shown}.items():
                widget, _, trait = name.partition(".")
                setattr(self.targets[widget], trait, value)

    def _answer(self) -> Mapping[str, Any]:
        heard = LISTENER.set(lambda text: self._say(f"Working: {text} …"))
        try:
            return self.function(**_values(self.controls))
        except Exception as error:  # whatever it is, nobody would see it in a widget's callback
            return {"error.value": alert(str(error) or type(error).__name__)}
        finally:
            LISTENER.reset(heard)

    def _say(self, text: str) -> None:
        self.targets["error"].value = f'<p role="status">{escape(text)}</p>'


def watch(
    controls: Mapping[str, Any],
    targets: Mapping[str, Any],
    function: Callable[..., Mapping[str, Any]],
    wait: bool = False,
) -> Watch:
    """Connect controls, targets and function (see `Watch`), and work at once and at every change.

    Parameters
    ----------
    controls, targets, function
        Of `Watch`.
    wait : bool
        Work only when what is returned is called, as a button does; not at once, and not at every change.
    """
    made = Watch(controls, targets, function)
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
