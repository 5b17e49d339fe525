"""Names with letters that the figures' font lacks."""

import io
from contextlib import nullcontext

import pytest
from matplotlib.figure import Figure

from srlib.displays import lettering
from srlib.displays.lettering import fonts_kept, lettered
from srlib.displays.show import show_figure
from srlib.displays.styling import METADATA, style


def drawn(names: list[str]) -> tuple[Figure, str, list[str]]:
    """Draw a bar chart with these names on its axis; a letter that cannot be drawn is a warning."""
    with style():
        figure = Figure(layout="constrained")
        axes = figure.subplots()
        axes.barh(range(len(names)), range(len(names)))
        axes.set_yticks(range(len(names)), labels=names)
        axes.set_title(names[-1])
        key = lettered(figure)
        figure.savefig(io.BytesIO(), format="pdf")
    return figure, key, [text.get_text() for text in axes.get_yticklabels()]


def test_letters_of_the_own_font_stay():
    figure, key, names = drawn(["gplearn", "Größe", "метод"])
    assert (key, names) == ("", ["gplearn", "Größe", "метод"])
    assert figure.axes[0].yaxis.get_ticklabels()[1].get_fontfamily() == ["DejaVu Sans"]


def test_another_font_of_the_machine_has_the_letters():
    """STIX, which comes with matplotlib, has a letter that the figures' font lacks."""
    figure, key, names = drawn(["gplearn", "\u1d81eta"])
    assert (key, names) == ("", ["gplearn", "\u1d81eta"])
    assert figure.axes[0].yaxis.get_ticklabels()[1].get_fontfamily() == [
        "DejaVu Sans",
        "STIXGeneral",
    ]


@pytest.fixture(name="poor")
def poor_fixture(monkeypatch):
    """A machine without any font of Asian letters, as they are few."""
    fonts = [
        font for font in lettering.fontManager.ttflist if font.name.startswith(("DejaVu", "STIX"))
    ]
    monkeypatch.setattr(lettering.fontManager, "ttflist", fonts)
    lettering.fonts_for.cache_clear()
    yield
    lettering.fonts_for.cache_clear()


def test_without_such_a_font_names_become_numbers_with_a_key(poor):
    figure, key, names = drawn(["gplearn", "田中", "金 & co"])
    assert names == ["gplearn", "(1)", "(2)"] and figure.axes[0].get_title(loc="left") == "(2)"
    assert (
        key
        == "No font on this machine has all letters of some names, so that (1) is 田中, (2) is 金 & co."
    )


def test_the_caption_has_the_key(poor, judgement, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("srlib.displays.show.display", lambda data, **_: shown.append(data))
    figure = drawn(["gplearn"])[0]

    class Named:
        numbers, alt, figure_ = judgement.ranking, "Bars", figure

        def plot(self, width: str) -> "Named":
            self.figure_.axes[0].set_title("田中")
            return self

    show_figure(Named(), tmp_path, name="f", caption="Who wins.")
    assert (
        "Who wins. No font on this machine has all letters of some names, so that (1) is 田中."
        in shown[0]["text/plain"]
    )


def test_letters_that_were_embedded_before_are_the_same_letters():
    """A PDF is the same to the byte, whether its fonts are cut anew, kept, or kept beside others."""
    figures = {name: drawn([name])[0] for name in ("gplearn", "метод")}
    saved: dict[str, list[bytes]] = {name: [] for name in figures}
    for manage in (nullcontext, fonts_kept, nullcontext, fonts_kept):
        for name, figure in figures.items():
            buffer = io.BytesIO()
            with style(), manage():
                figure.savefig(buffer, format="pdf", metadata=METADATA["pdf"])
            saved[name].append(buffer.getvalue())
    assert all(len(set(files)) == 1 for files in saved.values())
    assert saved["gplearn"][0] != saved["метод"][0]
