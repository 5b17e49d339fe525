"""How sure a winner is, in one word and by a stated rule, quick enough for the first page.

Three things are asked: how often the winner wins when runs and datasets are resampled, whether turning one switch of
the rules crowns somebody else, and whether a test tells the winner from the next. `examine` looks more closely.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from pydantic import ValidationError

from srlib.comparing.statistics import differences, wilcoxon
from srlib.errors import InputError
from srlib.judging.judgement import Judgement
from srlib.judging.robustness.competition import Competition, winners
from srlib.judging.robustness.resampling import resample
from srlib.judging.robustness.switchboard import readings_of, with_switches
from srlib.judging.scoring import places
from srlib.prose import listed, percent

DRAWS, LEVEL = 200, 0.05
FIRM, OPEN = 0.95, 0.5  # shares of the draws
RULE = (
    f"firm: wins at least {FIRM:.0%} of the draws and all readings, and the test tells; "
    f"open: a shared place, less than half of the draws, or none of the three; narrow: all else"
)


@dataclass(frozen=True)
class Certainty:
    """What the word rests on.

    Parameters
    ----------
    winners : tuple of str
        Who is announced.
    share : float
        Of the draws of runs and datasets that the first of them wins; a shared win counts in parts.
    readings, lost : int
        In how many ways one switch was turned, and how many of them crown others.
    next : tuple of str
        Who follows.
    told : bool
        Whether the dataset scores tell the winner from each of them.
    draws : pandas.DataFrame or None
        The places of each method when runs and datasets are resampled (`resample`), where there are several.
    """

    winners: tuple[str, ...]
    share: float
    readings: int
    lost: int
    next: tuple[str, ...]
    told: bool
    draws: pd.DataFrame | None = field(default=None, compare=False, repr=False)

    @property
    def word(self) -> str:
        """`firm`, `narrow` or `open`, by `RULE`."""
        against = [self.share < FIRM, self.lost > 0, not self.told]
        if len(self.winners) > 1 or self.share < OPEN or all(against):
            return "open"
        if any(against):
            return "narrow"
        return "firm"

    @property
    def sentence(self) -> str:
        """Say what the word rests on; empty where nobody follows."""
        if len(self.winners) > 1:
            return f"{listed(self.winners, 3)} share the first place."
        if not self.next:
            return ""
        crowned = f"{self.lost or 'none'} of them crown{'s' * (self.lost < 2)}"
        winner, tells = listed(self.winners, 1), "tells"
        if not self.told:
            tells = "does not tell"
        return (
            f"{winner} wins {percent(self.share)} of {DRAWS} draws of other runs and datasets; one switch of the rules "
            f"can be turned in {self.readings} ways, and {crowned} somebody else; a signed-rank test over the datasets "
            f"{tells} it from {listed(self.next, 3)}."
        )

    @property
    def badge(self) -> dict[str, str]:
        """Hand over the `word`, what it rests on and the `rule`; empty where nobody follows."""
        if not self.sentence:
            return {}
        return {"word": self.word, "said": self.sentence, "rule": f"{RULE[0].upper()}{RULE[1:]}."}


def certainty(judgement: Judgement, seed: int = 0) -> Certainty:
    """Ask how sure the winner of a judgement is."""
    whole = Competition.from_judgement(judgement)
    names, place = whole.screened.methods, places(whole.steps.final)
    ranked = np.isfinite(whole.steps.final)
    first = [i for i in np.flatnonzero(ranked) if place[i] == 1]
    after = [
        i
        for i in np.flatnonzero(ranked)
        if place[i] == place[ranked & (place > 1)].min(initial=len(names) + 1)
    ]
    announced, following = (tuple(names[i] for i in which) for which in (first, after))
    if len(first) == 1 and not after:
        return Certainty(announced, 1.0, 0, 0, following, False)
    draws = resample(judgement, DRAWS, seed).table
    draws = draws[draws["resampled"] == "both"].reset_index(drop=True)
    if len(first) > 1:
        return Certainty(announced, 1.0, 0, 0, following, False, draws)
    share = float(draws.set_index("method")["p_win"][announced[0]])
    crowned = _turned_alone(whole)
    scores = whole.steps.dataset_scores
    scores = np.where(np.isnan(scores), np.fmin.reduce(scores, axis=-1, keepdims=True), scores)
    p = [wilcoxon(differences(scores[:, first[0]], scores[:, i]))[1] for i in after]
    told = all(value * (len(names) - 1) < LEVEL for value in p)
    lost = sum(name != announced[0] for name in crowned)
    return Certainty(announced, share, len(crowned), lost, following, told, draws)


def _turned_alone(whole: Competition) -> list[str]:
    """Winner of each reading in which one switch is turned and the others stay."""
    found = []
    for paths, (_, *others) in readings_of(whole).items():
        for value in others:
            try:
                judge = with_switches(whole.judge, dict(zip(paths, value, strict=True)))
                final = whole.read_as(judge).steps.final
            except (ValidationError, InputError):  # the rules refuse it
                continue
            found.append(str(winners(final[None], whole.screened.methods)[0]))
    return found
