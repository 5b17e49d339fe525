"""The box at the head of a page: one sentence is set large, and a long list is folded after its first lines."""

import pytest

from srlib.rendering.brief import in_short, parted

LONG = " It is not shown to differ from any other method." * 4


@pytest.mark.parametrize(
    ("answer", "first"),
    [
        ("A wins by 0.3 over 9 datasets. B does not.", "A wins by 0.3 over 9 datasets. B does not."),
        (f"A wins by 0.3 over 9 datasets.{LONG}", "A wins by 0.3 over 9 datasets."),
        (f"A wins under 9 of 10 readings, B under 1; most depends on combine.{LONG}",
         "A wins under 9 of 10 readings, B under 1."),
        (f"Dr. A's GP; v. 2 wins.{LONG}", "Dr. A's GP; v. 2 wins."),
        ("A " + 200 * "x", "A " + 200 * "x"),
    ],
)  # fmt: skip
def test_a_long_answer_is_parted_behind_its_first_sentence(answer, first):
    found = parted(answer, ["Dr. A's GP; v. 2", ""])
    written = " ".join(found).strip()
    assert found[0] == first
    assert written == answer.replace("under 1; most", "under 1. Most")


def test_a_name_keeps_its_small_letter_behind_the_first_sentence():
    found = parted(f"A wins; gplearn does not.{LONG}", ["gplearn"])
    assert found[0] == "A wins." and found[1].startswith("gplearn does not.")


@pytest.mark.parametrize("count", range(6))
def test_of_many_lines_two_are_shown(count):
    """What has to be known first stands in a list of its own, and is never folded."""
    notices = "<ul><li>known first</li></ul>"
    lines = "".join(f"<li>line {i}</li>" for i in range(count))
    page = in_short(f"{notices}<ul>{lines}</ul>", count)
    shown, _, folded = page.partition("<details>")
    assert shown.startswith(notices)
    assert (shown.count("line "), folded.count("line ")) == (
        (count, 0) if count < 4 else (2, count - 2)
    )


def test_of_long_lines_one_is_shown():
    """Four lines of the first screen are too many where the ranking has to stand there, too."""
    long = "".join(f"<li>{letter * 160}</li>" for letter in "abc")
    shown, _, folded = in_short(f"<ul><li>known first</li></ul><ul>{long}</ul>", 3).partition(
        "<details>"
    )
    assert "aaa" in shown and "bbb" not in shown
    assert folded.startswith("<summary>2 more</summary>") and "bbb" in folded and "ccc" in folded
