"""Sentences of a text, found without any data files."""

from __future__ import annotations


def sentences(text: str) -> list[str]:
    """Split ``text`` at sentence ends; the pieces joined give the text back.

    The boundaries are sentencex's (MIT, Wikimedia), for English. Pieces of white space alone
    are kept with the sentence before them.
    """
    import sentencex  # Loads a compiled module: only when a sentence is asked for.

    pieces: list[str] = []
    position = 0
    for sentence in sentencex.segment("en", text):
        start = text.find(sentence, position)
        if start < 0:  # pragma: no cover - would mean that the library altered the text
            break
        end = start + len(sentence)
        if not sentence.strip():
            continue
        pieces.append(text[position:end])
        position = end
    if position < len(text):
        rest = text[position:]
        if pieces and not rest.strip():
            pieces[-1] += rest
        else:
            pieces.append(rest)
    return pieces
