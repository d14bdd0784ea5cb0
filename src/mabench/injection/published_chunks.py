"""The published chunker, reproduced exactly: Punkt sentences packed by o200k_base tokens.

Its quirks are kept, since published figures rest on them: sentences are joined by one space
whatever stood between them, the joining spaces are not counted, a sentence over the budget is
never split, and when such a sentence comes first an empty chunk precedes it (benchmark.md §3).
"""

from __future__ import annotations

from mabench.injection.tokenizer_data import load_encoding, load_punkt


def published_chunks(text: str, chunk_tokens: int, *, offline: bool = False) -> list[str]:
    """Cut ``text`` as the published code does.

    Args:
        text: the context of a row.
        chunk_tokens: the budget of a chunk, in o200k_base tokens.
        offline: never fetch tokenizer data over the network.

    Raises:
        MissingPackageError: when Punkt or o200k_base cannot be had.
    """
    punkt = load_punkt(offline=offline)
    encoding = load_encoding(offline=offline)
    chunks: list[str] = []
    packed: list[str] = []
    size = 0
    for sentence in punkt.tokenize(text):
        # Text that spells a special token is ordinary text here.
        tokens = len(encoding.encode_ordinary(sentence))
        if size + tokens > chunk_tokens:
            chunks.append(" ".join(packed))
            packed, size = [], 0
        packed.append(sentence)
        size += tokens
    if packed:
        chunks.append(" ".join(packed))
    return chunks
