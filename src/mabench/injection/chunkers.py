"""The two ways to cut a history into chunks: the published one, and one that keeps units whole.

The published chunker packs Punkt sentences by o200k_base tokens. Its quirks are reproduced, since
published figures rest on them: sentences are joined by one space whatever stood between them, the
joining spaces are not counted, a sentence over the budget is never split, and when such a
sentence comes first an empty chunk precedes it (the code published with arXiv 2507.05257).

Structured chunks never cut a unit in two, keep line breaks, and need no tokenizer data.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence

from mabench.text import estimate_each, sentences, truncate_tokens
from mabench.text.tokenizer_data import load_encoding, load_punkt

# Rows are cut at the same time, and only one of them may copy or download the data.
_LOADING = threading.Lock()
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_WORDS = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def published_chunks(text: str, chunk_tokens: int, *, offline: bool = False) -> list[str]:
    """Cut ``text`` as the published code does, to a budget in o200k_base tokens.

    If ``offline``, tokenizer data are never fetched over the network.

    Raises:
        MissingPackageError: when Punkt or o200k_base cannot be had.
    """
    with _LOADING:
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


def structured_chunks(units: Iterable[str], chunk_tokens: int) -> list[str]:
    """Pack whole units greedily into chunks of about ``chunk_tokens`` tokens, by estimate.

    A unit that alone exceeds the budget is cut at sentence ends; a sentence that does, at line
    ends, then between words, and a word that does, within. The units, joined, are a context. The
    chunks, joined, hold all of it but white space; none is empty.
    """
    chunks: list[str] = []
    packed: list[str] = []
    size = 0
    for piece, tokens in _pieces([*units], chunk_tokens):
        if packed and size + tokens > chunk_tokens:
            chunks.append("".join(packed))
            packed, size = [], 0
        packed.append(piece)
        size += tokens
    chunks.append("".join(packed))
    return [chunk.strip("\r\n") for chunk in chunks if chunk.strip()]


def _pieces(texts: Sequence[str], limit: int, level: int = 0) -> Iterator[tuple[str, int]]:
    """Yield each text whole if it fits, else cut as finely as needed; with the tokens of each."""
    for text, tokens in zip(texts, estimate_each(texts), strict=True):
        if tokens <= limit or level > len(_SPLITTERS):
            yield text, tokens
        elif level == len(_SPLITTERS):
            yield from _pieces([*_hard_cuts(text, limit)], limit, level + 1)
        else:
            yield from _pieces(_SPLITTERS[level](text), limit, level + 1)


_SPLITTERS = (sentences, _LINES.findall, _WORDS.findall)


def _hard_cuts(text: str, limit: int) -> Iterator[str]:
    start, width = 0, limit
    while start < len(text):
        window = text[start : start + width]  # Not all of the rest, which may be long.
        head = truncate_tokens(window, limit) or window[:limit]
        if len(head) == width:
            width *= 2
            continue
        yield head
        start, width = start + len(head), limit
