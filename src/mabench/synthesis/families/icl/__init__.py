"""Labelled texts."""
