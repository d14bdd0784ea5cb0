"""Predictions that another tool made: read, matched to questions, and scored."""
