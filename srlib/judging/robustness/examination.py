"""All that `srlib robustness` and its notebook say of a judgement."""

from dataclasses import dataclass
from pathlib import Path

from srlib.errors import InputError
from srlib.folders import result_folder
from srlib.judging.judgement import Judgement
from srlib.judging.robustness.improvements import Improvements, improvements, would_gain
from srlib.judging.robustness.leave_one_out import LeaveOneOut, leave_one_out
from srlib.judging.robustness.resampling import Resampling, resample
from srlib.judging.robustness.significance import Significance, significance
from srlib.judging.robustness.switchboard import Switchboard, switchboard
from srlib.table_files import write_frame


@dataclass(frozen=True)
class Examination:
    """How sure a verdict is, seen from five sides; see the class or function of each."""

    readings: Switchboard
    draws: Resampling
    left_out: LeaveOneOut
    tests: Significance
    gains: Improvements

    @property
    def sentences(self) -> list[str]:
        """What a reader can quote; the first is the answer in short."""
        said = [
            self.readings.sentence,
            self.readings.alone,
            self.draws.sentence,
            self.left_out.sentence,
        ]
        said += [*self.tests.sentences, *would_gain(self.gains.table)]
        return [*said, *filter(None, [self.gains.note])]

    def write(self, folder: str | Path) -> None:
        """Write switchboard, resampling, leave_one_out, significance, ... as CSV."""
        tables = {
            "switchboard": self.readings.table,
            "resampling": self.draws.table,
            "leave_one_out": self.left_out.table,
            "significance": self.tests.table,
            "friedman": self.tests.overall,
            "improvements": self.gains.table,
        }
        with result_folder(folder, "robustness") as new:
            for name, table in tables.items():
                write_frame(table, new / f"{name}.csv")


def examine(judgement: Judgement, resamples: int = 10_000, seed: int = 0) -> Examination:
    """Score a competition again under other rules, with other runs and datasets, and without each part of it."""
    if resamples < 1:
        raise InputError(f"resamples must be 1 or more, got {resamples}")
    return Examination(
        switchboard(judgement),
        resample(judgement, resamples, seed),
        leave_one_out(judgement),
        significance(judgement),
        improvements(judgement),
    )
