"""Kept references: what is wrong with a file is one sentence, and best known likelihoods only grow."""

import json
import math

import pytest

from srlib.errors import InputError
from srlib.inference.tasks import compute_reference, find_reference, write_reference
from tests.inference.small import stored
from tests.inference.test_scoring import narrow, one, scored

__all__ = ["narrow"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"digest": "x"}, "belongs to another problem than small; delete it"),
        ({"digest": 5}, "key 'digest': input should be a valid string, got 5"),
        ({"mar": 5}, "key 'mar': input should be a valid array"),
        ({"mar": [["a", 0]]}, "key 'mar.0.0': input should be a valid number"),
        ({"mar": [[2, 0]]}, "key 'mar.0.0': input should be less than or equal to 1"),
        ({"log10_Z": math.nan}, "key 'log10_Z': input should be less than inf"),
        ({"best": {"MPE small": [math.inf, []]}}, "key 'best.MPE small.0': input should be less than inf"),
        ({"best": [1]}, "key 'best': input should be an object"),
        ({"map_log_likelihood": 0}, "key 'map_log_likelihood': extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_wrong_reference_is_one_sentence(change, sentence, tmp_path):
    problem = stored(tmp_path)[0]
    content = compute_reference(problem).model_dump() | change
    (tmp_path / "small.reference.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"small.reference.json: .*{sentence}"):
        find_reference(problem, tmp_path)


@pytest.mark.parametrize("text", ["[" * 100_000, "[", "\udcff", '{"log10_Z": ' + "9" * 5000 + "}"])
def test_what_is_no_json_is_one_sentence(text, tmp_path):
    problem = stored(tmp_path)[0]
    (tmp_path / "small.reference.json").write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match="small.reference.json: not a reference") as caught:
        find_reference(problem, tmp_path)
    assert "\n" not in str(caught.value)


def test_the_best_known_likelihood_only_grows_and_changes_older_scores(tmp_path, narrow):
    answers = {"a/small.uai.MPE": "MPE 2 0 2", "trivial/small.uai.MPE": "MPE 2 0 0"}
    problem, folder, scores = stored(tmp_path)[0], tmp_path / "reference", []
    for answer, states, before in (
        ("MPE 2 0 0", [0, 2], None),
        ("MPE 2 1 0", [1, 0], 1.2),
        ("MPE 2 0 1", [1, 0], None),
    ):
        found = scored(tmp_path, answers | {"b/small.uai.MPE": answer}, folder, "trivial")
        write_reference(problem, found.references["small"], folder)
        likelihood = math.log10(2.4 if states == [1, 0] else 1.2)
        best = find_reference(problem, folder).best["MPE small"]
        assert best == (pytest.approx(likelihood), states)
        assert len(found.changes) == (before is not None)
        for change in found.changes.itertuples():
            assert (change.before, change.after) == pytest.approx((math.log10(1.2), likelihood))
            assert change.solver == "b"
        scores.append(one(found)["score"])
    later = 100 * (1 - math.log(2) / math.log(6))
    assert scores == pytest.approx([100, later, later])


def test_the_default_trivial_answer_is_among_the_best_known(tmp_path, narrow):
    """Likelihoods: 0 0 has .4; the default, each variable by its own table, 1 0, has 2.4 and is the best known."""
    found = scored(tmp_path, {"a/small.uai.MPE": "MPE 2 0 0"})
    assert one(found)["error"] == pytest.approx(math.log10(2.4 / 0.4))
    assert found.references["small"].best["MPE small"] == (pytest.approx(math.log10(2.4)), [1, 0])
