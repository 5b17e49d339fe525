"""Limits of the size of inputs and computations; docs/tables.md lists them with the error messages.

Each limit is far beyond what a competition needs, and is checked before memory of that size is allocated. Limits of
time, and of the memory of processes, are options of the commands.
"""

FILE_BYTES = 2**30  # size of a file that is read at once, after unpacking
# size of a Parquet or Feather table in memory, with texts unpacked
TABLE_BYTES = 2**32
TABLE_CELLS = 200_000_000  # rows times columns
TABLE_COLUMNS = 10_000
YAML_BYTES = 10_000_000
YAML_VALUES = 1_000_000  # keys and values; the value of an alias counts each time
YAML_DEPTH = 50
WHOLE_NUMBER = 2**63 - 1  # largest whole number in YAML, and largest seed
FEATURES = 10_000  # features of a dataset; also surrogates in a recipe
RANGE = 1e15  # magnitude of the ends of a feature's range; beyond it, float64 cannot hold halves
DATA_ROWS = 10_000_000  # rows of a partition that a generator makes
DATA_CELLS = 50_000_000  # rows times columns that a generator makes
# a formula's operators, numbers and features, times the rows it is evaluated on
STEPS = 5_000_000_000
RUNS = 100_000_000  # rows of a table of runs, assessments or measures
METHODS = 10_000  # methods in a ranking
CELLS_RANKED = 1_000_000  # methods times datasets
STATES = 2**20  # states of a variable of an inference problem
ALL_STATES = 2**22  # states of all variables of an inference problem together
SAMPLES = 1_000  # samples of evidence in a file
ANSWER_BYTES = 2**26  # bytes of a solver's answer file
WIDTH_BITS = 23.0  # log2 of the entries of the largest table of exact inference (64 MB)
ENTRIES = 2.0**31  # entries of all tables of exact inference together
