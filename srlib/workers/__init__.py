"""Work that may hang, crash or eat memory, in processes with hard limits.

`bounded_map`, its `Outcome`, `alone`, and `in_a_fork`.
"""

from srlib.workers.alone import alone
from srlib.workers.outcome import Outcome
from srlib.workers.pool import bounded_map, lacking, usable_cpus
from srlib.workers.process import FORKS, in_a_fork

__all__ = ["FORKS", "Outcome", "alone", "bounded_map", "in_a_fork", "lacking", "usable_cpus"]
