"""Whether two words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``."""

from __future__ import annotations

from functools import cache, lru_cache

from mabench.scoring.lexicon import entries, names
from mabench.text.stems import stem

_SHORTEST = 3
_FROM_VOWEL = frozenset({"n"})  # Kenya, Kenyan; but Fran, Frann is none.
_FROM_CONSONANT = frozenset({"i", "ian", "ese", "ic", "ity", "ish", "ean"})
_COMPASS = frozenset(
    {"north", "south", "east", "west"}
    | {a + b for a in ("north", "south") for b in ("east", "west")}
)
_VOWELS = frozenset("aeiou")


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
    if any(_derived(*pair) for pair in ((one, other), (wanted, other), (one, said))):
        return True
    if one.endswith(("ism", "ity")) and _derived(other, one):
        return True
    return min(len(wanted), len(said)) > _SHORTEST and stem(wanted) == stem(said)


@cache
def _irregular() -> dict[str, set[str]]:
    """Return the forms of a word that no ending tells; of a country, its people."""
    forms: dict[str, set[str]] = {}
    for first, *others in names("demonyms"):
        for other in others:
            if " " not in first + other:
                forms.setdefault(first.casefold(), set()).add(other.casefold())
    for pair in entries("forms.irregular"):
        one, _, other = pair.partition("/")
        forms.setdefault(one, set()).add(other)
    return forms


def _singular(word: str) -> str:
    for ending in ("woman", "women", "man", "men"):
        if word.endswith(("sh" + ending, "ch" + ending)):
            return word.removesuffix(ending)
    if word.removesuffix("s").removesuffix("ward") in _COMPASS:
        return word.removesuffix("s").removesuffix("ward")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


@cache
def _endings() -> list[tuple[str, str]]:
    return [(end, other) for end, _, other in (p.partition(",") for p in entries("forms.endings"))]


def _derived(base: str, form: str) -> bool:
    if len(base) < _SHORTEST + 1:
        return False
    for end, ending in _endings():
        stem_of = base[: len(base) - len(end)]
        if not (base.endswith(end) and form == stem_of + ending) or len(stem_of) < _SHORTEST:
            continue
        if ending == "ern" and base not in _COMPASS:
            continue
        if not end and ending in _FROM_VOWEL and stem_of[-1] not in _VOWELS:
            continue
        if not end and ending in _FROM_CONSONANT and stem_of[-1] in _VOWELS:
            continue
        return True
    return False
