"""Adds up the lines of a run, one at a time: scores, means, times and calls."""
