"""CSV that is safe to open in a spreadsheet, for downloads in reports; what machines read stays verbatim."""

import csv
import io

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def neutralise(text: str) -> str:
    r"""Make a CSV safe for a spreadsheet: text that would be taken for a formula gets an apostrophe in front.

    Numbers stay numbers; only for downloads in reports, never for what machines read.

    Examples
    --------
    >>> neutralise("model,score\n=cmd(),-1.5\n-x1,+2\n").splitlines()
    ['model,score', "'=cmd(),-1.5", "'-x1,+2"]
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    # a model may be longer than the csv module expects
    limit = csv.field_size_limit(max(len(text), 1))
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            writer.writerow([f"'{cell}" if _is_formula(cell) else cell for cell in row])
    finally:
        csv.field_size_limit(limit)
    return buffer.getvalue()


def _is_formula(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULA_STARTS)
    return False
