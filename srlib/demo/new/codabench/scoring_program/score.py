"""Codabench's scoring program: judge one submission beside the reference methods.

A number that is missing would lead the board, so the lowest scores are written first.
"""

import json
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp

NAME = "this submission"  # whatever its table says; the platform knows whose it is
APP = Path(sys.argv[1] if len(sys.argv) > 1 else "/app")
REFERENCE, OUTPUT = APP / "input/ref", APP / "output"
LOWEST = {"score": 0.0, "place": 999.0, "usable": 0.0}
LAYOUT = "schema: 1\nname: bundle\nsource: one folder a method\nfiles: '(?P<method>[^/]+)/.+'\n"


def write(scores: dict[str, float], page: str) -> None:
    """Write what the platform shows."""
    (OUTPUT / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    (OUTPUT / "detailed_results.html").write_text(page, encoding="utf-8")


def judge() -> tuple[dict[str, float], str]:
    """Return the scores and the findings, which are made from public.yaml: it has no truth and no test row."""
    import srlib

    root = Path(mkdtemp())
    folder = root / "submissions"
    shutil.copytree(APP / "input/res", folder / NAME, symlinks=True)
    (folder / "layout.yaml").write_text(LAYOUT, encoding="utf-8")
    rules = REFERENCE / "rules.yaml"
    findings = srlib.check(folder, problems=REFERENCE / "public.yaml", rules=rules)
    write(LOWEST, page := srlib.to_html(findings))
    runs = [srlib.read_runs(folder), srlib.read_runs(REFERENCE / "field.csv")]
    judgement = srlib.Competition.read(runs, REFERENCE / "problems.yaml", rules).judge()
    ranking = judgement.ranking.set_index("method")
    scored = ranking[ranking["rank"].notna()]
    if NAME not in scored.index:
        return LOWEST, page
    row, aspects = scored.loc[NAME], judgement.aspects
    usable = aspects.loc[aspects["method"] == NAME, "dataset"].nunique()
    return {
        "score": float(row["score"]),
        "place": float(row["rank"]),
        "usable": float(usable),
    }, page


def main() -> None:
    """Write the lowest scores, then those of the submission if it can be judged."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    write(LOWEST, "<p>The submission is being judged.</p>")
    try:
        write(*judge())
    except Exception as error:  # whatever it is, the numbers above stand
        print(f"{type(error).__name__}: {error}")  # for the organizers' log
        reason = (
            "Nothing in it can be used."
            if type(error).__module__ == "srlib.errors"
            else "It could not be judged."
        )
        write(LOWEST, f"<p>{reason} `srlib check` on your table says why.</p>")


if __name__ == "__main__":
    main()
