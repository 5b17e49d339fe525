"""Judge symbolic-regression competitions: rules as data, evidence for every verdict, offline reports.

Examples
--------
>>> import srlib
>>> judged = srlib.judge("demo", problems="synthetic-2022", rules="judging-2022")
>>> judged.ranking.columns.tolist()
['method', 'score', 'rank']
"""

import lazy_loader

__version__ = "0.2.0"
# where each name is, says __init__.pyi: `import srlib` alone loads nothing
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
