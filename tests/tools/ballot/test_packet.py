"""The packet: nothing in its bytes names a method, the order comes from the seed, and the key stays apart."""

import base64
import io
import json
import re
import stat

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from srlib.competition import Competition
from srlib.expressions import Expression, evaluate
from srlib.expressions.operators import OPERATORS, Operator
from srlib.tools.ballot import make_packet, packet
from srlib.tools.ballot.sheet import make_sheet, write_plainly
from tests import workers_cases
from tests.builders import refused
from tests.tools.ballot.made_up import METHODS, competition

pytestmark = pytest.mark.slow

# Whatever names a method, its package or how only one package writes.
IDIOMS = re.compile(
    rb"gplearn|operon|sklearn|scikit|linear.?regression|orthogonal|sparse|polynomial|ffx|deap|sympy|pyreg"
    rb"|protected|pdiv|plog|\baq\b|square\(|matplotlib|\d+\.\d+\.\d+", re.IGNORECASE
)  # fmt: skip


def make(folder, texts=METHODS, seed=1, out="out", **options):
    """Make a packet of the made-up competition, without pictures; give its key."""
    made_up = competition(folder, texts, pictures=False)
    make_packet(made_up, folder / out, seed=seed, **options)
    return json.loads((folder / out / "key.json").read_text())


@pytest.mark.parametrize("name", ["made up", "demo"])
def test_no_byte_of_the_packet_names_a_method(tmp_path, name):
    """Pictures are decoded and left out of the text."""
    judged = competition(tmp_path)
    if name == "demo":
        judged = Competition.read("demo", "diabetes")
    make_packet(judged, tmp_path / "out", seed=5)
    text, pictures = b"", []
    for path in (tmp_path / "out/packet").iterdir():
        parts = re.split(rb"data:image/png;base64,([A-Za-z0-9+/=]+)", path.read_bytes())
        text += path.name.encode() + b"".join(parts[::2])
        pictures += [Image.open(io.BytesIO(base64.b64decode(part))) for part in parts[1::2]]
    assert pictures and {key for picture in pictures for key in picture.info} <= {"dpi"}
    assert IDIOMS.findall(text) == []
    runs = judged.runs.frame
    names = {*runs["method"], *runs["method_version"]}
    assert [name for name in names if name.lower().encode() in text.lower()] == []
    assert not [t for t in runs["model"] if len(t) > 60 and t.encode() in text]


def test_key_beside_the_packet_has_the_run_of_each_code(tmp_path):
    content, folder = make(tmp_path), tmp_path / "out/packet"
    assert stat.S_IMODE((tmp_path / "out/key.json").stat().st_mode) == 0o600
    ballot, codes = pd.read_csv(folder / "ballot.csv"), content["codes"]
    assert [*ballot] == ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
    assert {*ballot["packet"]} == {content["packet"]}
    assert ballot["code"].tolist() == [*codes] and not [*folder.glob("*.json")]
    assert {*map(tuple, codes.values())} == {("method", "dataset", "repetition")}
    pages = [path.read_text() for path in sorted(folder.glob("sheets-*"))]
    assert re.findall(r'<article id="([\w-]+)"', "".join(pages)) == [*codes]
    assert "second &amp; &lt;i&gt;" in pages[1] and "<i>" not in pages[1]
    assert "Guess &lt;b&gt;it&lt;/b&gt;." in pages[1]


def test_order_depends_on_the_seed_and_the_models(tmp_path):
    """Whoever knows the participants, and even a seed, does not know the key of other models."""
    other = dict.fromkeys(METHODS, "bmi")
    calls = [(METHODS, 1), (METHODS, 1), (other, 1), (METHODS, 2), (METHODS, None), (METHODS, None)]
    keys = [make(tmp_path, *call, out=str(number)) for number, call in enumerate(calls)]
    assert keys[0] == keys[1] and len({key["packet"] for key in keys}) == 5
    assert len({str([entry["method"] for entry in key["codes"].values()]) for key in keys}) > 1


def test_key_is_never_overwritten_by_that_of_another_packet(tmp_path):
    keys = [make(tmp_path), make(tmp_path)]  # the same one again
    with refused(r"key\.json: the key of another packet"):
        make(tmp_path, seed=2)
    assert keys == [json.loads((tmp_path / "out/key.json").read_text())] * 2


def test_second_of_two_packets_at_once_is_refused(tmp_path, monkeypatch):
    """The first one is written while the second draws its sheets."""
    write = packet.result_folder

    def write_after_another(out, command):
        monkeypatch.setattr(packet, "result_folder", write)
        make(tmp_path, seed=8)
        return write(out, command)

    monkeypatch.setattr(packet, "result_folder", write_after_another)
    with refused(r"key\.json: the key of another packet"):
        make(tmp_path, seed=9)


@pytest.mark.parametrize("name", sorted(n for n, o in OPERATORS.items() if o.meaning and o.nodes))
def test_operator_of_some_libraries_is_written_in_common_ones(name, generator):
    operator = OPERATORS[name]
    model = Expression((*"ab"[: operator.arity], operator))
    points = {"a": generator.uniform(1, 2, 20), "b": generator.uniform(1, 2, 20)}
    written = write_plainly(model)
    assert not any(item.meaning for item in written.tape if isinstance(item, Operator))
    near = 1e-2 if name == "gomea_div" else 1e-9
    values = (evaluate(one, points, 20) for one in (written, model))
    np.testing.assert_allclose(*values, rtol=0, atol=near)


def test_sheet_draws_the_text_as_sent_and_marks_an_equation_with_other_values(tmp_path):
    """On these rows bmi is near 0, where gplearn divides by nothing: the plain quotient is another model."""
    problem = competition(tmp_path).problems.find("first")
    row = {
        "code": "S",
        "repetition": 1,
        "model": METHODS["Gplearn-XL"],
        "shown_model": METHODS["Gplearn-XL"],
    }
    own, doubled, divided, other = (
        make_sheet((row | new, problem))
        for new in (
            {},
            {"shown_model": "2*bmi"},
            {"shown_model": "gplearn_div(bmi, s5 - s5)"},
            {"model": "2*bmi"},
        )
    )
    assert own["picture"] == doubled["picture"] != other["picture"] and own["picture"]
    assert own["equation"] != doubled["equation"]
    assert doubled["alike"] and not divided["alike"]


def test_model_whose_sheet_meets_a_limit_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("srlib.tools.ballot.packet.make_sheet", workers_cases.kill_itself)
    with refused(r"^method .*, dataset .*no sheet.*killed by signal"):
        make(tmp_path, timeout=0.5)
    assert not (tmp_path / "out").exists()


def test_sheets_with_the_same_equation_name_each_other_and_have_equal_components(tmp_path):
    key = make(tmp_path, METHODS | {"PyOperonNet": "bmi + bmi"})["codes"]
    page = (tmp_path / "out/packet/sheets-first.html").read_text()
    components = dict(
        re.findall(r'<article id="([\w-]+)".*?<dt>components</dt><dd>(\d+)', page, re.S)
    )
    twins = re.findall(r"The same equation as ([\w-]+), found by another method", page)
    assert {key[code]["method"] for code in twins} == {"PyOperonNet", "deap&<b>"}
    assert len(twins) == 2 and components[twins[0]] == components[twins[1]]
