"""Invents names that exist nowhere else.

Each ``NameInventor`` draws its own consonants and vowels, so that the names of one made-up world
sound alike and differ from those of another seed. Each can make about a million.
"""

from __future__ import annotations

from random import Random

_PLAIN_ONSETS = ["b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z"]
_CLUSTERS = ["bl", "br", "dr", "fl", "gl", "gr", "kr", "pl", "sk", "sl", "st", "th", "tr", "vr"]
_PLAIN_VOWELS = ["a", "e", "i", "o", "u"]
_DIGRAPHS = ["ae", "ai", "ea", "ei", "ie", "oa", "oe", "ou"]
_MIDDLE_CODAS = ["l", "m", "n", "r", "s"]
_CODAS = [
    "l", "ld", "lm", "m", "n", "nd", "nk", "r", "rd", "rk", "rn", "s", "sk", "st", "t", "th", "x",
]  # fmt: skip
_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnpqrstvwxyz"
# Letters of the shortest name; also the length of the runs by which names are compared.
_SHORTEST = 6
# The share of syllables with a coda.
_CODA_SHARE = 0.3
# After this many rejected words, names get another syllable.
_TRIES_A_SYLLABLE = 50


def _joined(stem: str, ending: str) -> str:
    """Join a stem and an ending so that neither two vowels nor three consonants meet."""
    kind_of_ending = _VOWELS if ending[0] in _VOWELS else _CONSONANTS
    if stem[-1] in kind_of_ending:
        stem = stem.rstrip(kind_of_ending)
    return stem + ending


class NameInventor:
    """Invents names, none of which equals, contains or is contained in an earlier one.

    Names are compared by their runs of six letters, so that a name costs the same however many
    there are.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        # Plain sounds twice, so that most syllables are easy to say.
        self._onsets = 2 * rng.sample(_PLAIN_ONSETS, 11) + rng.sample(_CLUSTERS, 7)
        self._vowels = 2 * _PLAIN_VOWELS + rng.sample(_DIGRAPHS, 2)
        self._codas = rng.sample(_CODAS, 9)
        self._used: set[str] = set()
        self._runs: set[str] = set()

    def word(self, ending: str = "") -> str:
        """Return a new name of two or more syllables; it ends with ``ending``, if given."""
        choice = self._rng.choice
        tries = 0
        while True:
            # Short names run out; then longer ones are made.
            stem = self._syllables(choice((2, 2, 3)) + tries // _TRIES_A_SYLLABLE)
            word = _joined(stem, ending or choice(self._codas))
            if len(word) >= _SHORTEST and self._is_new(word):
                return word.capitalize()
            tries += 1

    def _syllables(self, count: int) -> str:
        """Return random syllables, some of which end with a consonant."""
        choice = self._rng.choice
        syllables = ""
        for _ in range(count):
            coda = choice(_MIDDLE_CODAS) if self._rng.random() < _CODA_SHARE else ""
            syllables += choice(self._onsets) + choice(self._vowels) + coda
        return syllables

    def person(self) -> str:
        """Return a first name and a surname."""
        return f"{self.first()} {self.word()}"

    def first(self) -> str:
        """Return a new first name."""
        return self.word(self._rng.choice(("a", "en", "is", "o", "el")))

    def _is_new(self, word: str) -> bool:
        """Register a word, unless it is part of an earlier one or an earlier one is part of it."""
        starts = range(len(word) - _SHORTEST + 1)
        runs = {word[i : i + _SHORTEST] for i in starts}
        has_old_run = not runs.isdisjoint(self._runs)
        if has_old_run:
            may_be_part = runs <= self._runs
            parts = (word[i:j] for i in starts for j in range(i + _SHORTEST, len(word) + 1))
            if may_be_part or any(part in self._used for part in parts):
                return False
        self._used.add(word)
        self._runs |= runs
        return True
