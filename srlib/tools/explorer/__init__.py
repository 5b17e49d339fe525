"""The explorer: a competition on one screen, and what its rules, methods, datasets and own runs change."""

from srlib.tools.explorer.explorer import Explorer
from srlib.tools.explorer.scenario import Scenario

__all__ = ["Explorer", "Scenario"]
