"""Distrust of problem files: what they state, checked against their data; one file holds one group of checks."""

from srlib.audit.auditing import CHECKS, FILE_CHECKS, audit

__all__ = ["CHECKS", "FILE_CHECKS", "audit"]
