"""What is wrong with a kept reference is one sentence."""

import json
import math

import pytest

from srlib.errors import InputError
from srlib.tools.inference.tasks import compute_reference, find_reference
from tests.tools.inference.small import stored


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"digest": "x"}, "belongs to another problem than small; delete it"),
        ({"mar": [[0, 1]]}, "belongs to another problem than small; delete it"),
        ({"mar": [[2, 0]]}, "key 'mar.0.0': input should be less than or equal to 1"),
        ({"best": {"MPE small": [math.inf, []]}}, "key 'best.MPE small.0': input should be less than inf"),
        ({"map_log_likelihood": 0}, "key 'map_log_likelihood': extra inputs are not permitted"),
        ("[" * 100_000, "not a reference"),
        ("\udcff", "not a reference"),
        ('{"log10_Z": ' + "9" * 5000 + "}", "not a reference"),
    ],
)  # fmt: skip
def test_a_wrong_reference_is_one_sentence(change, sentence, tmp_path):
    problem, text = stored(tmp_path)[0], change
    if isinstance(change, dict):
        text = json.dumps(compute_reference(problem).model_dump() | change)
    (tmp_path / "small.reference.json").write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=f"small.reference.json: .*{sentence}") as caught:
        find_reference(problem, tmp_path)
    assert "\n" not in str(caught.value)
