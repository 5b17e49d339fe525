"""Tables, equations and sentences of reports, one kind per module."""
