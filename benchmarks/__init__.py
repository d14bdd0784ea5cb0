"""Measurements of mabench itself; each file is a program."""
