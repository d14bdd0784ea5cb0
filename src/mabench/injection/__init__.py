"""How history is injected: the protocols ``paper``, ``repository`` and ``structured``."""

from mabench.injection.protocol import (
    PROTOCOLS,
    UNMARKED,
    InjectionProtocol,
    Prompting,
    RowChunks,
    list_chunks,
    perfect_answer,
    protocol_named,
)

__all__ = [
    "PROTOCOLS",
    "UNMARKED",
    "InjectionProtocol",
    "Prompting",
    "RowChunks",
    "list_chunks",
    "perfect_answer",
    "protocol_named",
]
