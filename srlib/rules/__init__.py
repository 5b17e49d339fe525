"""Rules files: the measure block for assessing, the judge block for judging, and the meaning of each switch.

Each switch also knows the document that settles it.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import Field

from srlib.errors import InputError, require
from srlib.files import PARAMETERS, digest, shipped, write_atomically
from srlib.prose import listed
from srlib.rules.judge import ASPECT_READINGS as ASPECT_READINGS
from srlib.rules.judge import READINGS as READINGS
from srlib.rules.judge import Aspect, JudgeRules
from srlib.rules.measure import Constants as Constants
from srlib.rules.measure import MeasureRules
from srlib.yaml_files import Strict, load_yaml, validate

DEFAULT_NAME = "judging-2022"
SILENT_ORIGIN = "the project's default where the documents are silent"
CHOSEN_ORIGIN = "chosen in these rules"
COMMENT_COLUMN = 36
Row = dict[str, Any]


class Switch(NamedTuple):
    """Meaning, sentences and allowed values of a switch.

    Parameters
    ----------
    meaning : str
        Meaning of the switch in one line.
    sentences : dict of str to str
        Sentences about values for pages, by the value as written in YAML; 'else' is for all values that are not listed.
    values : tuple of str
        Allowed values, as written in YAML; empty if any number or text is allowed.
    heading : str
        Heading under which the page about the ranking prints the sentences; empty if it does not.
    """

    meaning: str
    sentences: Mapping[str, str]
    values: tuple[str, ...]
    heading: str


@cache
def switch_at(path: str) -> Switch:
    """Return the switch at a path, with dots if the switch is nested; an aspect may have any name.

    Examples
    --------
    >>> switch_at("aspects.accuracy.direction").values
    ('higher', 'lower', 'by_property')
    """
    *outer, name = path.split(".")
    block: Any = MeasureRules if path in MeasureRules.model_fields else JudgeRules
    if outer:
        block = Aspect if outer[0] == "aspects" else JudgeRules.model_fields[outer[0]].annotation
    field = next(info for key, info in block.model_fields.items() if name in (key, info.alias))
    meaning, _, lines = str(field.description).partition("\n\n")
    parts = [line.partition(":") for line in re.sub(r"\n +", " ", lines).splitlines()]
    sentences = {value: sentence.strip() for value, _, sentence in parts}
    heading = sentences.pop("under", "")
    values = tuple(_named_values(field.annotation))
    return Switch(" ".join(meaning.split()), sentences, values, heading)


def _named_values(annotation: Any) -> list[str]:
    """Return the values that a type lists, as written in YAML."""
    if get_origin(annotation) is Literal:
        return [written(value) for value in get_args(annotation)]
    names = [name for part in get_args(annotation) for name in _named_values(part)]
    return [*names, "null"] if names and NoneType in get_args(annotation) else names


def sentence_of(path: str, value: Any) -> str:
    """Return the sentence about a value of the switch at a path; for a list, a sentence for each element.

    Examples
    --------
    >>> sentence_of("aggregate", "median")
    'The value on a dataset is the median over the repetitions.'
    """
    sentences = switch_at(path).sentences
    aspect = path.split(".")[1] if path.startswith("aspects.") else ""
    values = map(written, value if isinstance(value, list | tuple) and value else [value])
    return " ".join(
        sentences.get(text, sentences.get("else", "")).format(text, aspect=aspect)
        for text in values
    )


def written(value: Any) -> str:
    """Return a value as written in YAML.

    Examples
    --------
    >>> written(None), written("mean"), written(("a", "b")), written(5.0)
    ('null', 'mean', '[a, b]', '5')
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "null" if value is None else str(value)


def in_words(switches: Mapping[str, str]) -> str:
    """Return switches and their values as words for a sentence.

    Examples
    --------
    >>> in_words({"rank_start": "0", "combine": "one_harmonic"})
    '“rank start: 0” with “combine: one harmonic”'
    """
    pairs = [f"“{name}: {value}”".replace("_", " ") for name, value in switches.items()]
    return " with ".join(filter(None, [*pairs[:1], listed(pairs[1:])]))


def flatten_switches(block: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each switch of a block with its value; the names of nested switches are dotted.

    Examples
    --------
    >>> list(flatten_switches({"ties": "dense", "noise_guard": {"action": "flag"}}))
    [('ties', 'dense'), ('noise_guard.action', 'flag')]
    """
    for name, value in block.items():
        if isinstance(value, dict):
            yield from flatten_switches(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


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
    measure: MeasureRules
    """all that assessing reads"""
    judge: JudgeRules
    """all that turns assessments into a ranking"""
    sources: dict[str, str] = {}
    """the document that settles each switch"""

    @property
    def _blocks(self) -> dict[str, dict[str, Any]]:
        """Both blocks by name, as written in YAML."""
        blocks = {"measure": self.measure, "judge": self.judge}
        return {
            name: block.model_dump(mode="json", by_alias=True) for name, block in blocks.items()
        }

    @property
    def settings(self) -> dict[str, Any]:
        """Value of every switch by path (with dots if nested), in the order of the file."""
        return {
            path: value
            for block in self._blocks.values()
            for path, value in flatten_switches(block)
        }

    @property
    def digest(self) -> str:
        """Hash of the measure and judge blocks without defaults, which are all that can change a result."""
        judge_rules = self.judge.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return digest([self.measure.digest, judge_rules])

    def settled(self, switch: str) -> str | None:
        """Return the source that settles a switch if the value is the one its document states; else None."""
        source, value = self.sources.get(switch, ""), written(self.settings[switch])
        statements = shipped_statements().get(document_of(source), {})
        return source or None if statements.get(switch, value) == value else None

    def origin(self, switch: str) -> str:
        """Return a text that says where the value of a switch comes from: a document, the default, or a choice."""
        if source := self.sources.get(switch):
            statement = shipped_statements().get(document_of(source), {}).get(switch)
            return self.settled(switch) or f"{CHOSEN_ORIGIN}; {source}, says {statement}"
        default = shipped_rules()[DEFAULT_NAME]
        is_default = written(self.settings[switch]) == written(default.settings.get(switch))
        return SILENT_ORIGIN if is_default and switch not in default.sources else CHOSEN_ORIGIN

    def switches(self) -> list[Row]:
        """Return a row for every switch: its value, the sentence about the value, its meaning, the value's source."""
        return [
            {
                "block": block,
                "switch": path,
                "value": value,
                "says": sentence_of(path, value),
                "meaning": switch_at(path).meaning,
                "source": self.origin(path),
            }
            for block, content in self._blocks.items()
            for path, value in flatten_switches(content)
        ]

    def explained(self, *switches: str) -> str:
        """Return sentences for a page about the values of these switches; a block stands for all of its switches.

        Examples
        --------
        >>> load_rules("judging-2022").explained("aggregate", "rank_per")
        'The value on a dataset is the mean over the repetitions. These values are ranked.'
        """
        sentences = [
            sentence_of(path, value)
            for name in switches
            for path, value in self.settings.items()
            if path == name or path.startswith(f"{name}.")
        ]
        return " ".join(text[0].upper() + text[1:] for text in sentences if text)

    def sections(self) -> dict[str, str]:
        """Return the sentences about the values of the rules, by heading of the page about the ranking.

        Examples
        --------
        >>> list(load_rules("judging-2022").sections())[-1]
        'Scores'
        """
        names: dict[str, list[str]] = {}
        for path in dict.fromkeys(path.partition(".")[0] for path in self.settings):
            names.setdefault(switch_at(path).heading, []).append(path)
        names.pop("", None)
        return {heading: self.explained(*switches) for heading, switches in names.items()}

    def with_switches(self, switches: Mapping[str, Any]) -> "Rules":
        """Return these rules with other values of switches in the judge block.

        Parameters
        ----------
        switches : mapping of str to value
            Values by path, such as `ties`, `noise_guard.action` or `aspects.NAME.weight`.

        Raises
        ------
        InputError
            When a switch is unknown, a value is not allowed, or the switches exclude each other.

        Examples
        --------
        >>> rules = load_rules("judging-2022").with_switches({"aspects.accuracy.weight": 2})
        >>> rules.judge.aspects["accuracy"].weight
        2.0
        """
        block = self._blocks["judge"]
        for path, value in switches.items():
            outer, _, name = path.rpartition(".")
            target: Any = block
            for key in filter(None, outer.split(".", 1)):  # the name of an aspect may have dots
                target = target.get(key) if isinstance(target, dict) else None
            if not isinstance(target, dict) or name not in target:
                allowed = listed([path for path, _ in flatten_switches(self._blocks["judge"])])
                raise InputError(f"switches: one of {allowed} was expected, got {path!r}")
            target[name] = value
        judge_rules = validate(JudgeRules, block, "these switches")
        return self.model_copy(update={"judge": judge_rules})

    def save(self, path: str | Path, replace: bool = False) -> None:
        """Write a rules file with these switches; the name of the rules is that of the file.

        Parameters
        ----------
        path : str or Path
            Name of the file, which ends in .yaml.
        replace : bool
            Whether a file of this name is replaced.

        Raises
        ------
        InputError
            When the name is not allowed, shipped rules have it, or the file exists.

        Examples
        --------
        >>> load_rules("judging-2022").save("judging-2022.yaml")
        Traceback (most recent call last):
        srlib.errors.InputError: judging-2022.yaml: another name was expected, shipped rules have this one
        """
        place = Path(path)
        reasons = {
            "a name that ends in .yaml was expected": place.suffix != ".yaml",
            "another name was expected, shipped rules have this one": place.stem in shipped_rules(),
            "the name of a new file was expected, this one exists": place.exists() and not replace,
        }
        for reason, holds in reasons.items():
            require(not holds, f"{path}: {reason}")
        content = self.model_dump(mode="json", by_alias=True) | {"name": place.stem}
        validate(Rules, content, place)
        text = rules_text(self, place.stem, f"own rules, begun from {self.name}")
        write_atomically(place, text)


def load_rules(name: str | Path | Rules) -> Rules:
    """Return rules, read from a path or by the name of a shipped file; `Rules` are returned unchanged.

    Raises
    ------
    InputError
        When the file is invalid; the message names file and key, what was expected and what was found.
    """
    if isinstance(name, Rules):
        return name
    path = shipped("rules", name)
    rules = validate(Rules, load_yaml(path), path)
    if path.parent == PARAMETERS / "rules":
        return rules
    for switch, source in rules.sources.items():
        document = document_of(source)
        if switch not in rules.settings:
            raise InputError(
                f"{path}: sources: a switch such as noise_guard.action was expected, got {switch!r}"
            )
        if switch not in shipped_statements().get(document, [switch]):
            raise InputError(f"{path}: sources: {document}: nothing there settles {switch}")
    return rules


@cache
def shipped_rules() -> dict[str, Rules]:
    """Return the shipped rules, by name."""
    paths = sorted((PARAMETERS / "rules").glob("*.yaml"))
    return {path.stem: load_rules(path) for path in paths}


@cache
def shipped_statements() -> dict[str, dict[str, str]]:
    """Return by document and switch the value that the document states, from the shipped rules that cite it."""
    statements: dict[str, dict[str, str]] = {}
    for rules in shipped_rules().values():
        for switch, source in rules.sources.items():
            document = statements.setdefault(document_of(source), {})
            document[switch] = written(rules.settings[switch])
    return statements


def document_of(source: str) -> str:
    """Return the document that a source cites: the text before the first comma or colon."""
    return re.split("[,:]", source)[0]


def departure(rules: Rules) -> str:
    """Return a sentence on how rules differ from the most similar shipped rules; empty if they are shipped rules.

    Examples
    --------
    >>> departure(load_rules("proposal-2022"))
    ''
    """
    differences = {
        name: _differences(rules.settings, other.settings)
        for name, other in shipped_rules().items()
    }
    nearest = min(
        differences, key=lambda name: (len(differences[name]), name != DEFAULT_NAME, name)
    )
    has_name, changes = nearest == rules.name, "; ".join(differences[nearest])
    if changes:
        start = (
            f"{nearest} with other values" if has_name else f"{rules.name} differ from {nearest}"
        )
        return f"The rules {start}: {changes}."
    return "" if has_name else f"The rules {rules.name} are those of {nearest}."


def _differences(settings: Mapping[str, Any], other_settings: Mapping[str, Any]) -> list[str]:
    """Return clauses about switches whose values differ, and about aspects that only one of the settings has."""
    sentences = [
        f"{path} is {written(settings[path])}, not {written(other_settings[path])}"
        for path in settings
        if path in other_settings and written(settings[path]) != written(other_settings[path])
    ]
    for path in dict.fromkeys([*settings, *other_settings]):
        if path.endswith(".from") and (path in settings) != (path in other_settings):
            aspect = path.split(".")[1]
            change = f"(from {settings[path]}) is added" if path in settings else "is left out"
            sentences.append(f"the aspect {aspect} {change}")
    return sentences


def rules_text(rules: Rules, name: str, source: str) -> str:
    """Return the text of a rules file to edit: each switch with its value, meaning and allowed values.

    Parameters
    ----------
    rules : Rules
        Rules with the values to write; their `sources` are not written.
    name, source : str
        Name and source of the new rules.
    """
    lines = ["# Every switch with its meaning and the values that it may have.", "schema: 1"]
    lines += [f"name: {name}", f'source: "{source}"']
    for block in ("measure", "judge"):
        lines += [f"{block}:", *_block_lines(rules._blocks[block], "")]
    return "\n".join(lines) + "\n"


def _block_lines(block: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the lines of a rules file for the switches of a block, indented by the depth of the path."""
    indent = "  " * (path.count(".") + 1)
    for name, value in block.items():
        if isinstance(value, dict):
            yield f"{indent}{name}:"
            yield from _block_lines(value, f"{path}{name}.")
            continue
        switch, text = switch_at(path + name), written(value)
        if isinstance(value, str) and re.search("[:#,]", text):
            text = f'"{text}"'
        choices = f" ({' | '.join(switch.values)})" if switch.values else ""
        yield f"{indent}{name}: {text} ".ljust(COMMENT_COLUMN) + f"# {switch.meaning}{choices}"
