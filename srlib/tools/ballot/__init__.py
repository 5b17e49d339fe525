"""The ballot of the real-world track: the packet that experts judge blind, with its form, and reading their ballots."""

from srlib.tools.ballot.packet import make_packet
from srlib.tools.ballot.read import describe_trust, read_ballots

__all__ = ["describe_trust", "make_packet", "read_ballots"]
