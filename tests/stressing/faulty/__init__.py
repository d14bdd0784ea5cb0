"""Memories with one planted fault each: what `mabench stress` must find, and by which name."""
