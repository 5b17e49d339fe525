"""Work that may hang, crash or eat memory, in processes with hard limits: `bounded_map`, its `Outcome`, and `alone`."""

from srlib.workers.alone import alone
from srlib.workers.outcome import Outcome
from srlib.workers.pool import bounded_map, lacking, usable_cpus

__all__ = ["Outcome", "alone", "bounded_map", "lacking", "usable_cpus"]
