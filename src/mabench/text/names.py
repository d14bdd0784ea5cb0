"""Names that exist nowhere else, built from the sound pattern of one stream.

Every stream draws its own consonants and vowels, so the names of one world sound alike and
those of another seed differ; about a million words can be made from each pattern.
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
_SHORTEST = 6


class Names:
    """Invents names, never one that equals, contains or is contained in an earlier one.

    Whether a name is contained is looked up by its runs of six letters, so that the cost of a
    name does not grow with their number.
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
        """Return a new name of two syllables or more, closed by ``ending`` when given."""
        tries, choice = 0, self._rng.choice
        while True:
            # A pattern runs out of short names; then longer ones are made.
            syllables, stem = choice((2, 2, 3)) + tries // 50, ""
            tries += 1
            for _ in range(syllables):
                coda = choice(_MIDDLE_CODAS) if self._rng.random() < 0.3 else ""
                stem += choice(self._onsets) + choice(self._vowels) + coda
            close = ending or choice(self._codas)
            # Neither two vowels nor three consonants meet.
            if (stem[-1] in _VOWELS) == (close[0] in _VOWELS):
                stem = stem.rstrip(_VOWELS if close[0] in _VOWELS else _CONSONANTS)
            word = stem + close
            if len(word) >= _SHORTEST and self._is_new(word):
                return word.capitalize()

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
        # A part of an earlier word has no new run; a word with an earlier one in it has an old run.
        known = not runs.isdisjoint(self._runs)
        if known and (
            runs <= self._runs
            or any(
                word[i:j] in self._used for i in starts for j in range(i + _SHORTEST, len(word) + 1)
            )
        ):
            return False
        self._used.add(word)
        self._runs |= runs
        return True
