"""Packing pieces of text into chunks of a size."""

from __future__ import annotations

from collections.abc import Iterable


def pack(pieces: Iterable[tuple[str, int]], most: int) -> list[list[str]]:
    """Pack pieces greedily by their tokens; the first stays empty where its piece has more."""
    packs, size = [list[str]()], 0
    for piece, tokens in pieces:
        if size + tokens > most:
            packs.append([])
            size = 0
        packs[-1].append(piece)
        size += tokens
    return packs
