"""Writes runs as files for other tools."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.export.exporting import export as export
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
