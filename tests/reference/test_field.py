"""The field's own results (data/field): every text with a real value is read, and what is scored adds up."""

from srlib.errors import ModelTextError
from srlib.expressions import parse
from srlib.readers import read_results
from tests.builders import each

KNOWN = [f"x{i}" for i in range(12)]


@each("name rows nonfinite", "physo | 680 | 4\ntpsr | 296 | 0\npysr_paper | 216 | 18")
def test_results_of_the_field_are_all_imported_and_read(reference_data, name, rows, nonfinite):
    frame, kinds = read_results(reference_data / "field" / name).frame, []
    assert len(frame) == int(rows) and "invalid" not in set(frame["status"])
    for text in frame["model"].dropna():
        try:
            parse(text, KNOWN if name == "tpsr" else None)
        except ModelTextError as error:
            kinds.append(error.kind)
    assert kinds == ["nonfinite"] * int(nonfinite)
