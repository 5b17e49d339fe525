"""Comparison of methods over datasets, without rules: metrics, statistics, profiles, checks of published statements."""
