"""Judge symbolic-regression competitions: rules as data, evidence for every verdict, offline reports."""

__version__ = "0.1.0"
