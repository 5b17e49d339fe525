"""A small competition that is not the demo: two datasets without data files, three methods, named features."""

from io import StringIO

import pandas as pd

PROBLEMS = """
schema: 1
name: springs
problems:
  - {dataset: hooke, property: solution, features: [k, d], truth: k*d, domain: {k: [1, 3], d: [0, 2]}}
  - {dataset: drag, property: solution, features: [v, c], truth: c*v**2, domain: {v: [1, 4], c: [1, 2]}}
"""
RUNS = """method,dataset,repetition,model,r2_test
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


def runs() -> pd.DataFrame:
    """Two repetitions of each model; R2 as reported."""
    return pd.read_csv(StringIO(RUNS))
