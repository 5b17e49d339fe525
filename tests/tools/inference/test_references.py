"""What is wrong with a kept reference is one sentence."""

import json
import math

import pytest

from srlib.errors import InputError
from srlib.tools.inference.tasks import compute_reference, find_reference
from tests.tools.inference.small import stored

CHANGES = {
    "key 'mar.0.0': input should be less than or equal to 1": {"mar": [[2, 0]]},
    "key 'best.MPE small.0': input should be less than inf": {
        "best": {"MPE small": [math.inf, []]}
    },
    "key 'map_log_likelihood': extra inputs are not permitted": {"map_log_likelihood": 0},
    "belongs to another problem than small; delete it": {"digest": "x"},
    "belongs to another problem than small": {"mar": [[0, 1]]},
    "not a reference": "[" * 100_000,
    "not a ref": "\udcff",
    "not a r": '{"log10_Z": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("sentence", CHANGES)
def test_wrong_reference_is_one_sentence(sentence, tmp_path):
    problem, text = stored(tmp_path)[0], CHANGES[sentence]
    if isinstance(text, dict):
        text = json.dumps(compute_reference(problem).model_dump() | text)
    (tmp_path / "small.reference.json").write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=f"small.reference.json: .*{sentence}") as caught:
        find_reference(problem, tmp_path)
    assert "\n" not in str(caught.value)
