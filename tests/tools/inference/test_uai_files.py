"""Readers: every form of every file, and one clear sentence for what is wrong, also with a reference that is kept."""

import json
import math
import re

import pytest

from srlib.tools.inference import load_problems
from srlib.tools.inference.tasks import compute_reference, find_reference
from tests.builders import each, refused
from tests.tools.inference.small import PAIR, stored


def test_unusual_scopes_and_cardinalities_are_read(tmp_path):
    text = "MARKOV\n2\n1 2\n4\n0\n1 1\n1 1\n2 0 1\n1\n0.5\n2\n0 0\n2\n1 1\n2\n1 1\n"
    scopes = [scope for scope, _ in stored(tmp_path, text)[0].model.functions]
    assert scopes == [(), (1,), (1,), (0, 1)]


# what is replaced in PAIR, by what, and the sentence that comes
FAULTS = r"""
WHOLE |  | token 1: MARKOV or BAYES was expected, got ''
WHOLE | MARKOV 65 ONES65 | token 69: the number of variables of function 0, a whole
2 3\n2 | 2 3\n9 | token 12: a variable of function 2, a whole number from 0 to 1, was expected, got 0.4
2 0 1 | 2 0 0 | token 10: function 1 names a variable twice
2 3\n | 2 0\n | token 4: a number of states, a whole number from 1 to 1048576, was expected, got 0
6\n | 5\n | token 14: the size of the table of function 1, a whole number from 6 to 6, was expected
 5 0\n | \n | token 19: the file ends where an entry of the table of function 1 was expected
 5 0\n |  5 0 7\n | token 21: the end was expected, got 7
0.6 | -0.6 | token 13: an entry of the table of function 0, a number from 0 to
0.6 | inf | token 13: an entry of the table of function 0, a number from 0 to
0.6 | 0,6 | token 13: a number was expected, got '0,6'
0.6 | \x00\xff | token 13: a number was expected, got
MARKOV | BAYES | token 20: each distribution of function 1 of a BAYES network must sum to 1, got 6
MARKOV\n2 | MARKOV\n99999999 | token 2: the number of variables, a whole number from 1 to
"""
BESIDE = """
evid | 1 2 0 | token 2: a variable, a whole number from 0 to 1
evid | 1 1 3 | token 3: a state of variable 1, a whole number from 0 to 2
evid | 2 1 1 0 | token 5: the file ends where the number of observations was expected
query | 3 0 1 1 | token 1: the number of variables of the query
query | 2 1 1 | token 3: the query names a variable twice
query | 1 0 1 | token 3: the end was expected
test | 3 0 0 0 0 | token 1: the number of variables, a whole number from 2 to 2
test | 2 1 0 1 1 0 2 0 1 | token 10: the file ends
"""


@each("old new sentence", FAULTS)
def test_wrong_model_is_one_sentence_with_file_and_token(tmp_path, old, new, sentence):
    new = new.replace("ONES65", "1 " * 65 + "1 65 ").encode().decode("unicode_escape")
    text = PAIR.replace(old.replace("WHOLE", PAIR), new)
    assert text != PAIR
    with refused(re.escape(f"small.uai {sentence}")):
        stored(tmp_path, text)


@each("kind content sentence", BESIDE)
def test_fault_of_a_file_beside_the_model_is_one_sentence(tmp_path, kind, content, sentence):
    with refused(f"small.uai.{kind} {sentence}"):
        stored(tmp_path, **{kind: content})


def test_folder_without_problems_is_an_error(tmp_path):
    with refused("no problem was found"):
        load_problems(tmp_path)


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
    with refused(f"small.reference.json: .*{sentence}"):
        find_reference(problem, tmp_path)
