"""Whether a text keeps the order of words in which a name tells who does what to whom."""

from __future__ import annotations

from mabench.scoring.tokens import plain, tokens
from mabench.text.stems import content_stems


def keeps_order(wanted: str, text: str) -> bool:
    """Return whether a text says the words of another, with names in it, in their order.

    ``Ann sells the boat to Otto`` is not ``Otto sells the boat to Ann``. Without names the order
    plays no part.
    """
    if not any(token.is_name for token in tokens(plain(wanted))):
        return True
    said = iter(content_stems(text))
    return all(any(stem == other for other in said) for stem in content_stems(plain(wanted)))
