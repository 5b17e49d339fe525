"""Display names of what the rules call in one word: what people read in place of `name = value`."""

from collections.abc import Mapping

from srlib.prose import listed

READINGS: dict[str, tuple[str, dict[str, str]]] = {
    "aggregate": ("over repetitions", {"mean": "mean", "median": "median"}),
    "rank_per": ("ranked is", {"aggregate": "the value of all runs", "repetition": "each repetition"}),
    "ties": ("ties", {"dense": "share a rank, none is skipped", "min": "share their best rank",
                      "average": "share their mean rank", "max": "share their worst rank"}),
    "rank_start": ("worst rank", {}),
    "missing/incomplete": ("absent runs", {"worst_rank/floor": "worst rank, floor", "drop/rest": "left out",
                                           "worst_rank/worst_value": "worst rank, worst value"}),
    "combine": ("score", {"harmonic_then_mean": "harmonic means, then their mean", "one_harmonic": "one harmonic mean",
                          "mean": "mean of ranks"}),
    "minimal_accuracy": ("minimal accuracy", {"None": "none", "0.5": "half of the best"}),
    "round": ("rounded", {"before": "run by run", "after": "after the mean"}),
    "digits": ("decimals", {"None": "all"}),
    "relevant_features/local_optima": ("features score", {"S1": "what is left out (S1)", "S2": "what is used (S2)"}),
    "extrapolation/noise_sensitivity": ("extrapolation and noise", {"r2_extrapolation/ratio": "their own scores",
                                                                    "r2_test": "test R² again"}),
    "action": ("bad at every noise level", {"flag": "noted", "worst_rank": "worst rank"}),
    "from": ("counts", {"complexity": "the simplified model", "complexity_raw": "the text"}),
    "decimals": ("decimals of constants", {}),
    "count": ("counted", {"nodes": "nodes of the tree", "operators, features and constants": "symbols as written"}),
    "complexity": ("size of", {"simplified": "the simplified model", "text": "the text",
                               "canonical": "the shortest writing"}),
}  # fmt: skip


def reading(said: str) -> str:
    """Write a reading in words; an aspect of its own stands first, and what has no words stays as it is.

    Examples
    --------
    >>> reading("combine = one_harmonic"), reading("accuracy.round = after"), reading("all readings")
    ('score: one harmonic mean', 'accuracy rounded: after the mean', 'all readings')
    """
    name, found, value = said.partition(" = ")
    if not found:
        return said
    return f"{switch(name)}: {meant(name, value)}"


def in_words(case: Mapping[str, str]) -> str:
    """Write switches and their values, as a sentence names them.

    Examples
    --------
    >>> in_words({"rank_start": "0", "aggregate": "median"})
    '“worst rank: 0” with “over repetitions: median”'
    """
    said = [f"“{switch(name)}: {meant(name, value)}”" for name, value in case.items()]
    return " with ".join(filter(None, [*said[:1], listed(said[1:])]))


def switch(name: str) -> str:
    """Write the name of a switch, or of those that turn together, in words."""
    aspect, _, last = name.rpartition(".")
    words = READINGS.get(last, (last.replace("_", " "),))[0]
    if aspect and aspect != "noise_guard":
        words = f"{aspect.replace('_', ' ')} {words}"
    return words


def meant(name: str, value: str) -> str:
    """Write a value of a switch in words.

    Examples
    --------
    >>> meant("minimal_accuracy", "None"), meant("rank_start", "0")
    ('none', '0')
    """
    values = READINGS.get(name.rpartition(".")[2], ("", {}))[1]
    return values.get(value, value.replace("_", " "))
