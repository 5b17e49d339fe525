"""What needs sympy: to it and back, simplification, counting. Nothing else imports sympy.

sympy by itself would compute with python-flint's integers where that is installed. Here, as in all workers, they are
gmpy's unless SYMPY_GROUND_TYPES names others: they are part of what a stored result depends on.
"""

import os

if os.environ.get("SYMPY_GROUND_TYPES", "auto") == "auto":
    os.environ["SYMPY_GROUND_TYPES"] = "gmpy"
