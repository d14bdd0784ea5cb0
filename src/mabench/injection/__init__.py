"""How history is injected: the protocols ``paper``, ``repository`` and ``structured``."""

from mabench.injection.listing import list_chunks
from mabench.injection.protocol import PROTOCOLS, Protocol, protocol_named

__all__ = ["PROTOCOLS", "Protocol", "list_chunks", "protocol_named"]
