"""Methods and datasets that are left out: the ranking is the explorer's for the same choice, and it is said."""

import pandas as pd
import pytest

from srlib.cli.main import WRONG_INPUT, main
from srlib.explorer.scene import open_scene
from srlib.explorer.settings import Settings

WORDS = ["score", "demo", "--problems", "synthetic-2022", "--out"]


def test_the_ranking_is_the_explorer_s(tmp_path, capsys):
    left = ["--without-method", "gplearn", "--without-dataset", "noise_easy"]
    assert main([*WORDS, str(tmp_path), *left]) == 0
    said = capsys.readouterr().out
    assert "left out on request: method gplearn\nleft out on request: dataset noise_easy\n" in said
    settings = Settings(without={"methods": ("gplearn",), "datasets": ("noise_easy",)})
    expected = open_scene().judged(settings).ranking
    found = pd.read_csv(tmp_path / "ranking.csv")
    scores, wanted = (table.set_index("method")["score"].to_dict() for table in (found, expected))
    assert scores == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (["--without-method", "nope"], "without-method: there is no method 'nope'; methods are "),
        (["--without-dataset", ""], "without-dataset: there is no dataset ''; datasets are "),
    ],
)
def test_what_is_not_there_is_a_sentence(left, said, tmp_path, capsys):
    assert main([*WORDS, str(tmp_path), *left]) == WRONG_INPUT
    assert capsys.readouterr().err.startswith(f"srlib: {said}")
    assert not list(tmp_path.iterdir())
