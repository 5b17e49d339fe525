"""Method files: the shipped one, what counts as a recorded_method's source, and what is said about faults."""

from pathlib import Path

from srlib.tools.recording import load_methods
from srlib.tools.recording.methods import build_estimator, read_origins
from tests.builders import each, recorded_method, refused

ENTRY = '{name: a, estimator: "m.n:C", parameters: {p: 1}, model: {attribute: text_}, names: x0}'


# what is replaced in the entry, by what, and the sentence that comes
FAULTS = """
names: x0 | names: x2 | 'methods.0.names'
names: x0 | name_: x0 | key 'methods.0': unknown key 'name_'; allowed: budget, esti
m.n:C | m.n.C | 'methods.0.estimator'.*got 'm.n.C'
{attribute: text_} | {} | exactly one of attribute and text
, model: {attribute: text_} | | 'methods.0.model'
schema: 1 | schema: 2 | 'schema'
[{name: a | [{name: a, estimator: "m:C", model: {text: linear}}, {name: a | method a is listed twice
"""


@each("old new message", FAULTS)
def test_fault_of_a_method_file_is_one_sentence(tmp_path, old, new, message):
    path = tmp_path / "methods.yaml"
    path.write_text(f"schema: 1\nmethods: [{ENTRY}]".replace(old, new))
    with refused(rf"methods\.yaml.*{message}"):
        load_methods(path)


def test_source_changes_with_the_file_of_a_nested_estimator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bag = recorded_method("Bag", parameters={"base": {"estimator": "inner:Inner"}})
    hashes = set()
    for text in ("", "# edited"):
        Path("inner.py").write_text(text)
        hashes.add(read_origins([bag])["Bag"]["source"])
    assert len(hashes) == 2


def test_demo_estimators_are_built_with_seed_and_versions():
    demo = {method.name: method for method in load_methods("demo")}
    assert all(origin["version"] for origin in read_origins(demo.values()).values())
    deap = build_estimator(demo["deap"], ("a", "b"), seed=7).estimator
    assert (deap.random_state, deap.population_size) == (7, 1000)
    assert build_estimator(demo["gplearn"], ("a", "b"), seed=7).random_state == 7
