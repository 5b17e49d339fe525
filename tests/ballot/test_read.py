"""Reading ballots: a sentence for each fault, nothing unblinded before there is none, several experts."""

import json

import pandas as pd
import pytest

from srlib.ballot import read_ballots
from srlib.ballot.read import read_ballot
from srlib.errors import InputError
from srlib.judging.real_world import rank_by_trust
from tests.ballot.made_up import RULES, filled

PACKET = "KQXWRT"
KEY = {
    f"D{d}S{s}": {"method": method, "dataset": dataset, "repetition": 1}
    for d, dataset in enumerate(("a", "b"), 1)
    for s, method in enumerate(("m1", "m2", "m3"), 1)
}
BLANK = pd.DataFrame([{"dataset": entry["dataset"], "code": code} for code, entry in KEY.items()])
GOOD = filled(BLANK.assign(packet=PACKET), "Ada", 1)[
    ["packet", "expert", "dataset", "code", "rank", "trust", "comment"]
]


def changed(row, **values):
    table = GOOD.astype(object)
    for name, value in values.items():
        table.loc[row, name] = value
    return table


@pytest.mark.parametrize(
    ("table", "sentences"),
    [
        (GOOD, []),
        (GOOD.drop(index=1), ["expert Ada, dataset a: D1S2 is missing"]),
        (
            changed(1, code="D9S9"),
            ["row 2: code D9S9 is unknown", "expert Ada, dataset a: D1S2 is missing"],
        ),
        (
            changed(1, dataset="b"),
            ["row 2: D1S2 belongs to a, got b", "dataset a: D1S2 is missing"],
        ),
        (
            changed(0, trust=6),
            ["row 1: trust of D1S1 must be a whole number from 1 to 5, got 6"],
        ),
        (
            changed(0, trust=2.5),
            ["row 1: trust of D1S1 must be a whole number from 1 to 5, got 2.5"],
        ),
        (
            changed(0, trust=None),
            ["row 1: trust of D1S1 must be a whole number from 1 to 5, got nothing"],
        ),
        (changed(0, rank=4), ["row 1: rank of D1S1 must be a whole number from 1 to 3, got 4"]),
        (
            changed(0, rank="first"),
            ["row 1: rank of D1S1 must be a whole number from 1 to 3, got first"],
        ),
        (changed(0, expert=" "), ["row 1: the expert's name is empty"]),
        (
            changed(0, rank=GOOD["rank"][1]),
            [f"dataset a: rank {GOOD['rank'][1]} is given to D1S1, D1S2"],
        ),
        (
            pd.concat([GOOD, GOOD[:1]]),
            [f"expert Ada, dataset a: rank {GOOD['rank'][0]} is given to D1S1, D1S1"],
        ),
        (GOOD[:0], ["no dataset is filled"]),
    ],
    ids=lambda value: value[0][:40] if isinstance(value, list) and value else "",
)
def test_every_fault_is_a_sentence(tmp_path, table, sentences):
    found = read_ballots(*write(tmp_path, table))[1]
    assert bool(found) == bool(sentences)
    for sentence in sentences:
        assert any(sentence in fault for fault in found), found


def write(folder, *tables):
    (folder / "key.json").write_text(json.dumps({"packet": PACKET, "codes": KEY}))
    paths = []
    for number, table in enumerate(tables):
        paths.append(folder / f"ballot{number}.csv")
        table.to_csv(paths[-1], index=False)
    return paths, folder / "key.json"


def test_two_experts_are_unblinded_together(tmp_path):
    paths, key = write(tmp_path, GOOD, filled(GOOD, "Bob", 2))
    trust, faults, _ = read_ballots(paths, key)
    columns = ["expert", "method", "dataset", "rank", "trust", "code", "comment"]
    assert faults == [] and list(trust.columns) == columns
    assert set(trust["comment"]) == {'so, "so"\nand so'}
    assert len(trust) == 12 and set(trust["method"]) == {"m1", "m2", "m3"}
    one = trust[(trust["expert"] == "Ada") & (trust["code"] == "D2S3")].iloc[0]
    line = GOOD.set_index("code").loc["D2S3"]
    assert (one["method"], one["dataset"], one["rank"], one["trust"]) == (
        "m3",
        "b",
        line["rank"],
        line["trust"],
    )
    assert rank_by_trust(trust, RULES.judge).places.groupby("dataset").size().tolist() == [6, 6]


def test_one_fault_anywhere_keeps_everything_blind(tmp_path):
    paths, key = write(tmp_path, GOOD, filled(GOOD, "Bob", 2)[1:])
    trust, faults, _ = read_ballots(paths, key)
    assert (
        trust.empty
        and len(faults) == 1
        and "ballot1.csv: expert Bob, dataset a: D1S1 is missing" in faults[0]
    )
    assert not any(method in " ".join(faults) for method in ("m1", "m2", "m3"))


def test_an_expert_votes_once(tmp_path):
    paths, key = write(tmp_path, GOOD, GOOD)
    assert read_ballots(paths, key)[1] == ["expert Ada has a ballot in two files"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        "{}",
        '{"packet": "P", "codes": {"D1S1": {"method": "m"}}}',
        '{"packet": 3, "codes": {}}',
    ],
)
def test_a_key_that_is_none_is_an_error(tmp_path, text):
    paths, key = write(tmp_path, GOOD)
    key.write_text(text)
    with pytest.raises(InputError, match=r"key\.json: "):
        read_ballots(paths, key)


def test_a_ballot_of_another_packet_is_never_unblinded(tmp_path):
    """Codes and positions of two packets look alike; their names do not."""
    paths, key = write(tmp_path, GOOD.assign(packet="ABCDEF"))
    said = f"ballot0.csv: a ballot of packet ABCDEF, and the key is that of packet {PACKET}"
    with pytest.raises(InputError, match=said):
        read_ballots(paths, key)


@pytest.mark.parametrize(
    "table", [GOOD.drop(columns="packet"), GOOD.rename(columns={"comment": "Rank"})]
)
def test_a_table_that_is_no_ballot_is_an_error(tmp_path, table):
    with pytest.raises(InputError, match="ballot0.csv: the columns packet, expert, .* expected"):
        read_ballots(*write(tmp_path, table))


def spreadsheet(table, separator=",", encoding="utf-8", header=str, tail=""):
    text = table.to_csv(index=False, sep=separator, lineterminator="\r\n")
    head, _, rest = text.partition("\r\n")
    return (header(head) + "\r\n" + rest + tail).encode(encoding)


@pytest.mark.parametrize(
    "how",
    [
        {"separator": ";"},
        {"separator": "\t", "encoding": "utf-16"},
        {"encoding": "utf-8-sig"},
        {"encoding": "latin-1"},
        {"separator": ";", "tail": ";;;;;;\r\n\r\n ; ;;;;;\r\n"},
        {"header": lambda head: head.title().replace(",", " , ")},
    ],
    ids=["semicolons", "utf-16", "bom", "latin-1", "empty rows", "header"],
)
def test_spreadsheets_of_all_countries_are_read(tmp_path, how):
    jose = GOOD.assign(expert="José")
    expected = read_ballots(*write(tmp_path, jose))[0]
    assert len(expected) == 6
    mixed = jose.assign(code=GOOD["code"].str.lower() + " ", rank=GOOD["rank"].astype(str) + ",0")
    (tmp_path / "own.csv").write_bytes(spreadsheet(mixed, **how))
    trust, faults, _ = read_ballots([tmp_path / "own.csv"], tmp_path / "key.json")
    assert faults == []
    comments = trust["comment"].str.replace("\r", "")
    pd.testing.assert_frame_equal(trust.assign(comment=comments), expected)


def test_a_whole_dataset_may_be_left_out_and_a_part_may_not(tmp_path):
    blank = GOOD.astype(object)
    blank.loc[blank["dataset"] == "b", ["rank", "trust"]] = None
    trust, faults, notes = read_ballots(*write(tmp_path, blank))
    assert faults == [] and set(trust["dataset"]) == {"a"}
    assert notes[0] == "expert Ada left out dataset b"
    blank.loc[3, ["rank", "trust"]] = [1, 5]
    faults = read_ballots(*write(tmp_path, blank))[1]
    assert len(faults) == 4 and all("got nothing" in fault for fault in faults)
    blank[["rank", "trust"]] = None
    assert "no dataset is filled" in read_ballots(*write(tmp_path, blank))[1][0]


@pytest.mark.parametrize(
    "text",
    [
        "packet,expert,dataset,code,rank,trust,trust\nP,Ana,d,D1S1,1,4,2\n",
        "packet,expert,dataset,code,rank,trust\nP,Ana,d,D1S1,1,4,5\n",  # a trust of 4,5
    ],
)
def test_no_cell_is_left_out_without_a_word(text, tmp_path):
    (tmp_path / "ballot.csv").write_text(text)
    with pytest.raises(InputError, match=r"were expected|not a readable table"):
        read_ballot(tmp_path / "ballot.csv", "P")
