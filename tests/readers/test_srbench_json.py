"""SRBench's JSON folders: made-up files, broken ones, and the examples among the reference data."""

import json

import pytest

from srlib.readers import read_runs
from tests.builders import each, refused

RUN = json.loads("""
{"dataset": "strogatz_lv1", "algorithm": "made-up", "params": {"depth": 3, "names": ["a"]}, "random_state": 7,
 "time_time": 1.5, "target_noise": 0.0, "true_model": "x*y", "model_size": 3, "symbolic_model": "x0*x1",
 "r2_train": 1.0, "r2_test": 0.75}""")
READ = json.loads("""
{"method": "made-up", "dataset": "strogatz_lv1@0", "repetition": 0, "model": "x0*x1", "r2_test": 0.75,
 "complexity_raw": 3, "training_time_s": 1.5, "status": "ok", "file": "d/0.json", "row": 1}""")


@pytest.fixture
def folder(tmp_path):
    """Three runs; the second one has been assessed, too."""
    (tmp_path / "d").mkdir()
    for seed in range(3):
        text = json.dumps(RUN | {"random_state": seed}, indent=4)
        (tmp_path / f"d/{seed}.json").write_text(text)
    assessed = RUN | {"random_state": 1, "symbolic_error_is_zero": True, "simplified_complexity": 3}
    (tmp_path / "d/1.json.updated").write_text(json.dumps(assessed))
    return tmp_path


def test_runs_are_read_as_srbench_wrote_them(folder):
    """The assessed file takes the place of the raw one."""
    runs = read_runs(folder)
    assert (runs.layout, runs.kind, len(runs.frame)) == ("srbench", "runs", 3)
    assert runs.frame.iloc[0][[*READ]].to_dict() == READ
    columns = ["file", "symbolic_error_is_zero", "simplified_complexity"]
    assert runs.frame.iloc[1][columns].tolist() == ["d/1.json.updated", True, 3]


def test_the_layout_of_the_2022_competition(tmp_path):
    """DATASET/METHOD/DATASET_METHOD_SEED.json, where DATASET is SEED_TASK_data; the data's seed is the repetition."""
    for seed in (2082, 3946):
        name = f"{seed}_exact_formula_easy_data"
        place = tmp_path / name / "QLattice"
        place.mkdir(parents=True)
        keys = '"algorithm": "QLattice", "random_state": 42, "symbolic_model": "x1"'
        (place / f"{name}_QLattice_42.json").write_text(f'{{"dataset": "{name}", {keys}}}')
    columns = ["method", "dataset", "repetition", "data_seed", "seed"]
    assert read_runs(tmp_path).frame[columns].to_numpy().tolist() == [
        ["QLattice", "exact_formula_easy", seed, seed, 42] for seed in (2082, 3946)
    ]


@pytest.mark.parametrize(
    "text", ['{"dataset": "d", "algo', "", "[1]", '{"r2_test": "high"}', "\x00", "[" * 100_000]
)
def test_a_broken_file_is_named_and_the_others_count(folder, text):
    (folder / "d/9.json").write_text(text)
    runs = read_runs(folder)
    assert runs.frame["repetition"].tolist() == [0, 1, 2] and runs.frame["r2_test"][0] == 0.75
    sentence = str(*runs.unread)
    assert sentence.startswith("d/9.json: not a run's JSON file (")
    assert sentence in runs.notices[-1]


@each(
    "name message",
    r"""
a.json | a\.json: not a run's JSON file \(dataset and random_state missing
a | holds no table and no JSON files of runs
""",
)
def test_a_folder_without_readable_runs_is_refused(tmp_path, name, message):
    (tmp_path / name).write_text('{"algorithm": "A"}')
    with refused(message):
        read_runs(tmp_path)


def test_the_examples_of_srbench(reference_data):
    runs = read_runs(reference_data / "srbench" / "json").frame
    assert runs.groupby("dataset").size().tolist() == [10] * 8
    assert runs["file"].str.endswith(".updated").all()
    one = runs.iloc[5]
    content = json.loads((reference_data / "srbench" / "json" / one["file"]).read_text())
    assert (one["r2_test"], one["model"]) == (content["r2_test"], content["symbolic_model"])
    assert one["dataset"] == f"{content['dataset']}@{content['target_noise']:g}"
