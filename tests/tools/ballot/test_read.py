"""Reading ballots: a sentence for each fault, nothing unblinded before there is none, several experts."""

import json

import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.judging.real_world import rank_by_trust
from srlib.tools.ballot import read_ballots
from tests.tools.ballot.made_up import RULES, filled

PACKET = "KQXWRT"
KEY = {
    f"D{d}S{s}": {"method": method, "dataset": dataset, "repetition": 1}
    for d, dataset in enumerate(("a", "b"), 1)
    for s, method in enumerate(("m1", "m2", "m3"), 1)
}
BLANK = pd.DataFrame([{"dataset": entry["dataset"], "code": code} for code, entry in KEY.items()])
GOOD = filled(BLANK.assign(packet=PACKET), "Ada", 1).assign(rank=[2, 3, 1, 1, 2, 3])
GOOD = GOOD[["packet", "expert", "dataset", "code", "rank", "trust", "comment"]]


@pytest.fixture
def read(tmp_path):
    """Read ballots, given as tables or as the bytes of files, under the key."""

    def call(*ballots, key=None):
        paths = [tmp_path / f"ballot{number}.csv" for number in range(len(ballots))]
        (tmp_path / "key.json").write_text(key or json.dumps({"packet": PACKET, "codes": KEY}))
        for path, ballot in zip(paths, ballots, strict=True):
            text = ballot if isinstance(ballot, bytes) else ballot.to_csv(index=False).encode()
            path.write_bytes(text)
        return read_ballots(paths, tmp_path / "key.json")

    return call


# row (from 0), column, what stands there, and the sentence that comes
FAULTS = """
1 | code | D9S9 | row 2: code D9S9 is unknown
1 | code | D9S9 | expert Ada, dataset a: D1S2 is missing
1 | dataset | b | row 2: D1S2 belongs to a, got b
0 | trust | 6 | row 1: trust of D1S1 must be a whole number from 1 to 5, got 6
0 | trust | 2.5 | row 1: trust of D1S1 must be a whole number from 1 to 5, got 2.5
0 | trust | | row 1: trust of D1S1 must be a whole number from 1 to 5, got nothing
0 | rank | 4 | row 1: rank of D1S1 must be a whole number from 1 to 3, got 4
0 | rank | first | row 1: rank of D1S1 must be a whole number from 1 to 3, got first
0 | rank | 3 | dataset a: rank 3 is given to D1S1, D1S2
0 | expert | | row 1: the expert's name is empty
"""


@pytest.mark.parametrize("fault", FAULTS.strip().splitlines())
def test_each_fault_of_a_cell_is_a_sentence(read, fault):
    row, column, value, sentence = map(str.strip, fault.split("|"))
    table = GOOD.astype(object)
    table.loc[int(row), column] = value
    faults = read(table)[1]
    assert any(sentence in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (GOOD.drop(index=1), "expert Ada, dataset a: D1S2 is missing"),
        (pd.concat([GOOD, GOOD[:1]]), "expert Ada, dataset a: rank 2 is given to D1S1, D1S1"),
        (GOOD[:0], "no dataset is filled"),
    ],
)
def test_a_missing_or_doubled_row_is_a_sentence(read, table, sentence):
    assert sentence in read(table)[1][0]


def test_ballots_of_two_experts_are_unblinded_together(read):
    bob = filled(GOOD, "Bob", 2)
    trust, faults, _ = read(GOOD, bob)
    columns = ["expert", "method", "dataset", "rank", "trust", "code", "comment"]
    assert trust.columns.tolist() == columns and len(trust) == 12
    answers = pd.concat([GOOD, bob]).merge(trust, on=[c for c in columns if c != "method"])
    assert answers["method"].tolist() == ["m1", "m2", "m3"] * 4
    places = rank_by_trust(trust, RULES.judge).places
    assert faults == [] and places.groupby("dataset").size().tolist() == [6, 6]


def test_one_fault_anywhere_keeps_everything_blind(read):
    trust, [fault], _ = read(GOOD, filled(GOOD, "Bob", 2)[1:])
    assert trust.empty and "ballot1.csv: expert Bob, dataset a: D1S1 is missing" in fault
    assert not any(method in fault for method in ("m1", "m2", "m3"))


def test_an_expert_with_two_ballots_is_a_fault(read):
    assert read(GOOD, GOOD)[1] == ["expert Ada has a ballot in two files"]


@pytest.mark.parametrize(
    "key",
    [
        " ",
        "[1]",
        "{}",
        '{"packet": "P", "codes": {"D1S1": {"method": "m"}}}',
        '{"packet": 3, "codes": {}}',
    ],
)
def test_a_file_that_is_no_key_is_an_error(read, key):
    with pytest.raises(InputError, match=r"key\.json: "):
        read(GOOD, key=key)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        # codes and positions of two packets look alike; their names do not
        (GOOD.assign(packet="ABCDEF"), r"a ballot of packet KQX\w+, as in the key, was expected, got ABCDEF"),
        (GOOD.drop(columns="packet"), "the columns packet, expert, .* expected"),
        (GOOD.rename(columns={"comment": "Rank"}), "the columns packet, expert, .* expected"),
        (b"packet,expert,dataset,code,rank,trust,trust\nP,Ana,d,D1S1,1,4,2\n", ".* were expected"),
        (b"packet,expert,dataset,code,rank,trust\nP,Ana,d,D1S1,1,4,5\n", "not a readable table"),
    ],
)  # fmt: skip
def test_a_table_that_is_no_ballot_of_the_packet_is_an_error(read, table, message):
    with pytest.raises(InputError, match=f"ballot0.csv: {message}"):
        read(table)


@pytest.mark.parametrize(
    ("separator", "encoding", "header", "tail"),
    [
        (";", "utf-8", str, ""),
        ("\t", "utf-16", str, ""),
        (",", "utf-8-sig", str, ""),
        (",", "latin-1", str, ""),
        (";", "utf-8", str, ";;;;;;\r\n\r\n ; ;;;;;\r\n"),
        (",", "utf-8", lambda head: head.title().replace(",", " , "), ""),
    ],
)
def test_separators_and_encodings_of_spreadsheets_are_read(read, separator, encoding, header, tail):
    jose = GOOD.assign(expert="José")
    mixed = jose.assign(code=GOOD["code"].str.lower() + " ", rank=GOOD["rank"].astype(str) + ",0")
    text = mixed.to_csv(index=False, sep=separator, lineterminator="\r\n")
    head, newline, rows = text.partition("\r\n")
    trust, faults, _ = read((header(head) + newline + rows + tail).encode(encoding))
    assert faults == []
    comments = trust["comment"].str.replace("\r", "")
    pd.testing.assert_frame_equal(trust.assign(comment=comments), read(jose)[0])


def test_a_dataset_may_be_left_out_whole_but_not_in_part(read):
    blank = GOOD.astype(object)
    blank.loc[blank["dataset"] == "b", ["rank", "trust"]] = None
    trust, faults, notes = read(blank)
    assert (faults, {*trust["dataset"]}) == ([], {"a"})
    assert notes[0] == "expert Ada left out dataset b"
    blank.loc[3, ["rank", "trust"]] = [1, 5]
    faults = read(blank)[1]
    assert len(faults) == 4 and all("got nothing" in fault for fault in faults)
    blank[["rank", "trust"]] = None
    assert "no dataset is filled" in read(blank)[1][0]


def test_a_fault_after_an_empty_dataset_names_the_row_of_the_file(read):
    ballot = GOOD.astype(object)
    ballot.loc[ballot["dataset"] == "a", ["rank", "trust"]] = None
    ballot.loc[4, "trust"] = 6
    assert "row 5: trust of D2S2" in read(ballot)[1][0]
