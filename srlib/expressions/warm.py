"""Imported by a worker before its first model: a forkserver imports modules and calls nothing."""

from srlib.expressions.simplify import warm_sympy

warm_sympy()
