"""Every key of every file is explained."""

import re

import pytest

from srlib.cli.explain import COLUMNS, keys_of, models
from srlib.cli.main import DONE, WRONG_INPUT, main
from srlib.files import DEMO, PARAMETERS
from srlib.tables import RUNS
from srlib.yamlfile import load_yaml


@pytest.mark.parametrize("kind", models())
def test_every_key_has_an_explanation(kind):
    keys = dict(keys_of(models()[kind]))
    assert len(keys) >= 8
    assert [path for path, field in keys.items() if not field.description] == []


def test_the_keys_of_shipped_files_are_among_them():
    for kind, model in models().items():
        known = {path.split(".")[0] for path, _ in keys_of(model)}
        for path in (PARAMETERS / kind).glob("*.yaml"):
            assert set(load_yaml(path)) <= known


def test_templates_name_no_file_of_the_program():
    for path in (DEMO / "new").glob("*.yaml"):
        assert not re.search(r"\.py\b", path.read_text(encoding="utf-8"))


def keys_in(content, above=()):
    """Every key of a YAML file, however deep, with those above it."""
    if isinstance(content, list):
        for entry in content:
            yield from keys_in(entry, above)
    for key, value in content.items() if isinstance(content, dict) else ():
        yield (*above, str(key))
        yield from keys_in(value, (*above, str(key)))


@pytest.mark.parametrize("name", ["suite.yaml", "problems.yaml", "rules.yaml"])
def test_every_key_of_a_template_is_explained(name, tmp_path, capsys):
    """By `srlib explain KEY`; names that the user chooses (features, aspects) are no keys."""
    assert main(["new", str(tmp_path / "mine")]) == DONE
    text = (tmp_path / "mine" / name).read_text(encoding="utf-8")
    chosen = {"accuracy", "simplicity", "property", "x1", "x2", "x3"}
    keys = {path for path in keys_in(load_yaml(tmp_path / "mine" / name))}
    asked = [path for path in keys if path[-1] not in chosen or path[-2:-1] == ("properties",)]
    assert len(asked) > 8
    for path in asked:
        capsys.readouterr()
        assert main(["explain", path[-1]]) == DONE, path
        said = capsys.readouterr().out
        assert len(said.split("\n    ", 1)[1].strip()) > 5, path
        assert not re.search(r"\.py\b|srlib\.\w", said), path
    assert not re.search(r"\.py\b|srlib\.\w", text)
    if name == "rules.yaml":
        lines = [line for line in text.splitlines() if ": " in line and not line.startswith("#")]
        assert all("#" in line for line in lines if line.startswith("  "))
        assert "sources" not in text


def test_every_column_of_a_run_table_is_explained(tmp_path, capsys):
    assert main(["new", str(tmp_path / "mine")]) == DONE
    for name in ("runs.csv", "submission.csv"):
        header = (tmp_path / "mine" / name).read_text(encoding="utf-8").splitlines()[0]
        for column in header.split(","):
            assert main(["explain", column]) == DONE
            assert f"columns: {column} (" in capsys.readouterr().out
    assert set(COLUMNS) == set(RUNS.columns)


def test_a_parameter_of_a_notebook_is_explained(capsys):
    assert main(["explain", "resamples"]) == DONE
    said = capsys.readouterr().out
    assert "notebooks: robustness.resamples (int; else 10000)\n    how often runs, datasets" in said
    assert main(["explain", "notebooks"]) == DONE
    assert all(line[4:].strip() for line in capsys.readouterr().out.splitlines()[1::2])


def test_a_key_is_explained_with_what_it_may_be(capsys):
    assert main(["explain", "ties"]) == DONE
    said = capsys.readouterr().out
    assert said.startswith(
        "rules: judge.ties (dense | min | average | max; else dense)\n    places of equal"
    )
    assert main(["explain", "data.train"]) == DONE
    assert "problems: problems.data.train (text | null; else null)" in capsys.readouterr().out
    assert main(["explain", "surrogate_ratio"]) == DONE
    assert main(["explain", "suites"]) == DONE
    assert "reports.notebook (text; needed)" in capsys.readouterr().out


def test_an_unknown_key_brings_near_ones(capsys):
    assert main(["explain", "tie"]) == WRONG_INPUT
    assert "try ties" in capsys.readouterr().err
