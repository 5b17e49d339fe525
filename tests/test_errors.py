"""What a stranger's text puts into a message stays one line of a length that is read."""

import pickle

from srlib.errors import InputError, ModelTextError


def test_a_message_is_one_line():
    assert str(InputError("row 1:\n\tname\u2028 'a\rb'")) == "row 1: name 'a b'"


def test_a_long_message_loses_its_middle():
    assert str(InputError("x" * 1500)) == "x" * 1500
    shown = str(InputError("begins " + "x" * 10_000 + " ends"))
    assert shown.startswith("begins x")
    assert shown.endswith("x ends")
    assert len(shown) < 1500


def test_errors_survive_their_way_out_of_a_worker():
    for error in (InputError("a"), ModelTextError("no model", "x +" * 1000, 5)):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))
