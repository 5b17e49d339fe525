"""Run methods on problems: each run in a separate process and with a file of its own, and one table of all runs."""

from srlib.tools.recording.methods import Method, check_importable, load_methods, participant
from srlib.tools.recording.record import record

__all__ = ["Method", "check_importable", "load_methods", "participant", "record"]
