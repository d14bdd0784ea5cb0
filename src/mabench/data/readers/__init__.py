"""Readers of rows in files and objects."""
