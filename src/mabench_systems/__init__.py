"""Adapters of outside memory systems.

The files here must import nothing of mabench: with `python` they run in environments in which
mabench is not installed. ``shared/memory.py`` says which methods an adapter has.
"""
