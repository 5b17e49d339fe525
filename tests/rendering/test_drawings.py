"""Drawings on pages: what the files hold is what is drawn, and nothing of it runs, asks or breaks out."""

import re
from urllib.parse import unquote
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest

from srlib.displays.figures.matrix import heat
from srlib.displays.styling import style
from srlib.rendering.drawings import PAGE, drawing

HOSTILE = "]]><script>alert(1)</script> & ' \u202e<image href='https://example.org/x.png'/>"
OWN = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 2'>{}</svg>"


def drawn(draw, folder):
    """Draw with matplotlib, and give the file and what a page holds of it."""
    with style():
        figure, axes = plt.subplots(figsize=(3, 2))
        draw(axes)
        figure.savefig(folder / "f.svg")
    plt.close(figure)
    text = (folder / "f.svg").read_text(encoding="utf-8")
    address, shape = drawing(text)
    assert abs(shape - 2 / 3) < 0.01
    kind, _, svg = address.partition(",")
    assert kind == "data:image/svg+xml" and not re.search(r'["<>\s&]', address)
    return text, unquote(svg)


def colours(svg):
    """Colours in the light and in the dark, by class."""
    light, _, dark = svg.partition("@media screen and (prefers-color-scheme:dark)")
    rules = [dict(re.findall(r"\.(_[a-z]+)\{([^}]*)\}", part)) for part in (light, dark)]
    return {name: (said, rules[1].get(name, said)) for name, said in rules[0].items()}


def test_a_drawing_keeps_every_path_and_follows_the_page_into_the_dark(tmp_path):
    text, svg = drawn(lambda axes: axes.plot([0, 1, 3], [2, 1, 5], "o-", color="#0072b2"), tmp_path)
    before, after = ElementTree.fromstring(text), ElementTree.fromstring(svg)
    for tag in ("path", "use", "clipPath"):
        found = [
            len(root.findall(f".//{{http://www.w3.org/2000/svg}}{tag}")) for root in (before, after)
        ]
        assert found[0] == found[1] > 0, tag
    ids = {element.get("id") for element in after.iter()} - {None}
    assert ids == set(re.findall(r"#(_[a-z]+)", svg))
    rules = " ".join(b for _, b in colours(svg).values())
    assert PAGE in rules and "#ffffff" not in rules and "#1f2933" not in rules
    assert len(svg) < 0.6 * len(text)


def test_cells_of_heat_maps_and_the_letters_on_them_stay(tmp_path):
    def draw(axes):
        heat(axes, [[0.1, 0.9]], ["a"], ["b", "c"], annot=True, vmin=0, vmax=1)

    _, svg = drawn(draw, tmp_path)
    stays = {a for a, b in colours(svg).values() if a == b}
    assert {"fill:#262626", "fill:#ffffff"} <= stays
    assert sum(bool(re.fullmatch("fill:#[0-9a-f]{6}", said)) for said in stays) == 4
    # the figure turns dark, and the ground of the cells does not: there an absent cell stands beside near-white ones
    dark = [word for word, (_, said) in colours(svg).items() if said == f"fill:{PAGE}"]
    assert len(dark) == 1 and svg.count(f"class='{dark[0]}'") == 1


@pytest.mark.parametrize("fonts", ["path", "none"])
def test_hostile_names_leave_nothing_in_a_drawing(tmp_path, fonts):
    def draw(axes):
        plt.rcParams["svg.fonttype"] = fonts
        axes.set_title(HOSTILE)
        axes.plot([1, 2], label=HOSTILE, gid=HOSTILE, url="https://example.org/")

    _, svg = drawn(draw, tmp_path)
    assert not re.search(r"script|https?://(?!www\.w3\.org/2000/svg)|alert|\u202e", svg)


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<image href='https://example.org/x.png'/>",
        "<image xmlns:x='http://www.w3.org/1999/xlink' x:href='https://example.org/x.png'/>",
        "<foreignObject><b>x</b></foreignObject>",
        "<a href='https://example.org'><text>x</text></a>",
        "<g onload='alert(1)'/>",
    ],
)
def test_what_no_figure_has_goes(inside):
    svg = unquote(drawing(OWN.format(f"{inside}<path d='M 0 0 L 1 1'/>"))[0])
    assert "<path d='M0,0L1,1'/>" in svg and not re.search(
        "script|example|alert|foreign|onload", svg
    )
