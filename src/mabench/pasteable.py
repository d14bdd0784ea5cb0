"""Commands of this program that a reader pastes into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

from mabench.printable import printable

# What a screen does not show as it is, beside what ``printable`` marks.
_MOVES = {"\n": r"\n", "\t": r"\t"}
# Kinds of data that a folder may also be called.
_HUB = "hub"


def write_command(*words: object, program: str = "mabench") -> str:
    """Return a command in one line, which a shell reads as these words.

    A ``Path`` stays one: a folder that is named like an option, a kind of data or somebody's home
    is led by ``./``.
    """
    texts = [operand(word) for word in (program, *words)]
    if _is_plain("".join(texts)):
        return shlex.join(texts)
    return " ".join(map(_quote, texts))


def quote_word(word: object) -> str:
    """Return a word as a shell reads it, without anything that a screen would not show."""
    return _quote(operand(word))


def operand(word: object) -> str:
    """Return a word as a command takes it; a path so that it is none of its options or names."""
    text = str(word)
    if not isinstance(word, Path):
        return text
    first = text.partition("/")[0]
    is_other = text.startswith(("-", "~")) or ":" in first or text == _HUB
    return f"./{text}" if is_other else text


def _is_plain(text: str) -> bool:
    """Whether a screen shows a text as it is, in one line."""
    return printable(text) == text and not _MOVES.keys() & {*text}


def _quote(text: str) -> str:
    if _is_plain(text):
        return shlex.quote(text)
    # Quotes of bash, zsh and ksh; the name of a file may be any bytes.
    return f"$'{''.join(map(_escape, text))}'"


def _escape(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character in _MOVES:
        return _MOVES[character]
    if printable(character) == character:
        return character
    try:
        units = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # No file can have such a name.
        units = character.encode("utf-8", "replace")
    return "".join(f"\\x{byte:02x}" for byte in units)
