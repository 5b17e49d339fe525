"""A comparison in words: direction, size and doubt of what is found, and what these data could not have told."""

from collections.abc import Sequence

import pandas as pd

from srlib.comparing.comparison import Comparison
from srlib.comparing.statistics import smallest_p
from srlib.prose import listed

CORRECTED = {
    "holm": "after Holm's correction",
    "bonferroni": "after Bonferroni's correction",
    "none": "without correction",
}


def headline(told: Comparison) -> str:
    """Say who leads and how many it is shown to be better than; or that nobody leads, or nothing could be shown."""
    if len(told.ranking) < 2:
        return "One method alone cannot be compared."
    return " ".join([_leader(told), _pairs(told)])


def details(told: Comparison) -> list[str]:
    """Say more: the closest rival, groups, units, what is missing, and the test of all methods."""
    if len(told.ranking) < 2:
        return []
    said = [
        _rival(told),
        _groups(told),
        _unit(told),
        _missing(told),
        _without(told),
        _overall(told),
    ]
    return [sentence for sentence in said if sentence]


def _leader(told: Comparison) -> str:
    metric, table = told.metric, told.ranking
    extreme = "highest" if metric.direction == "higher" else "lowest"
    first, score = told.leaders, table["score"].iloc[0]
    if not first:
        return (
            "Nobody leads: no dataset has a value of every method, and what is missing is left out."
        )
    count = int(table["n_datasets"].iloc[0])
    shared = f"the {count} of {len(told.values)} datasets that all methods have"
    over = f"{count} dataset{'s' * (count != 1)}" if count == len(told.values) else shared
    value = f"{metric.centre} {metric.label}, {score:.3f} over {over}"
    if len(first) > 1:
        return f"Nobody leads: {listed(first, 5)} share the {extreme} {value}."
    lacking = table["missing"].iloc[0]
    absent = f", with {lacking:.0%} of its own values missing" if lacking else ""
    return f"{first[0]} has the {extreme} {value}{absent}."


def _pairs(told: Comparison) -> str:
    pairs = told.pairs
    tested = int(pairs["p_value"].notna().sum())
    of = f"{tested} of {len(pairs)}" if 0 < tested < len(pairs) else f"{len(pairs)}"
    how = f"{CORRECTED[told.adjust]} for {of} pair{'s' * (len(pairs) > 1)}"
    if not told.possible:
        what = "sources of datasets"
        if not told.by_source:
            what = f"dataset{'s' * (told.units > 1)}"
        return (
            f"With {told.units} {what} no two methods could be told apart {how}: the smallest p-value possible is "
            f"{smallest_p(told.units, told.tests):.2g}, and it takes at least {told.needed} datasets."
        )
    if len(told.leaders) != 1:
        count = int((pairs["better"] != "").sum())
        return f"Of {len(pairs)} pair{'s' * (len(pairs) > 1)} {count} differ ({told.test_name}, {how})."
    own = told.against(told.leaders[0])
    states = {name: list(rows["method_b"]) for name, rows in own.groupby("state")}
    words = {"better": "better than", "equivalent": "equivalent to", "worse": "worse than",
             "undecided": "not shown to differ from"}  # fmt: skip
    parts = [
        f"{word} {_some(states[state], len(own))}"
        for state, word in words.items()
        if state in states
    ]
    return f"It is {', '.join(parts)} ({told.test_name}, level {told.alpha:g} {how})."


def _rival(told: Comparison) -> str:
    best = told.ranking["method"].iloc[0]
    if not told.leaders:
        return ""
    row = told.against(best).iloc[0]
    kind = "typical difference (Hodges-Lehmann)"
    if told.metric.rate:
        kind = "difference of means"
    interval = ", on too few datasets for an interval"
    if pd.notna(row["effect_low"]):
        interval = f", 95% interval {row['effect_low'] + 0:.3g} to {row['effect_high'] + 0:.3g}"
    why = f" ({row['why']})" if row["why"] else ""
    effect = told.detectable(best, row["method_b"])
    found = "among all pairs" if told.possible else "if these two were all"
    power = ""
    if 0 < effect < float("inf"):
        power = f" A difference of about {effect:.2g} would have been found, {found}, in four of five cases."
    counts = ", ".join(
        f"{row[some]} {one if row[some] == 1 else some}"
        for one, some in (("win", "wins"), ("tie", "ties"), ("loss", "losses"))
    )
    return (
        f"{best} against {row['method_b']}: {kind} {row['effect'] + 0:.3g}{interval}; {counts}; "
        f"{row['state']}{why}.{power}"
    )


def _groups(told: Comparison) -> str:
    if not told.by_group or len(told.leaders) != 1:
        return ""
    best, said = told.leaders[0], []
    for name, pairs in told.by_group.items():
        own = pairs[(pairs["method_a"] == best) | (pairs["method_b"] == best)]
        count = int(own["n_datasets"].max()) if len(own) else 0
        ahead, behind = (own["better"] == best).sum(), (~own["better"].isin(["", best])).sum()
        if ahead or behind:
            of = f"{count} dataset{'s' * (count != 1)}"
            said.append(f"on {name} ({of}) better than {ahead}, worse than {behind} of {len(own)}")
    if len(said) < len(told.by_group):
        said.append(f"{'on the others ' * bool(said)}not shown to differ from anybody")
    return f"By group, {best} is {'; '.join(said)}."


def _unit(told: Comparison) -> str:
    mean = ""
    if told.levels > 1:
        mean = f"Each dataset counts once, by its mean over {told.levels} noise levels. "
    sources, count = told.sources.nunique(), len(told.sources)
    if sources == count:
        return mean.strip()
    if told.by_source:
        return f"{mean}{count} datasets stem from {sources} sources, each of which counts once in the tests."
    return (
        f"{mean}{count} datasets stem from {sources} source{'s' * (sources > 1)}, too few to count each once: a "
        "difference is claimed of datasets like these only, and only where it is found without each source, "
        "too."
    )


def _missing(told: Comparison) -> str:
    table = told.ranking[told.ranking["missing"] > 0]
    if table.empty:
        return ""
    shares = [f"{row.method} {row.missing:.0%}" for row in table.itertuples()]
    how = "is left out" if told.missing == "drop" else "counts as a loss"
    return (
        f"Missing: {listed(shares, 12)}. What is missing {how} here; a difference is claimed only where it is "
        "found with losses and without them."
    )


def _without(told: Comparison) -> str:
    if not told.without:
        return ""
    have, take = ("has", "takes") if len(told.without) == 1 else ("have", "take")
    return f"{listed(told.without, 12)} {have} no value at all and {take} no part."


def _overall(told: Comparison) -> str:
    test = told.test
    if told.possible and test.n_missing and test.n_methods > 2:
        return "Friedman's test of all methods is not made, as values are missing."
    if not told.possible or pd.isna(test.p_value):
        return ""
    said = "differ" if test.p_value < told.alpha else "are not shown to differ"
    without = ""
    if test.weakest:
        without = ", without the source of datasets that they depend on most"
    return (
        f"Over {test.n_datasets} {'sources' if told.by_source else 'datasets'} the {test.n_methods} methods {said} "
        f"(Friedman, p = {test.p_value:.2g}; Iman and Davenport, p = {test.p_iman_davenport:.2g}{without})."
    )


def _some(names: Sequence[str], among: int) -> str:
    return f"{len(names)} of {among}" + (f" ({listed(names)})" if len(names) <= 3 else "")
