"""The nearest of many texts by edit distance, found without comparing most of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 256
_LONGEST = 10_000  # Characters of a text that are compared; no title is a hundredth as long.
_CACHED = 16384
_LEVELS = 3


class Nearest:
    """Texts with their characters, which bound edit distances from below.

    Turning one text into another keeps at most the characters that both have, so the distance
    is at least the longer length less the number of shared characters. A few array operations
    give that bound for all texts, and they are compared in its order until none can be nearer.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        import numpy as np

        self._texts = texts
        self._longest = max(map(len, texts), default=0)
        kind = np.min_scalar_type(self._longest)  # One byte for titles, which is the speed of it.
        self._lengths = np.array([len(text) for text in texts], dtype=kind)
        # (character, n) -> for each text, 1 when it has the character at least n times.
        self._has: dict[tuple[str, int], NDArray[Any]] = {}
        for position, text in enumerate(texts):
            for key in _occurrences(text):
                if key not in self._has:
                    self._has[key] = np.zeros(len(texts), dtype=kind)
                self._has[key][position] = 1
        self._cached = lru_cache(maxsize=_CACHED)(self._search)

    def nearest(self, text: str, within: int | None = None) -> str | None:
        """Return the text at the least Levenshtein distance from ``text``, the first of equals.

        Args:
            text: what to look for; of a longer text, its first 10,000 characters.
            within: the largest distance that counts; None for any.

        Returns:
            One of the texts, or None when there is none within the distance.
        """
        position = self._cached(text[:_LONGEST], within)
        return None if position is None else self._texts[position]

    def _search(self, text: str, within: int | None) -> int | None:
        if not self._texts:
            return None
        # What a text longer than all others has too much is a part of every distance.
        surplus = max(len(text) - self._longest, 0)
        bounds = self._bounds(text)
        level = int(bounds.min())
        # No distance is above the longer length.
        limit = max(len(text), self._longest) if within is None else within
        best = (limit, len(self._texts))
        while level + surplus <= best[0]:
            near = (bounds >= level) & (bounds < level + _LEVELS)
            if level + surplus == best[0]:
                near = near[: best[1]]  # Later ones could but equal the best.
            positions = near.nonzero()[0].tolist()
            best = min(best, self._closest(text, positions, level + surplus, best[0]))
            level += _LEVELS
        return best[1] if best[1] < len(self._texts) else None

    def _bounds(self, text: str) -> NDArray[Any]:
        """Return for each text what its distance from ``text`` less the surplus is not below."""
        import numpy as np

        shared = np.zeros_like(self._lengths)
        for key in _occurrences(text):
            if key in self._has:
                shared += self._has[key]
        bounds: NDArray[Any] = np.maximum(self._lengths, min(len(text), self._longest)) - shared
        return bounds

    def _closest(
        self, text: str, positions: Sequence[int], bound: int, cutoff: int
    ) -> tuple[int, int]:
        """Return the least distance from ``text`` and its first position among ``positions``.

        None is nearer than ``bound``, so the first that reaches it ends the search; those
        farther than ``cutoff`` are passed over.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        best = (cutoff, len(self._texts))
        for start in range(0, len(positions), _BATCH):
            batch = positions[start : start + _BATCH]
            texts = [self._texts[position] for position in batch]
            nearest = process.extractOne(
                text, texts, scorer=Levenshtein.distance, score_cutoff=best[0]
            )
            if nearest is not None:
                best = min(best, (int(nearest[1]), batch[nearest[2]]))
                if best[0] == bound:
                    break
        return best


def _occurrences(text: str) -> Iterator[tuple[str, int]]:
    """Yield (character, n) for the n-th occurrence of each character, n from 1."""
    for character, count in Counter(text).items():
        for n in range(1, count + 1):
            yield character, n
