"""Limits of reading and computing, in one place; docs/tables.md names each with the sentence that a user sees.

A limit is far beyond what a competition needs, and is checked before anything of that size is allocated. Times,
and the memory of processes, are options of the commands.
"""

FILE_BYTES = 2**30  # of a file that is read whole, unpacked
# of a Parquet or Feather table in memory, with its texts unpacked
TABLE_BYTES = 2**32
TABLE_CELLS = 200_000_000  # rows times columns
TABLE_COLUMNS = 10_000
YAML_BYTES = 10_000_000
YAML_VALUES = 1_000_000  # keys and values; what an alias stands for counts each time
YAML_DEPTH = 50
WHOLE_NUMBER = 2**63 - 1  # of a whole number in YAML, and of a seed
FEATURES = 10_000  # of a dataset; also of surrogates in a recipe
RANGE = 1e15  # ends of a feature's range; beyond it float64 has no halves
DATA_ROWS = 10_000_000  # that a generator makes of one partition
DATA_CELLS = 50_000_000  # that a generator makes, rows times columns
# a formula's operators, numbers and features, times the rows it is evaluated on
STEPS = 5_000_000_000
RUNS = 100_000_000  # rows of a table of runs, assessments or measures
METHODS = 10_000  # that are ranked
CELLS_RANKED = 1_000_000  # methods times datasets
STATES = 2**20  # of a variable of an inference problem
ALL_STATES = 2**22  # of all its variables together
SAMPLES = 1_000  # of evidence in a file
ANSWER_BYTES = 2**26  # of a solver's answer
WIDTH_BITS = 23.0  # of the largest table of exact inference: 64 MB
ENTRIES = 2.0**31  # of all its tables together
