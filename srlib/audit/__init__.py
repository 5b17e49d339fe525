"""Distrust of problem files: what they state, checked against their data."""

from srlib.audit.auditing import audit
from srlib.audit.checks import CHECKS
from srlib.audit.file_checks import FILE_CHECKS

__all__ = ["CHECKS", "FILE_CHECKS", "audit"]
