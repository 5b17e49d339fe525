"""Pages are true under any rules: random competitions, whose sentences, captions and links are held to their tables."""

import builtins
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from srlib.displays.tables.answer import PAGE_SECTIONS, explain_rules
from srlib.displays.tables.table import text_of
from srlib.errors import InputError, NothingScoredError
from srlib.files import file_name
from srlib.ledger import MEANINGS
from srlib.rules import departure, load_rules
from tests.pages.competition import ODD_RUNS, draw_competition, draw_rules, list_switches
from tests.pages.harness import execute, passed

GATED = ["synthetic", "robustness", "properties", "noise", "participant"]
PAGES = [*GATED, "benchmark", "qualification", "real_world"]
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))]
# Where the number of a fact stands: [PAGE ]STATEMENT/FACT, [PAGE ]FACT, or [PAGE ]:NAME for a name that others use, and
# an expression over the tables of the page, of synthetic and of robustness. `f` has the facts of the statement.
PLACES = dict(
    line.split(" | ", 1) for line in (Path(__file__).parent / "places.txt").read_text().splitlines()
)
CLAIMS = [  # words that are true under one value of a switch
    ("aggregate", "mean", r"\bmean (of|over) (its|the) repetitions"),
    ("aggregate", "median", r"\bmedian (of|over) (its|the) repetitions"),
    ("rank_start", 1, r"best of n methods gets n\b(?! -)"),
    ("incomplete", "floor", r"counts? as (its|the method's) own worst"),
]


class Names(dict):
    """Names in the expressions of a page: what `PLACES` defines, and tables by their files, with `_` for `-`."""

    def __init__(self, page, others, drawn):
        rules = load_rules(drawn.folder / "rules.yaml")
        super().__init__(np=np, problems=drawn.problems, rules=rules)
        self.page, self.pages, self.folder = page.name, [page, *others], drawn.folder
        self |= {other.name: other.csv for other in self.pages}

    def read(self, name):
        return pd.read_csv(self.folder / f"{name}.csv")

    def __missing__(self, name):
        if hasattr(builtins, name):
            raise KeyError(name)
        if place := PLACES.get(f"{self.page} :{name}", PLACES.get(f":{name}")):
            return eval(place, self)
        if hasattr(self, name):
            return getattr(self, name)
        file = name.removesuffix("_table").replace("_", "-")
        paths = (file, f"tables/{file}", name, f"tables/{name}")
        tables = (page.csv(path) for page in self.pages for path in paths)
        return next(table for table in tables if len(table))


def misplaced_numbers(page, names):
    """Yield numbers of the page's sentences that are no fact, or do not stand where the name of the fact says."""
    facts = page.answer["facts"]
    texts = {fact["text"] for key, fact in facts.items() if "/" in key} - {""}
    for line in page.sentences:
        words = line
        for text in sorted(texts, key=len, reverse=True):
            words = words.replace(text, "")
        if re.search(r"(?<![\w²])\d", words) and line != departure(names["rules"]):
            yield "a number without a fact", line
    for key, fact in facts.items():
        statement, _, name = key.partition("/")
        name, _, number = name.partition("-")
        value, kind = fact["value"], re.sub(r"-\d+$", "", statement)
        if isinstance(value, str) and not re.fullmatch(r"[<>−]*[\d.,]+", value) or value is None:
            continue
        if not name or isinstance(value, tuple | list | dict):
            continue
        own = {
            k.partition("/")[2]: v["value"]
            for k, v in facts.items()
            if k.startswith(f"{statement}/")
        }
        own |= {
            k.partition("-")[0]: v for k, v in own.items() if number and k.endswith(f"-{number}")
        }
        names["f"] = SimpleNamespace(**{k: v for k, v in own.items() if "-" not in k})
        keys = (f"{page.name} {kind}/{name}", f"{kind}/{name}", name)
        expected = eval(next((PLACES[k] for k in keys if k in PLACES), "{}"), names)
        options = [
            float(option)
            for option in (expected if isinstance(expected, set | dict) else [expected])
        ]
        if isinstance(value, str):
            is_there = value in map(text_of, options)
        else:
            is_there = np.isclose(options, value, rtol=1e-9, atol=1e-12).any()
        if not is_there:
            yield "not where it stands", key, fact, options


class Links(HTMLParser):
    """`rows`: caption and rows of each table of a page; `links`: first cell, label and address of each link."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.links, self.name = {}, [], ""
        for data, note in page.shown:
            if note.get("kind") == "table":
                self.name = note["name"]
                self.rows[self.name] = [[note["caption"]]]
                self.links += [([""], "", f"#table-{target}") for _, target in note["see"]]
                self.feed(data["text/html"])

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows[self.name].append([])
        elif tag in ("td", "th"):
            self.rows[self.name][-1].append("")
        elif tag == "a":
            attributes = dict(attrs)
            link = attributes.get("aria-label", ""), attributes["href"]
            self.links.append((self.rows[self.name][-1], *link))

    def handle_data(self, data):
        if self.rows[self.name][-1] and len(self.rows[self.name]) > 1:
            self.rows[self.name][-1][-1] += data


def broken_links(page):
    """Yield links whose target is not on the page, or has no row (or caption) about the dataset and the method."""
    parsed = Links(page)
    for row, label, address in parsed.links:
        (caption,), *rows = parsed.rows.get(address.removeprefix("#table-"), [["none"]])
        texts = [text for text in (row[0], label.split(" on ")[0]) if text and text not in caption]
        if caption == "none" or not any({*texts} <= {*cells} for cells in [[], *rows]):
            yield "broken link", address, texts


def miscounted_captions(page):
    """Yield captions of figures whose counts are not those of the numbers, and findings that no panel shows."""
    for note in (note for _, note in page.shown if "drawing" in note):
        drawing, numbers, finding = (
            note["drawing"],
            note["drawing"].numbers,
            note["drawing"].finding,
        )
        for count, noun in re.findall(r"(\d[\d,]*) (method|dataset|solver)s?\b", note["caption"]):
            column = "dataset" if noun == "dataset" else drawing.by
            if column in numbers and numbers[column].nunique() != int(count.replace(",", "")):
                yield note["caption"], column
        if "value" not in finding.facts or "mean" in finding:
            continue
        if (column := drawing.alt_columns[0]) in numbers:
            if "panel" in numbers:
                values = numbers.loc[numbers["panel"] == drawing.panels[0], column]
            else:  # or the mean of a method's marks
                means = numbers.groupby(drawing.by)[column].mean()
                values = [*numbers[column], *means]
            if not np.isclose(values, finding.facts["value"].value).any():
                yield finding, [*values]


def untrue_words(page, drawn):
    """Yield words that hold under other rules only, and odd runs that the ledger takes for something else."""
    for switch, value, words in CLAIMS if page.name != "qualification" else ():
        if drawn.rules["judge"].get(switch) != value and (match := re.search(words, page.words)):
            yield switch, match[0]
    ledger = next((t for t in (page.csv("ledger"), page.csv("tables/ledger")) if len(t)), None)
    if ledger is None or page.name == "participant":
        return
    for kind, (code, word) in ODD_RUNS.items():
        rows = drawn.runs[drawn.runs["odd"] == kind]
        rows = {*zip(rows["file"], rows["row"], strict=True)}
        stems = ledger["file"].astype("object").fillna("").map(lambda path: Path(path).stem)
        codes = ledger["code"].groupby([stems, ledger["row"]]).agg(set).to_dict()
        allowed = {code, "other_track", "not_qualified", "not_scored"}
        wrong = [row for row in rows if not codes.get(row, set()) & allowed]
        if wrong or word not in MEANINGS[code]:
            yield kind, MEANINGS[code], wrong, codes


def untrue_counts(page, drawn):
    """Yield counts of runs, notices and cells that contradict what was sent."""
    counts = page.answer["rows"]
    if page.name == "benchmark" and (
        counts["read"] != len(drawn.runs) or counts["excluded"] < (drawn.runs["odd"] != "").sum()
    ):
        yield counts
    if page.name == "synthetic":
        ranked = {row["method"] for row in page.answer["ranking"] if row["rank"]}
        for line in page.sentences:
            if "ranked without it" in line and not any(name in line for name in ranked):
                yield "not ranked", line
        for row in (
            page.csv("ledger").query("code == 'missing_runs' and level == 'cell'").itertuples()
        ):
            cells = page.csv(f"tables/aspects-{file_name(row.dataset)}")
            if (
                len(cells)
                and not cells.get("absent", pd.Series([0]))[cells["method"] == row.method].any()
            ):
                yield "no word of an absent run", row
    if page.name == "noise":
        cells, levels = page.csv("tables/cells"), page.csv("tables/quality")
        sent = drawn.runs[drawn.runs["odd"] == ""].groupby(["method", "dataset"])["repetition"]
        whole = {
            *sent.nunique().loc[lambda n: n == min(drawn.rules["judge"]["repetitions"], 3)].index
        }
        pairs = cells[["method", "dataset", "reference"]].to_numpy()
        cells = cells[[(m, d) in whole and (m, clean) in whole for m, d, clean in pairs]]
        change = (cells["accuracy"] - cells["reference_used"]).abs()
        ratio = change / (cells["noise_level"] - cells["reference_level"])
        if not np.allclose(ratio, cells["sensitivity"], equal_nan=True):
            yield "sensitivity", cells.to_dict()
        curves = levels.pivot_table("value", "noise_level", "method")
        gaps = curves.get("(the truth)", curves[drawn.truthful]) - curves[drawn.truthful]
        if gaps.abs().max() > 0.006:  # rules may round runs to two decimals
            yield "a method that sends the truth is away from the truth", curves.to_dict()


@pytest.mark.parametrize("seed", SEEDS)
def test_pages_of_a_random_competition_are_true(seed, tmp_path, monkeypatch):
    drawn, pages, refusals = draw_competition(seed, tmp_path, monkeypatch, small=seed < 2), {}, []
    for name in PAGES:
        gate = {"qualified": str(tmp_path / "gate.csv")} if drawn.has_gate and name in GATED else {}
        ballots = (
            {"trust": str(tmp_path / "trust.csv")}
            if drawn.has_ballots and name == "real_world"
            else {}
        )
        try:
            pages[name] = execute(name, tmp_path, monkeypatch, **gate, **ballots)
        except (InputError, NothingScoredError) as error:
            refusals.append(str(error))
    assert len(pages) > 4 and all(refusals)
    faults = [
        fault for name, page in pages.items() for fault in list_faults(name, page, pages, drawn)
    ]
    assert faults == [], "\n".join(map(str, faults))


def list_faults(name, page, pages, drawn):
    """Yield all that is not true of a page, with its name."""
    names = Names(page, [pages[other] for other in GATED[:2] if other in pages], drawn)
    faults = [*misplaced_numbers(page, names), *broken_links(page), *miscounted_captions(page)]
    faults += [*untrue_words(page, drawn), *untrue_counts(page, drawn)]
    return [(name, fault) for fault in faults + [page.printed] * (not passed(page.printed))]


def test_every_value_of_every_switch_is_drawn_and_said_on_a_page():
    """Said are all but those by which runs are measured."""
    rules = load_rules("judging-2022")
    sections = (explain_rules(rules, page) for page in ("synthetic", *PAGE_SECTIONS))
    said = " ".join(text for texts in sections for text in texts.values())
    for switch in rules.switches():
        assert switch["block"] != "judge" or switch["says"][1:] in said, switch["switch"]
    for path, values in list_switches().items():
        blocks = [draw_rules(seed)["judge"] for seed in range(20)]
        for key in path.split("."):
            blocks = [block[key] for block in blocks]
        assert all(value in blocks for value in values), path
