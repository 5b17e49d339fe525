"""A page for each participant: where it stands, what it rests on, and what would gain it a place."""
