"""Judges whether an agent may take the place of its baseline on the same rows: `mabench gate`."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.gating.running import DEFAULT_DATA as DEFAULT_DATA
    from mabench.gating.running import DEFAULT_SOURCES as DEFAULT_SOURCES
    from mabench.gating.running import FOLDER as FOLDER
    from mabench.gating.running import GateTerms as GateTerms
    from mabench.gating.running import gate as gate
    from mabench.gating.running import run_gate as run_gate
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
