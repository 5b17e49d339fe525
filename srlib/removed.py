"""Commands, options, keys and values that earlier versions had, each with what to use instead.

An entry is looked up only after a name turned out to be unknown, so that it costs nothing where nothing is wrong.
"""

SINCE = "0.2.0"

# "COMMAND" or "COMMAND --option", as they are typed after `srlib`.
COMMANDS: dict[str, str] = {
    "robustness --decimals": "use score with a second rules file",
    "calibrate": "docs/trust.md has the judge's own error rates",
    "explain": "see docs/rules.md for switches of the rules, and the comments in the files of `srlib new`",
    "inference reference": "use `inference score --reference DIR`, which writes them",
    "inference trivial": "use `inference score`, which sets the scale by it where no solver does",
    "inference validate": "use `inference score`: scores.csv says what is wrong with each answer",
    "new --runs": "name your run table in suite.yaml, and state its datasets in problems.yaml",
    "score --without-method": "leave the method's rows out of the table",
    "score --without-dataset": "leave the dataset's rows out of the table",
    "score --strict": "read the ledger, which names every row that cannot be used; `check` does before",
    "robustness --strict": "read the ledger of `score`, which names every row that cannot be used",
    "ballot make --repeats": "every model is shown once; compare experts by their ranks",
    "compare --adjust": "p_value is raw, p_adjusted has Holm's correction",
    "compare --missing": "a missing cell is a loss; leave the dataset's rows out of the tables",
    "compare --strict": "read the ledger, which names every row that cannot be used",
}

# Keys of YAML files with the key that they stood below, and "key: value" for a value that a key no longer takes.
KEYS: dict[str, str] = {
    "style.labels": "the texts of figures are srlib's own",
    "style.language": "figures are in English",
    "style.names": "rename methods and datasets in the run table and the problem file, so that pages and files agree",
    "judge.candidate": "of a run with several models the one that the run table marks in its column chosen counts, "
    "else the first",
    "judge.combine: values": "rank the values, for instance with combine: mean",
    "judge.combine: weighted_mean": "use mean, which takes weights",
    "problems.series": "leave it out, and order the rows of the data file",
    "defaults.series": "leave it out, and order the rows of the data file",
    "data.gaps": "leave rows with gaps out of the data file",
    "data.texts": "write text columns of the data file as numbers, or state features without them",
    "beside": "write the value into a column of a run table",
    "models: file": "put the models into a run table",
}

# Parameters of notebooks.
PARAMETERS: dict[str, str] = {
    "adjust": "p_value is raw, p_adjusted has Holm's correction",
    "baseline_seeds": "compare with a run of a feature selector as a method of its own",
    "calibration": "docs/trust.md has the judge's own error rates",
    "groups": "state the family of each dataset in the problem file",
    "missing": "a missing cell is a loss; leave the dataset's rows out of the tables",
    "series": "leave it out, and order the rows of the data file",
    "series_root": "leave it out, and order the rows of the data file",
    "settings_file": "the explorer writes a rules file of your switches",
    "sizes": "plot the sizes of datasets with pandas",
}


def removal(entries: dict[str, str], name: str) -> str:
    """Sentence about a name that is gone, or an empty text where it never existed.

    Parameters
    ----------
    entries : dict
        `COMMANDS`, `KEYS` or `PARAMETERS`: what to use instead, by name.
    name : str
        The name that turned out to be unknown.

    Examples
    --------
    >>> removal({"score --old": "use --new"}, "score --old")
    'score --old is gone since 0.2.0: use --new'
    >>> removal({}, "score --typo")
    ''
    """
    if name not in entries:
        return ""
    return f"{name} is gone since {SINCE}: {entries[name]}"
