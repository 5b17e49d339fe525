"""A rules file: both blocks, what each switch means and says, and the document that settles it."""

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from srlib.files import PARAMETERS, digest, shipped
from srlib.rules.judge import Judge
from srlib.rules.measure import Measure
from srlib.rules.switch import DOCUMENTS, declared, leaves, written
from srlib.yaml_files import Strict, load_yaml, validate

SILENT = "the project's default where the documents are silent"
CHOSEN = "chosen in these rules"
Row = dict[str, Any]


class Rules(Strict):
    """One rules file.

    Examples
    --------
    >>> rules = load_rules("judging-2022")
    >>> rules.judge.ties, rules.judge.aspects["simplicity"].base
    ('dense', 5.0)
    """

    schema_: Literal[1] = Field(alias="schema")
    """version of this layout: 1"""
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    """name of the rules, as reports show it"""
    source: str
    """the document that the rules come from"""
    measure: Measure
    """all that assessing reads"""
    judge: Judge
    """all that turns assessments into a ranking"""
    sources: dict[str, str] = {}
    """the document that settles each switch"""

    @model_validator(mode="after")
    def _known_sources(self) -> "Rules":
        known = self.settings
        for key, text in self.sources.items():
            inner = [path for path in known if path.startswith(f"{key}.")]
            if inner:
                raise ValueError(
                    f"sources names {key!r}, which is a block: name its switches, such as {inner[0]}"
                )
            if key not in known:
                raise ValueError(f"sources names {key!r}, which is no switch of measure or judge")
            document = _document(text)
            if document and not _declared(key)[0].stated(document, key)[0]:
                raise ValueError(f"sources: {document}: nothing there settles {key}")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """Value of every switch, dotted where it is nested, in the file's order."""
        return dict(leaves(self._dumped["measure"])) | dict(leaves(self._dumped["judge"]))

    @property
    def _dumped(self) -> dict[str, dict[str, Any]]:
        blocks = {"measure": self.measure, "judge": self.judge}
        return {name: b.model_dump(mode="json", by_alias=True) for name, b in blocks.items()}

    @property
    def digest(self) -> str:
        """Name of all that can change a result: the measure and the judge block."""
        return digest([self.measure.digest, self._dumped["judge"]])

    def settled(self, switch: str) -> str | None:
        """Name the document that settles a switch, if the value is the one that it states; else None."""
        text = self.sources.get(switch)
        document = _document(text or "")
        if text is None or document is None:
            return text
        value = _declared(switch)[0].stated(document, switch)[1]
        if written(value) == written(self.settings[switch]):
            return text
        return None

    def origin(self, switch: str) -> str:
        """Where the value of a switch comes from."""
        text = self.sources.get(switch)
        if text is None:
            given, sources = _defaults()
            same = written(self.settings[switch]) == written(given.get(switch))
            if same and switch not in sources:
                return SILENT
            return CHOSEN
        if (settled := self.settled(switch)) is not None:
            return settled
        stated = _declared(switch)[0].stated(_document(text) or "", switch)[1]
        return f"{CHOSEN}; {text}, says {written(stated)}"

    def switches(self) -> list[Row]:
        """Every switch with its value, what it says, its meaning, and where the value comes from."""
        return [
            {
                "block": block,
                "switch": path,
                "value": value,
                "says": _declared(path)[0].sentence(value, path),
                "meaning": meaning(path),
                "source": self.origin(path),
            }
            for block, content in self._dumped.items()
            for path, value in leaves(content)
        ]

    def said(self, switch: str, value: Any) -> str:
        """Say what a value of a switch means.

        Examples
        --------
        >>> load_rules("judging-2022").said("aggregate", "median")
        'The value on a dataset is the median over the repetitions.'
        """
        return _declared(switch)[0].sentence(value, switch)

    def explained(self, *switches: str) -> str:
        """Say what these switches do, or all of a block, as sentences for a page.

        Examples
        --------
        >>> load_rules("judging-2022").explained("aggregate", "rank_start")
        'The value on a dataset is the mean over the repetitions. The worst possible rank is 1.'
        """
        found = {row["switch"]: row["says"] for row in self.switches()}
        chosen = [
            said
            for name in switches
            for path, said in found.items()
            if path == name or path.startswith(f"{name}.")
        ]
        return " ".join(said[0].upper() + said[1:] for said in chosen if said)


def meaning(switch: str) -> str:
    """One line on a switch, dotted where it is nested.

    Examples
    --------
    >>> meaning("rank_start"), meaning("aspects.accuracy.direction")
    ('the worst possible rank', 'which way is better')
    """
    return _declared(switch)[1]


def differences(rules: Rules) -> tuple[str, list[Row]]:
    """Compare rules with the shipped file that they are nearest to.

    Returns
    -------
    name : str
        Of that file.
    rows : list of dict
        `switch`, `value`, and `shipped`, the value there; an aspect that only one of them has is one row, with what it
        is taken from; empty where none differs.
    """
    own, found = rules.settings, []
    for path in sorted((PARAMETERS / "rules").glob("*.yaml")):
        other = load_rules(path).settings
        rows = [
            {"switch": key, "value": own[key], "shipped": other[key]}
            for key in own
            if key in other and written(own[key]) != written(other[key])
        ]
        rows += [
            {"switch": key.removesuffix(".from"), "value": own.get(key), "shipped": other.get(key)}
            for key in dict.fromkeys([*own, *other])
            if key.endswith(".from") and (key in own) != (key in other)
        ]
        found.append((len(rows), path.stem != "judging-2022", path.stem, rows))
    _, _, name, rows = min(found, key=lambda one: one[:3])
    return name, rows


def departure(rules: Rules) -> str:
    """Say switch by switch where rules differ from the shipped ones; empty where they do not.

    Examples
    --------
    >>> departure(load_rules("proposal-2022"))
    ''
    """
    name, rows = differences(rules)
    if not rows:
        if rules.name == name:
            return ""
        return f"The rules {rules.name} are those of {name}."
    return f"The rules {rules.name} differ from {name}: {'; '.join(map(_differs, rows))}."


def _differs(row: Row) -> str:
    if row["switch"].count(".") == 1 and row["switch"].startswith("aspects."):
        aspect = row["switch"].removeprefix("aspects.")
        if row["value"] is None:
            return f"the aspect {aspect} is left out"
        return f"the aspect {aspect} (from {row['value']}) is added"
    return f"{row['switch']} is {written(row['value'])}, not {written(row['shipped'])}"


def load_rules(name: str | Path | Rules) -> Rules:
    """Read rules from a path or by the bare name of a shipped file; what was read before is taken as it is.

    Raises
    ------
    InputError
        Names file and key, what was allowed and what came.
    """
    if isinstance(name, Rules):
        return name
    path = shipped("rules", name)
    return validate(Rules, load_yaml(path), path)


def _declared(switch: str) -> Any:
    return declared(Measure if switch.split(".")[0] in Measure.model_fields else Judge, switch)


def _document(text: str) -> str | None:
    return next((name for name in DOCUMENTS if text.startswith(name)), None)


@cache
def _defaults() -> tuple[dict[str, Any], frozenset[str]]:
    """Values of the default rules, and the switches that their documents settle."""
    rules = load_rules("judging-2022")
    return rules.settings, frozenset(rules.sources)
