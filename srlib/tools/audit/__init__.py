"""Checks of whether the statements of a problem file agree with its data."""

from srlib.tools.audit.auditing import audit
from srlib.tools.audit.checks import CHECKS

__all__ = ["CHECKS", "audit"]
