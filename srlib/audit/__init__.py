"""Checks of whether the statements of a problem file agree with its data."""

from srlib.audit.auditing import audit
from srlib.audit.checks import CHECKS

__all__ = ["CHECKS", "audit"]
