"""Faults of the surroundings: what is done to the disk and the models of a memory from outside."""
