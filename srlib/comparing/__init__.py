"""Comparison of methods over datasets, without rules: metrics, statistics, profiles, published statements."""
