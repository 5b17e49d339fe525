"""What numbers mean: whole once for a suite, for each rules that its reports are judged by."""

from bs4 import BeautifulSoup

from srlib.displays.tables.answer import _rules
from srlib.rendering.numbers import heads_of, numbers_html, numbers_of_all
from srlib.rules import load_rules


def handed(name: str, rules: str) -> dict:
    said = {"name": "", "switches": []}
    if rules:
        said = _rules(load_rules(rules))
    return {"name": name, "rules": said}


def test_once_for_each_rules_with_every_switch():
    reports = [handed("a", "judging-2022"), handed("b_c", "judging-2026"), handed("d", "")]
    reports.append(handed("e", "judging-2022"))
    soup = BeautifulSoup(numbers_of_all(reports), "html.parser")
    assert [h2.get_text() for h2 in soup.find_all("h2")] == [
        "How each number is made: judging-2022",
        "How each number is made: judging-2026",
    ]
    for details, names in zip(soup.find_all("details"), (["a", "e"], ["b_c"]), strict=True):
        assert [a["href"] for a in details.p.find_all("a")] == [f"{name}.html" for name in names]
        told = [code.get_text() for code in details.select(".switches code")]
        stated = next(r for r in reports if r["name"] == names[0])["rules"]["switches"]
        assert sorted(told) == sorted(f"{row['switch']}: {row['value']}" for row in stated)
    assert not soup.find(popover=True) and not soup.find("button")
    assert numbers_of_all(reports[2:3]) == ""


def test_every_heading_has_one_meaning():
    html = numbers_html(handed("a", "judging-2022"))
    opened = set(heads_of(html).values())
    assert opened == {one["id"] for one in BeautifulSoup(html, "html.parser").select("[popover]")}
    assert heads_of(html)["mean accuracy points"] == "rule-aspect-rank"
