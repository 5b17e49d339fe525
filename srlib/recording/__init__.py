"""Run methods on problems: each run in a process of its own, one atomic file a run, one table of all runs."""

from srlib.recording.methods import Method, check_importable, load_methods, participant
from srlib.recording.record import record

__all__ = ["Method", "check_importable", "load_methods", "participant", "record"]
