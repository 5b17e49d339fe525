"""Distrust of problem files: what they state, checked against their data."""

from srlib.audit.auditing import audit
from srlib.audit.checks import CHECKS

__all__ = ["CHECKS", "audit"]
