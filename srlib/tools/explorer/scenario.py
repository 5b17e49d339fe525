"""`Scenario`: what is changed in a competition, as sentences and as the line of Python that makes the same changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from srlib.competition import Competition
from srlib.rules import Rules, sentence_of, written


@dataclass(frozen=True)
class Scenario:
    """Changes to a competition; its `repr` is the expression that makes it again.

    Parameters
    ----------
    own : str
        Path of a run table that is added; empty for none.
    methods, datasets : tuple of str
        Names that are left out.
    switches : mapping of str to value
        Other values of switches by path; see `Competition.with_switches`.

    Examples
    --------
    >>> Scenario(own="plum.csv", switches={"ties": "min"}).code
    "competition.with_runs('plum.csv').with_switches({'ties': 'min'}).judge()"
    """

    own: str = ""
    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    switches: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, competition: Competition) -> Competition:
        """Return the competition with these changes.

        Raises
        ------
        InputError
            When the own runs cannot be read, a name is unknown, no run is left, or a switch is not valid.
        """
        if self.own:
            competition = competition.with_runs(self.own)
        return competition.without(self.methods, self.datasets).with_switches(self.switches)

    def sentences(self, rules: Rules) -> list[str]:
        """Return a sentence for each switch and each name that is left out, beside these rules."""
        changes = [
            f"{path} is {written(value)}, not {written(rules.settings[path])}. {sentence_of(path, value)}"
            for path, value in self.switches.items()
        ]
        return changes + [f"{name} is left out." for name in (*self.methods, *self.datasets)]

    @property
    def code(self) -> str:
        """The calls that make the same changes to a `competition` and judge it."""
        calls = ["competition"]
        if self.own:
            calls.append(f"with_runs({self.own!r})")
        if self.methods or self.datasets:
            calls.append(f"without({list(self.methods)}, {list(self.datasets)})")
        if self.switches:
            calls.append(f"with_switches({dict(self.switches)})")
        return ".".join([*calls, "judge()"])


UNCHANGED = Scenario()
