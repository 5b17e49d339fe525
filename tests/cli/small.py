"""A small competition: two datasets without data files, two methods of one run each."""

from srlib.files import PARAMETERS

# the criteria, of one repetition
RULES = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")
RULES = RULES.replace("repetitions: 10", "repetitions: 1")
PROBLEMS = """
schema: 1
name: small
problems:
  - {dataset: d, property: solution, features: [a, b], truth: a + b}
  - {dataset: e, property: solution, features: [a, b], truth: a*b}
"""
RUNS = """method,dataset,repetition,model,r2_test
A,d,1,a + b,1.0
A,e,1,a*b + 1,0.9
B,d,1,a,0.5
B,e,1,a + b*b,0.9
"""
FILES = {"problems.yaml": PROBLEMS, "rules.yaml": RULES, "runs.csv": RUNS}
