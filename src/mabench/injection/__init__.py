"""How history is injected: the protocols ``paper``, ``repository`` and ``structured``."""

from mabench.injection.protocol import (
    PROTOCOLS,
    InjectionProtocol,
    RowChunks,
    list_chunks,
    protocol_named,
)

__all__ = ["PROTOCOLS", "InjectionProtocol", "RowChunks", "list_chunks", "protocol_named"]
