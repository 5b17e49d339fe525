"""The packet: nothing in its bytes names a method, the order comes from the seed, and the key stays apart."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

from srlib.ballot import make_packet, packet
from srlib.ballot.sheet import make_sheet, write_plainly
from srlib.errors import InputError
from srlib.expressions import Expression, evaluate
from srlib.expressions.operators import OPERATORS, Operator
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.recording.methods import load_methods
from tests import workers_cases
from tests.ballot.made_up import METHODS, RULES, assessments, problems

pytestmark = pytest.mark.slow

# Whatever names a method, its package or how only one package writes.
IDIOMS = re.compile(
    rb"gplearn|operon|sklearn|scikit|linear.?regression|orthogonal|sparse|polynomial|ffx|deap|sympy|pyreg"
    rb"|protected|pdiv|plog|\baq\b|square\(|matplotlib|\d+\.\d+\.\d+", re.IGNORECASE
)  # fmt: skip


def content(folder):
    """All bytes of the packet, pictures decoded and left out of the text, and the names of its files."""
    text, pictures = b"", []
    for path in sorted((folder / "packet").iterdir()):
        parts = re.split(rb"data:image/png;base64,([A-Za-z0-9+/=]+)", path.read_bytes())
        text += path.name.encode() + b"\n" + b"".join(parts[::2])
        pictures += [base64.b64decode(part) for part in parts[1::2]]
    return text, pictures


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ballot")
    make_packet(assessments(), problems(folder), RULES, folder / "out", seed=5)
    return folder / "out"


def test_nothing_in_the_packet_names_a_method(made):
    text, pictures = content(made)
    for method in METHODS:
        assert method.encode() not in text
    assert sorted(set(IDIOMS.findall(text))) == []
    assert pictures and all(
        set(chunks(picture)) <= {"IHDR", "pHYs", "IDAT", "IEND"} for picture in pictures
    )


def chunks(png):
    """Kinds of the parts of a PNG: text, time and physical facts would stand in their own."""
    place = 8
    while place < len(png):
        size = int.from_bytes(png[place : place + 4], "big")
        yield png[place + 4 : place + 8].decode()
        place += size + 12


def test_the_demo_s_packet_names_no_method(tmp_path):
    known, runs = load_problems("diabetes"), read_runs("demo", prefer="real_world").frame
    make_packet(runs, known, RULES, tmp_path, seed=1)
    text, _ = content(tmp_path)
    assert sorted(set(IDIOMS.findall(text))) == []
    words = (
        {m.name for m in load_methods("demo")} | set(runs["method"]) | set(runs["method_version"])
    )
    assert [word for word in words if word.lower().encode() in text.lower()] == []
    assert not [t for t in runs["model"] if len(t) > 60 and t.encode() in text]


def test_the_key_stands_beside_the_packet_and_fits_it(made):
    content = json.loads((made / "key.json").read_text())
    packet, key = content["packet"], content["codes"]
    ballot = pd.read_csv(made / "packet" / "ballot.csv")
    assert list(ballot.columns) == [
        *("packet", "expert", "dataset", "code", "rank", "trust", "comment")
    ]
    assert set(ballot["packet"]) == {packet}
    assert (
        list(ballot["code"]) == list(key)
        and {p.name for p in (made / "packet").glob("*.json")} == set()
    )
    assert all(set(entry) == {"method", "dataset", "repetition"} for entry in key.values())
    page = (made / "packet" / "sheets-first.html").read_text()
    assert re.findall(r'<article id="([\w-]+)"', page) == [
        c for c, e in key.items() if e["dataset"] == "first"
    ]


def test_the_order_is_drawn_anew_or_from_the_seed_and_the_models(tmp_path):
    """Whoever knows the participants, and even a seed, does not know the key of other models."""
    known, orders = problems(tmp_path, pictures=False), []
    other = assessments().assign(model="bmi", shown_model="bmi")
    calls = [(assessments(), 1), (assessments(), 1), (other, 1), (assessments(), 2)]
    for number, (table, seed) in enumerate([*calls, (assessments(), None), (assessments(), None)]):
        out = tmp_path / str(number)
        make_packet(table, known, RULES, out, seed=seed)
        key = json.loads((out / "key.json").read_text())
        orders.append((key["packet"], *(entry["method"] for entry in key["codes"].values())))
    assert orders[0] == orders[1]
    assert len({order[0] for order in orders}) == 5
    assert len({order[1:] for order in orders}) > 1


def test_a_key_is_never_overwritten_by_another_packet_s(tmp_path):
    known = problems(tmp_path, pictures=False)
    make_packet(assessments(), known, RULES, tmp_path / "out", seed=1)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    make_packet(assessments(), known, RULES, tmp_path / "out", seed=1)  # the same one again
    with pytest.raises(InputError, match=r"key\.json: the key of another packet"):
        make_packet(assessments(), known, RULES, tmp_path / "out", seed=2)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_a_full_disk_leaves_neither_key_nor_packet(tmp_path, monkeypatch):
    known, write = problems(tmp_path, pictures=False), packet.write_atomically

    def fail(path, content):
        if path.name == "ballot.html":
            raise InputError(f"{path}: cannot be written (No space left on device)")
        write(path, content)

    monkeypatch.setattr(packet, "write_atomically", fail)
    with pytest.raises(InputError, match=f"^{tmp_path}/out/packet/ballot.html: cannot be written"):
        make_packet(assessments(), known, RULES, tmp_path / "out", seed=5)
    assert not (tmp_path / "out").exists()
    monkeypatch.undo()
    make_packet(assessments(), known, RULES, tmp_path / "out", seed=6)


def test_text_is_escaped(made):
    page = next((made / "packet").glob("sheets-second*.html")).read_text()
    assert (
        "second &amp; &lt;i&gt;" in page
        and "<i>" not in page
        and "Guess &lt;b&gt;it&lt;/b&gt;." in page
    )


@pytest.mark.parametrize("name", sorted(n for n, o in OPERATORS.items() if o.meaning and o.nodes))
def test_what_only_some_libraries_write_becomes_what_everybody_knows(name, generator):
    operator = OPERATORS[name]
    model = Expression((*"ab"[: operator.arity], operator))
    points = {"a": generator.uniform(1, 2, 20), "b": generator.uniform(1, 2, 20)}
    written = write_plainly(model)
    assert not any(item.meaning for item in written.tape if isinstance(item, Operator))
    near = 1e-2 if name == "gomea_div" else 1e-9
    values = (evaluate(one, points, 20) for one in (written, model))
    np.testing.assert_allclose(*values, rtol=0, atol=near)


def test_a_sheet_says_where_the_equation_is_not_the_whole_model(tmp_path):
    """On these rows bmi is near 0, where gplearn divides by nothing: the plain quotient is another model."""
    known = problems(tmp_path, pictures=False)
    row = assessments(1).iloc[0].to_dict()
    near = {**row, "shown_model": "gplearn_div(bmi, s5 - s5)"}
    assert make_sheet(("S", row | {"shown_model": "2*bmi"}, known.find("first")))["alike"]
    assert not make_sheet(("S", near, known.find("first")))["alike"]


def test_a_sheet_draws_what_the_method_wrote(tmp_path):
    known, row = problems(tmp_path).find("first"), assessments(1).iloc[0].to_dict()
    sheet, wrong = (make_sheet(("S", row | new, known)) for new in ({}, {"shown_model": "2*bmi"}))
    assert sheet["picture"] == wrong["picture"] != "" and sheet["equation"] != wrong["equation"]
    assert sheet["picture"] != make_sheet(("S", row | {"model": "2*bmi"}, known))["picture"]


def test_no_run_of_the_track_is_an_error(tmp_path):
    table = assessments().assign(dataset="other")
    with pytest.raises(InputError, match="tracks real-world"):
        make_packet(table, problems(tmp_path), RULES, tmp_path)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (workers_cases.computes_for_ever, "stopped after"),
        (workers_cases.takes_all_memory, "out of memory"),
        (workers_cases.kill_itself, "killed by signal"),
    ],
)
def test_a_model_that_cannot_be_shown_within_the_limits_is_named(way, said, tmp_path, monkeypatch):
    monkeypatch.setattr("srlib.ballot.packet.make_sheet", way)
    with pytest.raises(InputError, match=rf"^method .*, dataset .*no sheet.*{said}"):
        known = problems(tmp_path, pictures=False)
        make_packet(assessments(1), known, RULES, tmp_path / "out", timeout=0.5)
    assert not (tmp_path / "out").exists()


def test_two_sheets_with_one_equation_say_so_and_have_the_same_components(tmp_path):
    table = assessments()
    twin = table["method"] == "PyOperonNet"
    table.loc[twin, ["model", "simplified_model", "shown_model"]] = ["bmi + bmi", *["2*bmi"] * 2]
    out = tmp_path / "out"
    make_packet(table, problems(tmp_path, pictures=False), RULES, out, seed=1)
    codes = json.loads((out / "key.json").read_text())["codes"]
    first = {e["method"]: code for code, e in codes.items() if e["dataset"] == "first"}
    page = (out / "packet" / "sheets-first.html").read_text()
    sheets = dict(
        re.findall(r'<article id="([\w-]+)".*?<dl>.*?<dt>components</dt><dd>(\d+)', page, re.S)
    )
    assert sheets[first["PyOperonNet"]] == sheets[first["deap&<b>"]]
    said = re.findall(r"The same equation as ([\w-]+), found by another method", page)
    assert sorted(said) == sorted([first["PyOperonNet"], first["deap&<b>"]])
