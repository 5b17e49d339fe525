"""The ballot of the real-world track: the packet that an expert judges blind, its form, and how it is read."""

from srlib.ballot.packet import COUNTING, make_packet
from srlib.ballot.read import find_faults, read_ballots, unblind

__all__ = ["COUNTING", "find_faults", "make_packet", "read_ballots", "unblind"]
