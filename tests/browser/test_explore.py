"""The explorer in the page: its scorer gives what `srlib score` gives, whatever is chosen."""

from pathlib import Path

import numpy as np
import pytest

import srlib.rendering
from srlib.judging import judge_runs
from srlib.judging.portable import portable
from srlib.rules import Judge
from tests.browser.choices import EXCUSED, TURNS, choices, judged, made_up, official

TEMPLATE = Path(srlib.rendering.__file__).parent / "template"
SCORE = (TEMPLATE / "explore-score.js").read_text(encoding="utf-8")
EVALUATE = """([script, all]) => {
  const scorer = new Function(script + '; return scorer')();
  return all.map(([given, cases]) => {
    const data = scorer.load(given);
    return cases.map(([judge, without]) => {
      const found = scorer.score(data, { judge, without });
      return found.refused || found.ranking.map(row => [given.methods[row.method], row.place, row.score]);
    });
  });
}"""
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def competitions():
    """The demo, and made-up ones by several rules, with one model a run or several."""
    yield judge_runs("demo"), 10, ("judging-2022",)
    several = (
        ("judging-2022", "proposal-2022"),
        ("competition-2022",),
        ("judging-2026", "competition-2023"),
    )
    for seed, rules in enumerate(several):
        yield judged(*made_up(seed, fronts=seed == 2), rules[0]), 40, rules


@pytest.fixture(name="tried", scope="module")
def tried_fixture(browser):
    """Each choice with what the page's scorer makes of it, and what srlib does."""
    generator, given, cases = np.random.default_rng(23), [], []
    for judgement, many, rules in competitions():
        data = portable(judgement)
        given.append((judgement, data))
        cases.append(choices(data, generator, many, rules))
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        ours = page.evaluate(
            EVALUATE, [SCORE, [[d, c] for (_, d), c in zip(given, cases, strict=True)]]
        )
        chromium.close()
    return [
        (judgement.rules.name, block, without, mine, official(judgement, data, block, without))
        for (judgement, data), some, found in zip(given, cases, ours, strict=True)
        for (block, without), mine in zip(some, found, strict=True)
    ]


def test_the_page_ranks_as_srlib_score_for_every_switch(tried):
    ranked = 0
    for name, block, without, mine, theirs in tried:
        about = (name, block, without, mine, theirs)
        if isinstance(theirs, str):
            assert isinstance(mine, str) and mine in theirs, about
            continue
        ranked += 1
        assert [row[:2] for row in mine] == [row[:2] for row in theirs], about
        scores = [[np.nan if row[2] is None else row[2] for row in rows] for rows in (mine, theirs)]
        assert np.allclose(*scores, rtol=1e-12, atol=1e-12, equal_nan=True), about
    assert ranked > 0.6 * len(tried)


def test_every_switch_is_turned_or_excused_by_name():
    known = {path[0] for path, _ in TURNS} | set(EXCUSED)
    assert known == {info.alias or name for name, info in Judge.model_fields.items()}


def test_the_rules_as_they_are_give_the_ranking_of_the_judgement(tried):
    given, mine = next((one[1], one[3]) for one in tried)
    ranking = judge_runs("demo").ranking
    assert given == portable(judge_runs("demo"))["judge"]
    assert [row[0] for row in mine] == ranking["method"].tolist()
    assert np.allclose([row[2] for row in mine], ranking["score"], rtol=1e-12)
