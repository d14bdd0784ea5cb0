"""Whether a text keeps the order of words in which a name tells who does what to whom."""

from __future__ import annotations

from collections.abc import Sequence

from mabench.scoring.tokens import plain, tokens
from mabench.text.stems import content_stems, is_function_word


def keeps_order(wanted: str, text: str) -> bool:
    """Return whether a text says the words of another, with names in it, in their order.

    ``Ann sells the boat to Otto`` is not ``Otto sells the boat to Ann``. Without names the order
    plays no part, nor with only one that is a possessive: ``the storm in Ann's town``. A word that
    the text has in small letters is no name.
    """
    written = {token.raw for token in tokens(plain(text))}
    is_all_lower = text.islower()  # Then a small letter does not tell what is no name.
    names = [
        token.raw
        for token in tokens(plain(wanted))
        if token.is_name
        and not is_function_word(token.word)
        and (is_all_lower or token.raw[0].isdigit() or token.raw.lower() not in written)
    ]
    if not names or (len(names) == 1 and names[0].endswith("'s")):
        return True
    return _are_in_order(content_stems(plain(wanted)), content_stems(text))


def _are_in_order(wanted: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether all wanted words are said in their order, with any others between them."""
    found = 0
    for word in said:
        if found < len(wanted) and word == wanted[found]:
            found += 1
    return found == len(wanted)
