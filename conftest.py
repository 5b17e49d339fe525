"""What the examples of displays share: the demo is read and judged once for each set of arguments."""

from functools import cache

import pytest


@pytest.fixture(scope="session")
def kept_results():
    """`Competition.read` and `Competition.judge`, which keep what they return."""
    from srlib.competition import Competition  # not before it is needed: it imports pandas

    judge, judgements = Competition.judge, {}

    def judge_once(competition):
        if id(competition) not in judgements:
            judgements[id(competition)] = judge(competition)
        return judgements[id(competition)]

    return {"read": cache(Competition.read), "judge": judge_once}


@pytest.fixture(autouse=True)
def share_demo(request, monkeypatch):
    """Let an example of `srlib.displays`, which is complete for its readers, use what an earlier one made."""
    if hasattr(request.node, "dtest") and "displays" in request.node.path.parts:
        for name, method in request.getfixturevalue("kept_results").items():
            monkeypatch.setattr(f"srlib.competition.Competition.{name}", method)
