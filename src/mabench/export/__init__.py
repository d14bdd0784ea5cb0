"""Runs written as files that other tools read."""

from mabench.export.exporting import export

__all__ = ["export"]
