"""Public functions of `import srlib`, over paths, shipped names and DataFrames, and results that display themselves.

The command line calls these functions, too. The names in `srlib.__all__` are kept stable (tests/api/signatures.txt);
other names may change. Errors are `srlib.errors.SrlibError`; each message is one sentence.
"""
