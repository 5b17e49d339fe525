"""A person's verdicts on 225 fronts beside ours: python -m tests.benchmarks.hand_verdicts [DATA] (some minutes).

The PySR paper's runs on five empirical laws (field/pysr_paper of the reference data) come with a yes, no or almost
each. Ours is yes where a model of the front has the law's form, its constants free. The table counts both.
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path

from srlib.workers import bounded_map
from tests.reference.laws import LAWS, fronts, judged


def main(data: str) -> None:
    """Print how often each pair of verdicts occurs, and each run on which they differ."""
    folder = Path(data, "field", "pysr_paper")
    frame = fronts(folder)
    runs = frame[["method", "dataset", "repetition"]].to_numpy().tolist()
    items = list(zip(frame["dataset"], frame["model"], strict=True))
    kinds: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    limits = {"timeout": 400, "computing": 20, "preload": ("srlib.expressions",)}
    for i, outcome in bounded_map(judged, items, **limits):
        kinds[tuple(map(str, runs[i]))][outcome.value or outcome.status] += 1
    counts: Counter[tuple[str, str, str]] = Counter()
    for path in sorted((folder / "analysis").glob("*.txt")):
        name, _, seed = path.stem.partition("_seed=")
        law = next(law for law in LAWS if name.endswith(law))
        method = name[: -len(law) - 1]
        theirs = path.read_text(encoding="utf-8").split()[0]
        found = kinds.get((method, law, seed))
        ours = "no run"
        if found is not None:
            ours = "yes" if found["form"] else "no"
        counts[law, theirs, ours] += 1
        if found is not None and theirs != ours and not theirs.startswith("incomp"):
            print(f"{method} {law} {seed}: a person says {theirs}, ours is {ours}: {dict(found)}")
    for (law, theirs, ours), number in sorted(counts.items()):
        print(f"{law}: {theirs} / {ours}: {number}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
