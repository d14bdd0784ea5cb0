"""Writes commands of mabench so that a user can paste them into a shell.

A shell must read each word back as it was, and a screen must show what is pasted.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from mabench.printable import printable

# Characters that a screen does not show as they are, beside those that ``printable`` replaces, and
# how a shell writes them.
_SPACING = {"\n": r"\n", "\t": r"\t"}
# The name of the public data set, which a folder may also have.
_HUB = "hub"


def write_command(*words: object, program: str = "mabench") -> str:
    """Return a command in one line, which a shell reads as these words.

    A ``Path`` is written so that the command reads it as a path: see ``operand``.
    """
    texts = [operand(word) for word in (program, *words)]
    if _is_shown_as_it_is("".join(texts)):
        return shlex.join(texts)
    return " ".join(_quote(text) for text in texts)


def quote_word(word: object) -> str:
    """Return a word as it is pasted into a shell, without anything that a screen would not show."""
    return _quote(operand(word))


def operand(word: object) -> str:
    """Return a word as a command takes it.

    A ``Path`` gets "./" before it if the command would take it for something else: an option
    (-x), somebody's home (~x), data of a scheme (synthetic:x) or the public data set (hub).
    """
    text = str(word)
    if not isinstance(word, Path):
        return text
    first_part = text.partition("/")[0]
    is_ambiguous = text.startswith(("-", "~")) or ":" in first_part or text == _HUB
    return f"./{text}" if is_ambiguous else text


def _is_shown_as_it_is(text: str) -> bool:
    """Return whether a screen shows a text as it is, in one line."""
    has_spacing = any(character in text for character in _SPACING)
    return printable(text) == text and not has_spacing


def _quote(text: str) -> str:
    """Return a text as one word of a shell."""
    if _is_shown_as_it_is(text):
        return shlex.quote(text)
    # The quotes of bash, zsh and ksh in which characters can be escaped.
    return f"$'{''.join(_escape(character) for character in text)}'"


def _escape(character: str) -> str:
    """Return a character as it is written in the quotes ``$'…'`` of a shell.

    One that a screen does not show is written as the bytes of its UTF-8. In the name of a file a
    byte that is no UTF-8 is read as a surrogate, which becomes that byte again.
    """
    if character in "\\'":
        return f"\\{character}"
    if character in _SPACING:
        return _SPACING[character]
    if printable(character) == character:
        return character
    try:
        encoded = character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # No name of a file has such a character.
        encoded = character.encode("utf-8", "replace")
    return "".join(f"\\x{byte:02x}" for byte in encoded)
