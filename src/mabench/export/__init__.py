"""Writes runs as files for other tools."""

from mabench.export.exporting import export

__all__ = ["export"]
