"""What the benchmarks share."""

import pytest


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]):
    def show(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", end="", flush=True)

    return show
