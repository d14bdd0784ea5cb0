"""How history is injected: the protocols ``paper``, ``repository`` and ``structured``."""

from mabench.injection.protocol import (
    PROTOCOLS,
    UNMARKED,
    InjectionProtocol,
    RowChunks,
    list_chunks,
    protocol_named,
)

__all__ = [
    "PROTOCOLS",
    "UNMARKED",
    "InjectionProtocol",
    "RowChunks",
    "list_chunks",
    "protocol_named",
]
