"""Which tests reach which lines, so that a mutant is shown first to the tests that can notice it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDERS = ("judging", "assessing", "rules", "inference")


class Reach:
    """A pytest plugin that records, for each test, the lines of the judging code it reaches and how long it takes.

    A line may be recorded for the first test alone that reaches it, and what a worker process runs is not seen: this is
    for the order in which tests are asked, not for leaving any out.
    """

    def __init__(self, copy: Path) -> None:
        import coverage

        self.copy, self.seconds, self.failed = copy, {}, []
        sources = [str(copy / "srlib" / folder) for folder in FOLDERS]
        self.measured = coverage.Coverage(data_file=None, source=sources, branch=False)

    def pytest_sessionstart(self) -> None:
        """Begin before modules are imported."""
        self.measured.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Name the test that runs, and time it."""
        self.measured.switch_context(item.nodeid)
        begun = time.monotonic()
        done = yield
        self.seconds[item.nodeid] = round(time.monotonic() - begun, 3)
        self.measured.switch_context("")
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what fails without any change."""
        if report.failed:
            self.failed.append(report.nodeid)

    def write(self, path: Path) -> None:
        """Write {tests: {test: seconds}, failed: [test], lines: {file: {line: [number of the test]}}}."""
        self.measured.stop()
        data, names = self.measured.get_data(), list(self.seconds)
        number = {name: i for i, name in enumerate(names)}
        lines = {
            str(Path(file).relative_to(self.copy)): {
                line: [number[c] for c in contexts if c in number]
                for line, contexts in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        path.write_text(
            json.dumps({"tests": self.seconds, "failed": self.failed, "lines": lines}),
            encoding="utf-8",
        )


class Only:
    """A pytest plugin that leaves the named tests, in this order."""

    def __init__(self, names: list[str]) -> None:
        self.place = {name: i for i, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is not named."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )
