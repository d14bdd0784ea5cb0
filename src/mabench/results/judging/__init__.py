"""Verdicts of language models on the answers of a run."""
