"""What the records of a store say of what a question rests on. No judge; only sure rules.

A record says it that has it word for word, or that has the gold and the subject in one sentence and
most of what else the statement says. A sentence that nobody said, with the subject and another
value, or with the value and no subject, is a changed one. What rules cannot know is unclear. This
is the one module that asks what *the same* means of the corrected score (``answer_finder``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mabench.data.evidence import Evidence
from mabench.results import Holding
from mabench.scoring import answer_finder
from mabench.text import split_sentences
from mabench.text.stems import content_words

# The share of the other words of a statement that a sentence has which says it in other words, or
# says it with another value.
_MOST = 0.6
# A word is common that more sentences have than this share of them, and than this number.
_COMMON, _FEW = 0.2, 2
# A name within a sentence, or a number.
_BEARING = re.compile(r"(?<=[\w,;] )[A-Z]\w+|\d\w*")
# The order in which a loss counts: what was never there comes before what was changed.
_WORST_FIRST: tuple[Holding, ...] = ("none", "changed", "unclear", "whole")


class Support(NamedTuple):
    """What a question rests on: statements or, where the data name none, mentions of a gold."""

    question: str
    golds: tuple[str, ...]
    statements: tuple[str, ...] = ()  # By the names that ``Evidence`` gives them.

    @property
    def is_mention(self) -> bool:
        """Whether whatever mentions a gold supports it."""
        return not self.statements


class _RecordSentence(NamedTuple):
    text: str
    words: frozenset[str]


class StoreContent:
    """The records of a store at one moment, read for all questions of a row."""

    def __init__(self, evidence: Evidence, records: Sequence[str]) -> None:
        self.records, self._evidence = records, evidence
        self._held = evidence.held_by(records)

    def holding(self, support: Support) -> Holding:
        """Return whether the records hold what a question rests on, all of it."""
        if support.is_mention:
            return "whole" if self._mentions(support.golds) else "none"
        return worst({self.holding_of(name, support) for name in support.statements})

    def holding_of(self, statement: str, support: Support) -> Holding:
        """Return whether the records hold one of the statements of a question."""
        if self._held.has_whole(statement):
            return "changed" if self._held.has_only_of_others(statement) else "whole"
        said = self._evidence.text_of(statement)
        telling = [one for one in split_sentences(said) if answer_finder(one)(support.golds)]
        # Where half of it is enough, the half with the gold is.
        has_half = self._held.has(statement)
        if has_half and (not telling or any(map(self._held.quotes, telling))):
            return "whole"
        # The best that any sentence says of it counts.
        found = {self._compare(one, support) for one in telling or [said]}
        best = max(found, key=_WORST_FIRST.index)
        return "changed" if has_half and best == "none" else best

    def _compare(self, said: str, support: Support) -> Holding:
        """Return what the records make of what was said, which none of them quotes."""
        found = (holding for _, holding in self._compare_each(said, support))
        return max(("none", *found), key=_WORST_FIRST.index)

    def unclear_records(self, statement: str, support: Support) -> list[str]:
        """Return the records for which rules cannot tell whether they say a statement."""
        said = self._evidence.text_of(statement)
        telling = [one for one in split_sentences(said) if answer_finder(one)(support.golds)]
        sentences = [
            sentence.text
            for one in telling or [said]
            for sentence, holding in self._compare_each(one, support)
            if holding == "unclear"
        ]
        found = (
            next((record for record in self.records if text in record), "") for text in sentences
        )
        return [*dict.fromkeys(filter(None, found))]

    def _compare_each(
        self, said: str, support: Support
    ) -> Iterator[tuple[_RecordSentence, Holding]]:
        """Yield the sentences that are most like what was said, with what each makes of it."""
        has_gold = answer_finder(said)(support.golds)
        words = content_words(said)
        value = content_words(" ".join(support.golds)) if has_gold else frozenset[str]()
        # What the question names of it is its subject, and what it asks for.
        subject = (words & content_words(support.question)) - value
        for sentence in self._reworded_like(words | value):
            if has_gold:
                says_gold = answer_finder(sentence.text)(support.golds)
                rest = words - value
                holding = _compare_value(sentence.words, rest, subject, says_gold)
                # What many sentences say makes none of them like this one.
                if holding == "unclear" and not self._without_common(rest & sentence.words):
                    holding = "none"
                yield sentence, holding
            else:
                yield sentence, _compare_words(sentence.words, said, subject)

    @cached_property
    def _mentions(self) -> Callable[[Sequence[str]], bool]:
        return answer_finder("\n\n".join(self.records))

    @cached_property
    def _reworded(self) -> list[_RecordSentence]:
        """The sentences of the records that nobody said."""
        sentences = dict.fromkeys(
            sentence
            for record in self.records
            for line in record.splitlines()
            for sentence in split_sentences(line)
        )
        return [
            _RecordSentence(text, content_words(text))
            for text in sentences
            if not self._evidence.quotes(text)
        ]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self._reworded):
            for word in sentence.words:
                by_word[word].append(number)
        return by_word

    def _without_common(self, words: frozenset[str]) -> list[str]:
        """Return the words that few of the sentences have that nobody said."""
        most = max(_FEW, _COMMON * len(self._reworded))
        return [word for word in words if len(self._by_word.get(word, ())) <= most]

    def _reworded_like(self, words: frozenset[str]) -> list[_RecordSentence]:
        """Return the sentences that nobody said and that share most words, the best 20."""
        shared = Counter(number for word in words for number in self._by_word.get(word, ()))
        return [self._reworded[number] for number, _ in shared.most_common(20)]


def worst(holdings: Iterable[Holding]) -> Holding:
    """Return what several statements together come to: the loss that counts first, if any."""
    return min(holdings, key=_WORST_FIRST.index)


def _compare_value(
    words: frozenset[str], rest: frozenset[str], subject: frozenset[str], says_gold: bool
) -> Holding:
    """Return what a sentence makes of a statement that has the gold.

    ``rest`` is the statement without the gold, and ``subject`` what the question names of it.
    """
    has_most = len(rest & words) >= _MOST * len(rest)
    has_subject = bool(subject) and subject <= words
    if says_gold:
        if has_most:
            return "whole" if has_subject else "changed" if subject else "unclear"
        return "unclear" if rest & words else "none"
    return "changed" if has_most and has_subject else "none"


def _compare_words(words: frozenset[str], said: str, subject: frozenset[str]) -> Holding:
    """Return what a sentence makes of a statement that has no gold: a link, or a hint.

    A copy that lacks a name or a number of it is a changed one.
    """
    own = content_words(said)
    missing = own - words
    if not missing:
        return "whole"
    if len(missing) > (1 - _MOST) * len(own):
        return "unclear" if len(subject & words) > 1 else "none"
    bearing = content_words(" ".join(_BEARING.findall(said)))
    return "changed" if missing & bearing else "unclear"
