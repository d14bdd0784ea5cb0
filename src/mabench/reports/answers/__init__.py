"""Answers of a run in words: how each came about, and why a wrong one is wrong."""
