"""Packs pieces of text into chunks of limited size."""

from __future__ import annotations

from collections.abc import Iterable


def pack(pieces: Iterable[tuple[str, int]], most: int) -> list[list[str]]:
    """Pack pieces, given with their tokens, greedily into packs of at most ``most`` tokens.

    A larger piece gets a pack of its own. If the first piece is larger, the first pack stays empty.
    """
    packs: list[list[str]] = [[]]
    size = 0  # Tokens of the last pack.
    for piece, tokens in pieces:
        if size + tokens > most:
            packs.append([])
            size = 0
        packs[-1].append(piece)
        size += tokens
    return packs
