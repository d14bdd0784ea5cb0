"""Whether two words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``."""

from __future__ import annotations

from functools import cache, lru_cache

from mabench.scoring.lexicon import entries, names
from mabench.text.stems import stem

_SHORTEST = 3
_VOWELS = tuple("aeiou")


@lru_cache(maxsize=1 << 15)
def same_word(wanted: str, said: str) -> bool:
    """Return whether a folded word of a text is a form of the one that is wanted.

    The forms are inflections, and of a name what is of it: a people or a faith.
    """
    if wanted == said:
        return True
    if min(len(wanted), len(said)) < _SHORTEST or not (wanted.isalpha() and said.isalpha()):
        return False
    if said in _irregular().get(wanted, ()):
        return True
    if wanted[:2] != said[:2]:
        return False
    one, other = _singular(wanted), _singular(said)
    if one == other or other in _irregular().get(one, ()):
        return True
    pairs = [(one, other), (wanted, other), (one, said)]
    if one.endswith(("ism", "ity")):
        pairs.append((other, one))
    if any(_derived(*pair) for pair in pairs):
        return True
    return min(len(wanted), len(said)) > _SHORTEST and stem(wanted) == stem(said)


@cache
def _irregular() -> dict[str, set[str]]:
    """Return the forms of a word that no ending tells; of a country, its people."""
    groups = [group for group in names("demonyms") if " " not in "".join(group)]
    groups += [tuple(pair.split("/")) for pair in entries("forms.irregular")]
    forms: dict[str, set[str]] = {}
    for first, *others in groups:
        forms.setdefault(first.casefold(), set()).update(map(str.casefold, others))
    return forms


@cache
def _endings(name: str) -> list[tuple[str, str]]:
    return [(end, other) for end, _, other in (p.partition(",") for p in entries(f"forms.{name}"))]


def _singular(word: str) -> str:
    for end, other in _endings("plurals"):
        if word.endswith(end) and len(word) > max(_SHORTEST, len(end) + 1):
            return word.removesuffix(end) + other
    return word


def _derived(base: str, form: str) -> bool:
    """Say whether a form has another ending; ``V`` is one after a vowel, ``C`` after none."""
    for end, ending in _endings("endings"):
        root = base.removesuffix(end if end.islower() else "")
        if (
            len(base) > _SHORTEST
            and len(root) >= _SHORTEST
            and form == root + ending
            and (
                base.endswith(end)
                if end.islower() or not end
                else ((end == "V") is root.endswith(_VOWELS))
            )
        ):
            return True
    return False
