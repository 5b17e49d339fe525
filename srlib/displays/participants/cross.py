"""A small figure of predictions against true values, drawn in the page itself: light, dark and on paper."""

from html import escape

import numpy as np
from numpy.typing import NDArray

from srlib.words import minus

SIDE, EDGE, DOTS = 220, 12, 150


def cross(true: NDArray[np.float64], predicted: NDArray[np.float64], r2: float) -> str:
    """Draw predictions (upwards) against true values; what lies beyond the frame is a tick at its edge.

    Parameters
    ----------
    true, predicted : ndarray
        Of the same rows; of many, evenly many over the range of the true values are drawn.
    r2 : float
        As it was judged, for the caption.

    Examples
    --------
    >>> picture = cross(np.arange(3.0), np.array([0.0, 9.0, np.nan]), 0.5)
    >>> "1 of them beyond the frame, 1 without a value" in picture
    True
    """
    known = np.isfinite(true)
    true, predicted = true[known], predicted[known]
    if not len(true):
        return ""
    low, high = float(true.min()), float(true.max())
    span = (high - low) or 1.0
    low, high = low - 0.05 * span, high + 0.05 * span
    order = np.argsort(true, kind="stable")
    some = order[np.linspace(0, len(true) - 1, min(len(true), DOTS)).round().astype(int)]
    x, y = true[some], predicted[some]
    has = np.isfinite(y)
    beyond = has & ((y < low) | (y > high))
    inside = has & ~beyond
    scale = (SIDE - 2 * EDGE) / (high - low)
    across = EDGE + (x - low) * scale
    up = SIDE - EDGE - (np.clip(np.where(has, y, low), low, high) - low) * scale
    dots = "".join(f"M{a:.0f} {b:.0f}h0" for a, b in zip(across[inside], up[inside], strict=True))
    ticks = "".join(
        f"M{a:.0f} {b - 4:.0f}v8" for a, b in zip(across[beyond], up[beyond], strict=True)
    )
    counts = [f"{beyond.sum()} of them beyond the frame"] * bool(beyond.any())
    counts += [f"{(~has).sum()} without a value"] * bool((~has).any())
    of = f"{len(some)} of {len(true)}" if len(some) < len(true) else f"all {len(true)}"
    alt = ", ".join([f"{of} test rows", *counts])
    if np.isfinite(r2):
        alt += f"; test R² {r2:.3g}"
    alt = minus(f"Prediction (upwards) against truth: {alt}.")
    ends, ends_said = SIDE - EDGE, minus(f"Both axes from {low:.3g} to {high:.3g}")
    return (
        f'<figure class="cross"><svg viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{escape(alt)}">'
        f'<path class="frame" d="M{EDGE} {EDGE}H{ends}V{ends}H{EDGE}Z"/>'
        f'<path class="even" d="M{EDGE} {ends}L{ends} {EDGE}"/>'
        f'<path class="dots" d="{dots}"/><path class="out" d="{ticks}"/></svg>'
        f"<figcaption>{escape(alt)} {ends_said}; on the line they agree.</figcaption></figure>"
    )
