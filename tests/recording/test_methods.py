"""Method files: the shipped one, and what is said about faults."""

import pytest

from srlib.errors import InputError
from srlib.recording import load_methods
from srlib.recording.methods import Method, build, sources

TEXT = """
schema: 1
methods:
  - {name: a, estimator: "m.n:C", parameters: {p: 1}, model: {attribute: text_}, names: x0}
"""


def load(tmp_path, text):
    path = tmp_path / "methods.yaml"
    path.write_text(text)
    return load_methods(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("names: x0", "names: x2", "'methods.0.names'"),
        (
            "names: x0",
            "name_: x0",
            "key 'methods.0': unknown key 'name_'; allowed: budget, estimator",
        ),
        ("m.n:C", "m.n.C", "'methods.0.estimator'.*got 'm.n.C'"),
        ("{attribute: text_}", "{}", "exactly one of attribute and text"),
        ("schema: 1", "schema: 2", "'schema'"),
    ],
)
def test_a_fault_is_one_sentence(tmp_path, old, new, message):
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path, TEXT.replace(old, new))
    assert "methods.yaml" in str(caught.value)


def test_a_repeated_name_is_named(tmp_path):
    with pytest.raises(InputError, match="method a is listed twice"):
        load(tmp_path, TEXT + TEXT.split("methods:\n")[1])


def test_the_source_has_the_files_of_nested_estimators(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inner = {"estimator": "inner:Inner"}
    method = Method.model_validate(
        {
            "name": "Bag",
            "estimator": "sklearn.ensemble:BaggingRegressor",
            "parameters": {"estimator": inner},
            "model": {"text": "participant"},
        }
    )
    hashes = set()
    for text in ("", "# edited"):
        (tmp_path / "inner.py").write_text(text)
        hashes.add(sources({"Bag": method})["Bag"]["source"])
    assert len(hashes) == 2


def test_demo_estimators_are_built_with_seed_and_versions():
    demo = {method.name: method for method in load_methods("demo")}
    assert all(origin["version"] for origin in sources(demo).values())
    for name, parameter, value in (
        ("gplearn", "random_state", 7),
        ("deap", "population_size", 1000),
    ):
        estimator = build(demo[name], ("a", "b"), seed=7)
        estimator = getattr(estimator, "estimator", estimator)
        assert (estimator.random_state, getattr(estimator, parameter)) == (7, value)
