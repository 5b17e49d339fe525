"""Checks of the statements of problem files against their data."""

from srlib.audit.auditing import audit
from srlib.audit.checks import CHECKS

__all__ = ["CHECKS", "audit"]
