"""Reading ballots: a sentence for each fault, nothing unblinded before there is none, several experts."""

import itertools
import json

import pandas as pd
import pytest

from srlib.judging.real_world import rank_by_trust
from srlib.tools.ballot import describe_trust, read_ballots
from tests.builders import each, refused
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
1 | dataset | b | row 2: code D1S2 belongs to a, got b
0 | trust | 6 | row 1: trust of D1S1 must be a whole number from 1 to 5, got 6
0 | trust | 2.5 | row 1: trust of D1S1 must be a whole number from 1 to 5, got 2.5
0 | trust | | row 1: trust of D1S1 must be a whole number from 1 to 5, got nothing
0 | rank | 4 | row 1: rank of D1S1 must be a whole number from 1 to 3, got 4
0 | rank | first | row 1: rank of D1S1 must be a whole number from 1 to 3, got first
0 | rank | 3 | dataset a: rank 3 is given to D1S1, D1S2
0 | expert | | row 1: the expert's name is empty
"""


@each("row column value sentence", FAULTS)
def test_fault_of_a_cell_is_one_sentence_and_keeps_everything_blind(
    read, row, column, value, sentence
):
    table = GOOD.astype(object)
    table.loc[int(row), column] = value
    trust, faults, _ = read(table, filled(GOOD, "Bob", 2))
    assert any(sentence in fault for fault in faults), faults
    assert trust.empty and not any(method in str(faults) for method in ("m1", "m2", "m3"))


FAULTY = {
    "expert Ada, dataset a: D1S2 is missing": [GOOD.drop(index=1)],
    "dataset a: rank 2 is given to D1S1, D1S1": [pd.concat([GOOD, GOOD[:1]])],
    "no dataset is filled": [GOOD[:0]],
    "expert Ada has a ballot in two files": [GOOD, GOOD],
}


@pytest.mark.parametrize("sentence", FAULTY)
def test_fault_of_rows_or_files_is_one_sentence(read, sentence):
    assert sentence in read(*FAULTY[sentence])[1][0]


def test_ballots_of_two_experts_are_unblinded_together(read):
    bob = filled(GOOD, "Bob", 2)
    trust, faults, _ = read(GOOD, bob)
    columns = ["expert", "method", "dataset", "rank", "trust", "code", "comment"]
    assert faults == [] and [*trust] == columns
    answers = pd.concat([GOOD, bob]).drop(columns="packet").merge(trust)
    assert answers["method"].tolist() == ["m1", "m2", "m3"] * 4


@each(
    "key",
    ' \n[1]\n{}\n{"packet": "P", "codes": {"D1S1": {"method": "m"}}}\n{"packet": 3, "codes": {}}',
)
def test_file_that_is_no_key_is_an_error(read, key):
    with refused(r"key\.json: "):
        read(GOOD, key=key or " ")


HEAD = b"packet,expert,dataset,code,rank,trust"
OTHERS = {  # codes and positions of two packets look alike; their names do not
    r"a ballot of packet KQX\w+, as in the key, was .*, got ABCDEF": GOOD.assign(packet="ABCDEF"),
    "the columns packet, expert, .* expected": GOOD.drop(columns="packet"),
    "the columns packet, .* were expected": GOOD.rename(columns={"comment": "Rank"}),
    ".* were expected": HEAD + b",trust\nP,Ana,d,D1S1,1,4,2\n",
    "not a readable table": HEAD + b"\nP,Ana,d,D1S1,1,4,5,6\n",
}


@pytest.mark.parametrize("message", OTHERS)
def test_table_that_is_no_ballot_of_the_packet_is_an_error(read, message):
    with refused(f"ballot0.csv: {message}"):
        read(OTHERS[message])


@each(
    "separator encoding tail",
    r"""
; | utf-8 |
tab | utf-16 |
, | utf-8-sig |
, | latin-1 |
; | utf-8 | ;;;;;;/ ; ;;;;;/
sep; | cp1250 |
sep, | utf-16-le |
""",
)
def test_separators_and_encodings_of_spreadsheets_are_read(read, separator, encoding, tail):
    """Names of columns and codes in other letters, blanks, decimal commas, empty lines at the end."""
    jose = GOOD.assign(expert="José")
    mixed = jose.assign(code=GOOD["code"].str.lower() + " ", rank=GOOD["rank"].astype(str) + ",0")
    mixed.columns = [f"{name.title()} " for name in mixed]
    sign = separator.replace("tab", "\t")[-1]
    text = mixed.to_csv(index=False, sep=sign, lineterminator="\r\n")
    text = f"sep={sign}\r\n{text}" if separator.startswith("sep") else text
    trust, faults, _ = read((text + tail.replace("/", "\r\n")).encode(encoding))
    assert faults == []
    comments = trust["comment"].str.replace("\r", "")
    pd.testing.assert_frame_equal(trust.assign(comment=comments), read(jose)[0])


def test_dataset_may_be_left_out_whole_but_not_in_part(read):
    blank = GOOD.astype(object)
    blank.loc[blank["dataset"] == "a", ["rank", "trust"]] = None
    trust, faults, notes = read(blank)
    assert (faults, {*trust["dataset"]}) == ([], {"b"})
    assert notes == ["expert Ada left out dataset a"]
    blank.loc[0, ["rank", "trust"]] = [1, 5]
    assert sum("got nothing" in fault for fault in read(blank)[1]) == 4


@each("name encoding", "Čapek | cp1250\nEmmanuèle | cp1252\nŁukasz | iso8859-2")
def test_letters_that_can_be_two_are_refused_with_the_line(read, name, encoding):
    text = GOOD.assign(expert=["Ada", name, *["Ada"] * 4]).to_csv(index=False)
    with refused("ballot0.csv: line 4: a letter can be . or .,.* save it as CSV UTF-8"):
        read(text.encode(encoding))


def test_places_and_winner_are_those_of_all_orders(generator):
    """Brute force: of all orders of the methods, a ballot agrees with one; a place is the place in it."""
    for _ in range(20):
        ballots = [filled(BLANK, f"E{n}", generator.integers(10**6)) for n in range(3)]
        trust = pd.concat(ballots).assign(method=[entry["method"] for entry in KEY.values()] * 3)
        means = pd.Series(0.0, ["m1", "m2", "m3"])
        for _, rows in trust.groupby(["expert", "dataset"]):
            ranks = rows.set_index("method")["rank"]
            orders = map(list, itertools.permutations(ranks.index))
            [order] = [order for order in orders if ranks[order].is_monotonic_increasing]
            means[order] += [1 / 6, 2 / 6, 3 / 6]
        ranking = rank_by_trust(trust, RULES.judge).ranking.set_index("method")
        assert ranking["score"].to_dict() == pytest.approx(means.to_dict())
        assert means[ranking.index[0]] == pytest.approx(means.min())


@each(
    "ranks trusts sentence",
    """
1 2 3 | 1 3 5 | the winner hangs on it: by the trust of these experts it is m3, not m1
1 2 3 | 5 1 3 | m1 wins by their trust as well
1 2 3 | 5 5 5 |
""",
)
def test_trust_that_contradicts_the_ranks_is_said_with_what_hangs_on_it(
    ranks, trusts, sentence, read
):
    numbers = [[*map(int, text.split())] * 2 for text in (ranks, trusts)]
    trust, *_ = read(GOOD.assign(rank=numbers[0], trust=numbers[1]))
    sentences = describe_trust(trust, RULES.judge)
    assert len(sentences) == 3 * bool(sentence) and (not sentence or sentences[-1] == sentence)
    assert not sentence or sentences[0].startswith("expert Ada, dataset a: ranks 1, 2 and 3 have")


def test_packet_of_another_choice_than_the_rules_is_said(read):
    key = json.dumps({"packet": PACKET, "representative": "best", "codes": KEY})
    trust = read(GOOD, key=key)[0].assign(trust=3)
    median = RULES.with_switches({"real_world.representative": "median"})
    [sentence] = describe_trust(trust, median.judge)
    assert "(representative: best), and the rules say median" in sentence
    assert describe_trust(trust, RULES.judge) == []
