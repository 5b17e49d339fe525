"""A folder of tables with a layout.yaml of its own: its folders are the methods, whatever a table says."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.files import DEMO
from srlib.readers import read_runs
from srlib.table_files import write_frame
from tests.builders import examples, refused

LAYOUT = (DEMO / "new/practice/submissions/layout.yaml").read_text()
ROWS = "method,dataset,repetition,model\n{0},d,1,x1\n{0},d,2,x1 + {1}\n"
COLUMNS = ["method", "dataset", "repetition", "model", "status", "file", "row"]


def folder_of(root, layout=LAYOUT, **tables):
    """Write layout.yaml and tables by path; `Ana/runs` is a CSV."""
    for name, content in {"layout.yaml": layout, **tables}.items():
        path = root / (name if "." in name else f"{name}.csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_name_of_the_folder_wins_and_the_other_is_told(tmp_path):
    """Also over an assessment's method; a link that leads out of the folder is not read."""
    tables = {"Ana/runs": ROWS.format("Ben", 1), "Ben/t": ROWS.format("Ben", 2)}
    folder = folder_of(tmp_path, **tables)
    write_frame(read_runs("demo").frame.head(1), folder / "Ben/assessed.parquet")
    (folder / "Ben/notes.csv").symlink_to("/etc/hostname")
    runs = read_runs(folder)
    assert runs.methods == ["Ana", "Ben"] and runs.kind == "runs"
    assert set(runs.frame.loc[runs.frame["method"] == "Ana", "method_given"]) == {"Ben"}
    assert runs.notices[0].endswith("one folder a method, whose name is the method's.")
    assert "Method 'Ana' calls itself Ben in a table; its path counts." in runs.notices
    assert "leads out of the folder" in runs.unread[0].reason


@pytest.mark.parametrize(
    "path", ["Ben/submissions/Ana/runs", "runs", "Ben/deep/runs", "Ben/runs.feather"]
)
def test_only_the_whole_path_counts(tmp_path, path):
    """A table off the pattern is named and stops nobody."""
    runs = read_runs(
        folder_of(tmp_path, **{"Ana/runs": ROWS.format("Ana", 1), path: ROWS.format("Ana", 2)})
    )
    (unread,) = runs.unread
    assert path in unread.file and len(runs.frame) == 2


def test_layout_below_is_never_read(tmp_path):
    """Nor is a team's own layout.yaml a table, nor do its columns name another method."""
    own = LAYOUT.replace("schema: 1", "schema: 1\nconstants: {method: Ana}")
    files = {
        "Ana/runs": ROWS.format("Ana", 1),
        "Ben/layout.yaml": own,
        "Ben/runs": ROWS.format("", 2),
    }
    assert read_runs(folder_of(tmp_path, **files)).methods == ["Ana", "Ben"]


def test_broken_layout_of_the_folder_is_refused_and_a_stated_one_wins(tmp_path):
    folder = folder_of(tmp_path, "schema: 1\nname: a\n", **{"Ana/runs": ROWS.format("Ben", 1)})
    with refused("layout.yaml: key 'source' is missing"):
        read_runs(folder)
    assert read_runs(folder, layout="submissions").methods == ["Ben"]


def test_pattern_that_takes_for_ever_is_refused(tmp_path):
    files = {f"{'a' * 40}/runs": ROWS.format("Ana", 1)}
    with refused("layout.yaml: files: the pattern needs more than"):
        read_runs(folder_of(tmp_path, LAYOUT.replace("[^/]+)/", "([^/]+)+)+!/"), **files))


CELLS = st.sampled_from(["Ana", "Ben", "d", "1", "-1", "x1", "", "0.9", "accuracy", '"', "=1", "é"])
HEADS = ["method,dataset,repetition,model", "method,dataset,aspect,value", "a,b", ",".join(COLUMNS)]
TABLES = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda head, rows: "\n".join([head, *map(",".join, rows)]).encode(),
        st.sampled_from(HEADS),
        st.lists(st.lists(CELLS, min_size=3, max_size=7), max_size=4),
    ),
)


@given(st.lists(TABLES, min_size=1, max_size=3))
@examples(50)
def test_no_table_of_a_team_moves_the_rows_of_another(tmp_path_factory, tables):
    """Whatever Ben's tables hold, Ana's rows are the same, and no method comes from a table."""
    root = tmp_path_factory.mktemp("season")
    folder_of(root, **{"Ana/runs": ROWS.format("Ana", 1)})
    before = read_runs(root).frame[COLUMNS]
    folder_of(root, **{f"Ben/{number}": table for number, table in enumerate(tables)})
    runs = read_runs(root)
    after = runs.frame.loc[runs.frame["method"] == "Ana", COLUMNS]
    pd.testing.assert_frame_equal(after.reset_index(drop=True), before)
    assert set(runs.methods) <= {"Ana", "Ben"}
