"""Widgets and functions: whenever a control changes, the function is called with all values and its answer shown."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from srlib.errors import SrlibError

DIM = '<div style="opacity: 0.35" aria-busy="true">'


def watch(
    controls: Mapping[str, Any],
    targets: Mapping[str, Any],
    function: Callable[..., Mapping[str, Any]],
    wait: bool = False,
) -> Callable[..., None]:
    """Connect controls with a function, and the function with what it changes.

    From the moment a control changes until the answer is there, and after an error, what was shown before is dim.

    Parameters
    ----------
    controls : mapping
        Widgets, or mappings of widgets, by the names of the function's arguments.
    targets : mapping
        Widgets by name; `error`, an HTML widget, shows what is wrong in one sentence.
    function : callable
        Gives new values by widget and trait: ``{"ranking.value": "<p>..."}``.
    wait : bool
        Call it only when what is returned is called, as a button does; not at once, and not at every change.

    Returns
    -------
    callable
        Calls the function with the present values.
    """
    made = set[str]()  # outputs that the last answer filled

    def update(_: Any = None) -> None:
        for name in made:
            _dim(targets[name])
        targets["error"].value = '<p role="status">Working …</p>'
        shown: Mapping[str, Any]
        try:
            shown = function(**_values(controls))
            made.update(name[:-6] for name in shown if name.endswith(".value"))
            made.discard("error")
        except SrlibError as error:
            shown = {"error.value": f'<p role="alert" style="color:#c00">{escape(str(error))}</p>'}
        for name, value in {"error.value": "", **shown}.items():
            widget, _, trait = name.partition(".")
            setattr(targets[widget], trait, value)

    if not wait:
        for control in _widgets(controls):
            control.observe(update, "value")
        update()
    return update


def _dim(widget: Any) -> None:
    """Show that what stands there was made under other settings; controls are left alone."""
    text = widget.value
    if isinstance(text, str) and text.startswith("<") and not text.startswith(DIM):
        widget.value = f"{DIM}{text}</div>"


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
