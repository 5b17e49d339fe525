"""Display objects of figures, one kind per module; each has its numbers and the method `plot`."""
