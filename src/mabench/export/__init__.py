"""Runs written as files that other tools read."""

from mabench.export.exporting import Format, export

__all__ = ["Format", "export"]
