"""Judge symbolic-regression competitions: rules as data, evidence for every verdict, offline reports.

Examples
--------
>>> import srlib
>>> competition = srlib.Competition.read("demo", "synthetic-2022", "judging-2022")
>>> competition.judge().ranking.columns.tolist()
['method', 'score', 'rank']
"""

import lazy_loader

__version__ = "1.0.0"
# __init__.pyi lists where each name is defined; `import srlib` alone loads no submodule
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
