"""The ballot of the real-world track: the packet that experts judge blind, with its form, and reading their ballots."""

from srlib.ballot.packet import make_packet
from srlib.ballot.read import read_ballots

__all__ = ["make_packet", "read_ballots"]
