"""Tools beside judging: inference solvers, recording of methods, audits, ballots, and the explorer."""
