"""Whether two words are forms of one: ``Roman`` of ``Rome``, but not ``Romeo``.

English builds names of people, faiths and directions with few endings; a word is another form
when one of these turns the one into the other. ``docs/explanation/two-scores.md`` lists them.
"""

from __future__ import annotations

from functools import lru_cache

_SHORTEST = 3
# (end of the one, end of the other): the stem before them is the same in both.
_PAIRS = (
    *(("", "n"), ("e", "an"), ("o", "an"), ("any", "an"), ("", "ern"), ("", "i")),
    *(("", "ian"), ("y", "ian"), ("i", "ian"), ("", "ean"), ("e", "ean")),
    *(("", "ese"), ("a", "ese"), ("", "ish"), ("en", "ish"), ("and", "ish"), ("land", "lish")),
    *(("", "ic"), ("", "ism"), ("", "ity"), ("ism", "ist"), ("", "ist"), ("ian", "ianity")),
)
_FROM_VOWEL = frozenset({"n"})  # Kenya, Kenyan; but Fran, Frann is none.
_FROM_CONSONANT = frozenset({"i", "ian", "ese", "ic", "ity", "ish", "ean"})
_COMPASS = frozenset(
    {"north", "south", "east", "west"}
    | {a + b for a in ("north", "south") for b in ("east", "west")}
)
_IRREGULAR = (
    *(("france", "french"), ("spain", "spanish"), ("denmark", "danish"), ("greece", "greek")),
    *(("netherlands", "dutch"), ("switzerland", "swiss"), ("norway", "norwegian")),
    *(("portugal", "portuguese"), ("turkey", "turkish"), ("wales", "welsh")),
    *(("ireland", "irish"), ("scotland", "scottish"), ("finland", "finnish")),
    *(("britain", "british"), ("peru", "peruvian"), ("lebanon", "lebanese")),
    *(("philippines", "filipino"), ("judaism", "jewish"), ("congo", "congolese")),
    *(("ukraine", "ukrainian"), ("argentina", "argentine"), ("afghanistan", "afghan")),
    *(("serbia", "serb"), ("thailand", "thai")),
)
_DEMONYMS = dict(_IRREGULAR)
_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=1 << 15)
def same_word(wanted: str, said: str) -> bool:
    """Say whether two folded words are forms of one word."""
    if wanted == said:
        return True
    if min(len(wanted), len(said)) < _SHORTEST or not (wanted.isalpha() and said.isalpha()):
        return _is_decade(wanted, said)
    if wanted[:2] != said[:2]:
        return False
    one, other = _singular(wanted), _singular(said)
    if one == other or other in (_DEMONYMS.get(one), _DEMONYMS.get(wanted)):
        return True
    pairs = ((one, other), (wanted, other), (one, said))
    return any(_derived(*pair) for pair in pairs) or _of_faith(other, one)


def _is_decade(wanted: str, said: str) -> bool:
    return wanted.replace("'", "") == said.replace("'", "")


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


def _of_faith(base: str, form: str) -> bool:
    """Say whether the wanted word is the faith or movement that is said by its followers."""
    return form.endswith(("ism", "ity")) and _derived(base, form)


def _derived(base: str, form: str) -> bool:
    if len(base) < 4 and base not in _DEMONYMS:
        return False
    for end, ending in _PAIRS:
        if not (base.endswith(end) and form.endswith(ending)):
            continue
        stem = base[: len(base) - len(end)]
        if len(stem) < _SHORTEST or stem != form[: len(form) - len(ending)]:
            continue
        if ending == "ern" and base not in _COMPASS:
            continue
        if not end and ending in _FROM_VOWEL and stem[-1] not in _VOWELS:
            continue
        if not end and ending in _FROM_CONSONANT and stem[-1] in _VOWELS:
            continue
        return True
    return False
