"""The names of `import srlib`: functions over paths, shipped names and DataFrames, and results that show themselves.

The command line calls these functions, too. What `srlib.__all__` lists is kept stable (tests/api/signatures.txt); all
else may change. Errors are `srlib.errors.SrlibError`, each one sentence.
"""
