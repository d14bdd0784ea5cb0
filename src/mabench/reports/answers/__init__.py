"""Answers of a run in words: why each is wrong, and how it came about."""
