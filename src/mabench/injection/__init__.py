"""Decides what an agent gets of a row, piece by piece, and how its questions are put.

An agent never gets golds or anything that is not in the history.
"""

from mabench.injection.prompting import Prompting as Prompting
from mabench.injection.protocols import PROTOCOLS as PROTOCOLS
from mabench.injection.protocols import InjectionProtocol as InjectionProtocol
from mabench.injection.protocols import RowChunks as RowChunks
from mabench.injection.protocols import protocol_named as protocol_named
from mabench.injection.scripts import Piece as Piece
from mabench.injection.scripts import Script as Script
