"""Run methods on problems: each run in a separate process and with a file of its own, and one table of all runs."""

from srlib.tools.recording.methods import Method, load_methods, participant, try_import
from srlib.tools.recording.record import record

__all__ = ["Method", "load_methods", "participant", "record", "try_import"]
