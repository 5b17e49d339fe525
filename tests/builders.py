"""Builders of inputs that tests of several rooms share."""

from io import StringIO

import pandas as pd

from srlib.competition import Competition, Resources


def judge_competition(
    runs="demo", problems="synthetic-2022", rules="judging-2022", jobs=None, timeout=10.0, **options
):
    """The judgement of a competition that is read from files, names or tables."""
    resources = Resources(timeout=timeout, jobs=jobs)
    return Competition.read(runs, problems, rules, resources=resources, **options).judge()


# two datasets without data files, three methods, features with names
SPRINGS = """
schema: 1
name: springs
problems:
  - {dataset: hooke, property: solution, features: [k, d], truth: k*d, domain: {k: [1, 3], d: [0, 2]}}
  - {dataset: drag, property: solution, features: [v, c], truth: c*v**2, domain: {v: [1, 4], c: [1, 2]}}
"""
SPRING_RUNS = """method,dataset,repetition,model,r2_test
Exact,hooke,1,k*d,1.0
Exact,hooke,2,k*d,1.0
Exact,drag,1,v*v*c + 0.0,1.0
Exact,drag,2,v*v*c + 0.0,1.0
Near,hooke,1,k*d + 1.5,0.9
Near,hooke,2,k*d + 1.5,0.9
Near,drag,1,c*v**2.2,0.9
Near,drag,2,c*v**2.2,0.9
Broken,hooke,1,k*(d,0.9
Broken,hooke,2,k*(d,0.9
Broken,drag,1,,0.9
Broken,drag,2,,0.9
"""


def spring_runs():
    """Two repetitions of each model; R2 as reported."""
    return pd.read_csv(StringIO(SPRING_RUNS))
