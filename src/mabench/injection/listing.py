"""How each row of a data set would be cut, without running anything."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from typing import Any

from mabench.data import Dataset
from mabench.injection.protocol import Protocol


def list_chunks(
    dataset: Dataset,
    protocol: Protocol,
    sources: Collection[str] | None = None,
    chunk_tokens: int | None = None,
    *,
    offline: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield for each row its place and its chunks: number, characters and sha256 of each.

    Raises:
        MabenchError: when rows cannot be read or tokenizer data cannot be had.
    """
    for row in dataset.rows(sources):
        chunks = protocol.chunks(row.source, row.context, chunk_tokens, offline=offline)
        yield {
            "split": row.split,
            "row": row.index,
            "source": row.source,
            "protocol": protocol.name,
            "chunk_tokens": chunk_tokens or protocol.size(row.source),
            "chars": len(row.context),
            "chunks": len(chunks),
            "lengths": [len(chunk) for chunk in chunks],
            "sha256": [_sha256(chunk) for chunk in chunks],
        }


def _sha256(chunk: str) -> str:
    return hashlib.sha256(chunk.encode("utf-8", errors="surrogatepass")).hexdigest()
