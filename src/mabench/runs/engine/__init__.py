"""The engine: takes the rows in turn, and examines an agent on each."""
