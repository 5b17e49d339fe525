"""SRBench's JSON folders: made-up files, broken ones, and the examples among the reference data."""

import json
from pathlib import Path
from typing import Any

import pytest

from srlib.errors import InputError
from srlib.readers import read_runs

RUN = {
    "dataset": "strogatz_lv1", "algorithm": "made-up", "params": {"depth": 3, "names": ["a"]}, "random_state": 7,
    "time_time": 1.5, "target_noise": 0.0, "true_model": "x*y", "model_size": 3, "symbolic_model": "x0*x1",
    "r2_train": 1.0, "r2_test": 0.75,
}  # fmt: skip


def write(
    folder: Path,
    seed: int,
    *,
    method: str = "made-up",
    text: str | None = None,
    end: str = "",
    **changes: Any,
):
    content = RUN | {"random_state": seed, "algorithm": method} | changes
    path = folder / content["dataset"] / f"{content['dataset']}_{method}_{seed}{end}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=4) if text is None else text)
    return path


@pytest.fixture
def folder(tmp_path):
    for seed in range(3):
        write(tmp_path, seed)
    return tmp_path


def test_a_run_is_read_as_srbench_wrote_it(folder):
    runs = read_runs(folder)
    assert runs.layout == "srbench" and runs.kind == "runs"
    first = runs.frame.iloc[0]
    assert (first["method"], first["dataset"], first["repetition"]) == (
        "made-up",
        "strogatz_lv1@0",
        0,
    )
    assert (first["model"], first["r2_test"], first["complexity_raw"]) == ("x0*x1", 0.75, 3)
    assert (first["training_time_s"], first["status"]) == (1.5, "ok")
    assert (first["file"], first["row"]) == ("strogatz_lv1/strogatz_lv1_made-up_0.json", 1)
    assert len(runs.frame) == 3


def test_the_assessed_file_takes_the_place_of_the_raw_one(folder):
    path = folder / "strogatz_lv1" / "strogatz_lv1_made-up_1.json.updated"
    found = {"simplified_symbolic_model": "x*y", "simplified_complexity": 3, "symbolic_error_is_zero": True,
             "symbolic_error_is_constant": True, "symbolic_fraction_is_constant": None}  # fmt: skip
    path.write_text(json.dumps(RUN | {"random_state": 1} | found))
    runs = read_runs(folder).frame.set_index("repetition")
    assert len(runs) == 3 and runs.loc[1, "file"].endswith(".updated")
    assert (
        runs.loc[1, "symbolic_error_is_zero"] is True and runs.loc[1, "simplified_complexity"] == 3
    )


def test_the_layout_of_the_2022_competition(tmp_path):
    """DATASET/METHOD/DATASET_METHOD_SEED.json, where DATASET is SEED_TASK_data; the data's seed is the repetition."""
    for seed in (2082, 3946):
        name = f"{seed}_exact_formula_easy_data"
        place = tmp_path / name / "QLattice"
        place.mkdir(parents=True)
        content = {"dataset": name, "algorithm": "QLattice", "random_state": 42, "time_time": 9.0,
                   "symbolic_model": "x1", "r2_test": 0.5, "simplicity": -0.4, "y_pred_test": [0.5] * 500}  # fmt: skip
        (place / f"{name}_QLattice_42.json").write_text(json.dumps(content))
    runs = read_runs(tmp_path).frame
    assert set(runs["dataset"]) == {"exact_formula_easy"}
    assert runs["data_seed"].tolist() == runs["repetition"].tolist() == [2082, 3946]
    assert runs["seed"].tolist() == [42, 42]
    assert runs["method"].tolist() == ["QLattice", "QLattice"]


@pytest.mark.parametrize(
    "text",
    [
        '{"dataset": "strogatz_lv1", "algo',
        "",
        "[1, 2]",
        '{"r2_test": "high"}',
        "\x00\x01",
        "[" * 100_000,
    ],
)
def test_a_broken_file_is_named_and_the_others_count(folder, text):
    write(folder, 9, text=text)
    runs = read_runs(folder)
    assert runs.frame["repetition"].tolist() == [0, 1, 2] and runs.frame["r2_test"][0] == 0.75
    (sentence,) = runs.unread
    assert sentence.startswith("strogatz_lv1/strogatz_lv1_made-up_9.json: not a run's JSON file (")
    assert "\n" not in sentence and sentence in runs.notices[-1]


def test_a_file_that_does_not_say_which_run_it_is_is_not_read(folder):
    (folder / "notes.json").write_text('{"algorithm": "A"}')
    (sentence,) = read_runs(folder).unread
    assert sentence == "notes.json: not a run's JSON file (dataset and random_state missing)"


def test_a_folder_without_a_readable_file_is_refused(tmp_path):
    (tmp_path / "notes.json").write_text('{"a": 1')
    with pytest.raises(InputError, match=r"notes\.json: not a run's JSON file"):
        read_runs(tmp_path)


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no table and no JSON files of runs"):
        read_runs(tmp_path)


def test_the_examples_of_srbench(reference_data):
    runs = read_runs(reference_data / "srbench" / "json").frame
    assert len(runs) == 80 and runs["file"].str.endswith(".updated").all()
    assert runs.groupby("dataset").size().eq(10).all() and runs["dataset"].nunique() == 8
    assert runs["symbolic_error_is_zero"].notna().all() and runs["status"].eq("ok").all()
    one = runs.iloc[5]
    content = json.loads((reference_data / "srbench" / "json" / one["file"]).read_text())
    assert (one["r2_test"], one["model"]) == (content["r2_test"], content["symbolic_model"])
    assert one["dataset"] == f"{content['dataset']}@{content['target_noise']:g}"
