"""Decides what an agent gets of a row, piece by piece, and how its questions are put.

An agent never gets golds or anything that is not in the history.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.injection.prompting import Prompting as Prompting
    from mabench.injection.protocols import PROTOCOLS as PROTOCOLS
    from mabench.injection.protocols import InjectionProtocol as InjectionProtocol
    from mabench.injection.protocols import RowChunks as RowChunks
    from mabench.injection.protocols import protocol_named as protocol_named
    from mabench.injection.scripts import Piece as Piece
    from mabench.injection.scripts import Script as Script
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
