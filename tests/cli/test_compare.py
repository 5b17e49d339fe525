"""`srlib compare`: a table states what is one unit."""

from pathlib import Path


def test_a_table_of_sources_states_units_and_a_wrong_one_ends_with_exit_code_2(call):
    rows = [f"A,heat_{i},1,x,0.7{i}\nB,heat_{i},1,x,0.6{i}\n" for i in range(9)]
    Path("runs.csv").write_text("method,dataset,repetition,model,r2_test\n" + "".join(rows))
    sources = "".join(f"heat_{i},heat\n" for i in range(3))
    Path("sources.csv").write_text("dataset,source\n" + sources)
    words = "compare runs.csv --metric r2_test --out compare.csv --sources sources.csv"
    code, output, _ = call(words)
    assert (
        code == 0 and "9 datasets from 7 sources (the 3 datasets of heat count as one)." in output
    )
    for rows, sentence in (
        ("", "the table has no rows"),
        ("heat,x\n", "no run is on a dataset 'heat'"),
        ("heat_1,x\nheat_1,y\n", "dataset 'heat_1' has two sources, x and y"),
    ):
        Path("sources.csv").write_text("dataset,source\n" + rows)
        code, _, errors = call(words)
        assert code == 2 and sentence in errors and len(errors.strip().splitlines()) == 1
