"""The ballot of the real-world track: the packet that an expert judges blind, its form, and how it is read."""

from srlib.ballot.packet import make_packet
from srlib.ballot.read import read_ballots

__all__ = ["make_packet", "read_ballots"]
