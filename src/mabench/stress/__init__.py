"""Stress: random histories of operations on a memory, held against a model of what is legal."""
