"""The final scores as bars, drawn as SVG in a millisecond, with an axis that says which way is better."""

from html import escape

import numpy as np
import pandas as pd

from srlib.displays.styling import COLOURS
from srlib.judging import Judgement

LEFT, WIDTH, LINE = 200, 420, 24  # pixels


def bars(judgement: Judgement) -> str:
    """Draw the final scores: with the scores on each dataset as strokes, or, where scores are means of ranks, as sums.

    A stroke is one dataset; a part of a sum is what an aspect, with its weight, brings.
    """
    ranking, shares = judgement.ranking, parts(judgement)
    top = float(ranking["score"].max())
    if shares.empty:
        top = float(judgement.datasets["score"].max())
    if not top > 0:
        top = 1.0
    drawn = []
    for line, (method, score) in enumerate(
        zip(ranking["method"], ranking["score"].fillna(0.0).tolist(), strict=True)
    ):
        y = line * LINE + 3
        name = escape(method if len(method) < 28 else f"{method[:26]}…")
        drawn.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>')
        if method in shares.index:
            drawn.append(_stacked(shares.loc[method], y, top))
            continue
        rows = judgement.datasets[judgement.datasets["method"] == method]["score"].dropna()
        strokes = "".join(f"M{LEFT + WIDTH * one / top:.1f} {y}v16" for one in rows)
        length = WIDTH * max(score, 0) / top
        drawn.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="16" fill="#56b4e9"/>')
        drawn.append(f'<path d="{strokes}" stroke="#1b2530" stroke-opacity="0.5"/>')
    foot = len(ranking) * LINE + 4
    drawn.append(_axis(top, foot, list(shares.columns)))
    said = "; ".join(f"{row.method} {row.score:.3f}" for row in ranking.itertuples())
    size = f'width="{LEFT + WIDTH + 20}" height="{foot + 44 + 22 * bool(len(shares))}"'
    label = f'role="img" aria-label="Final scores, higher is better: {escape(said)}"'
    return f'<svg {size} {label} font-size="13" fill="currentColor">{"".join(drawn)}</svg>'


def parts(judgement: Judgement) -> pd.DataFrame:
    """Share a final score out among the aspects: methods by aspects, adding up to it; empty where it is no sum."""
    block = judgement.rules.judge
    if block.combine != "mean":
        return pd.DataFrame()
    keys = ["method", "dataset"]
    aspects = judgement.aspects.assign(
        weight=judgement.aspects["aspect"].map({n: a.weight for n, a in block.aspects.items()})
    )
    aspects["weight"] = aspects["weight"].where(aspects["aspect_rank"].notna())
    aspects["part"] = aspects["aspect_rank"] * aspects["weight"]
    aspects["part"] /= aspects.groupby(keys)["weight"].transform("sum")
    datasets = judgement.datasets[judgement.datasets["score"].notna()]
    share = datasets.assign(share=datasets.get("weight", 1.0))[[*keys, "share"]]
    share["share"] /= share.groupby("method")["share"].transform("sum")
    both = aspects.drop(columns="weight").merge(share, on=keys)
    both["part"] *= both["share"]
    return both.pivot_table("part", "method", "aspect", aggfunc="sum")


def _stacked(shares: pd.Series, y: int, top: float) -> str:
    drawn, x = [], float(LEFT)
    for number, (aspect, part) in enumerate(shares.items()):
        width = WIDTH * float(part) / top
        colour = COLOURS[number % len(COLOURS)]
        drawn.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="16" fill="{colour}" stroke="#fff">'
            f"<title>{escape(str(aspect))}: {part:.3f}</title></rect>"
        )
        x += width
    return "".join(drawn)


def _axis(top: float, y: int, aspects: list[str]) -> str:
    step = 10.0 ** np.floor(np.log10(top))
    step = next(one for one in (step / 5, step / 2, step, 2 * step) if top / one <= 6)
    drawn = [f'<path d="M{LEFT} {y}h{WIDTH}" stroke="currentColor"/>']
    for number in range(int(top / step + 1e-9) + 1):
        x = LEFT + WIDTH * number * step / top
        drawn.append(f'<path d="M{x:.1f} {y}v4" stroke="currentColor"/>')
        drawn.append(
            f'<text x="{x:.1f}" y="{y + 18}" text-anchor="middle">{number * step:g}</text>'
        )
    said = "final score, higher is better; a stroke is the score on one dataset"
    if aspects:
        said = "final score, higher is better; a part is what an aspect brings to it"
    drawn.append(f'<text x="{LEFT}" y="{y + 38}">{said}</text>')
    x = LEFT
    for number, aspect in enumerate(aspects):
        drawn.append(
            f'<rect x="{x}" y="{y + 46}" width="12" height="12" fill="{COLOURS[number % len(COLOURS)]}"/>'
            f'<text x="{x + 16}" y="{y + 57}">{escape(aspect)}</text>'
        )
        x += 30 + 8 * len(aspect)
    return "".join(drawn)
