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

# A sentence says a statement in other words, or with another value, if it has at least this share
# of the statement's other words.
_MOST_WORDS = 0.6
# A word is common if more than this share of the sentences have it, and more than this number.
_COMMON_SHARE, _COMMON_NUMBER = 0.2, 2
# Of the sentences that nobody said, those that share most words with a statement are compared.
_MOST_COMPARED = 20
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
        with_gold = _sentences_with_gold(said, support)
        # Where half of it is enough, the half with the gold is.
        has_half = self._held.has(statement)
        if has_half and (not with_gold or any(map(self._held.quotes, with_gold))):
            return "whole"
        best = _best(self._compare(part, support) for part in with_gold or [said])
        return "changed" if has_half and best == "none" else best

    def _compare(self, said: str, support: Support) -> Holding:
        """Return what the records make of what was said, which none of them quotes."""
        return _best(holding for _, holding in self._compare_each(said, support))

    def unclear_records(self, statement: str, support: Support) -> list[str]:
        """Return the records for which rules cannot tell whether they say a statement."""
        said = self._evidence.text_of(statement)
        unclear: list[str] = []
        for part in _sentences_with_gold(said, support) or [said]:
            for sentence, holding in self._compare_each(part, support):
                record = self._record_with(sentence.text) if holding == "unclear" else None
                if record is not None:
                    unclear.append(record)
        return [*dict.fromkeys(unclear)]

    def _record_with(self, text: str) -> str | None:
        """Return the first record that contains a text; None if none does."""
        for record in self.records:
            if text in record:
                return record
        return None

    def _compare_each(
        self, said: str, support: Support
    ) -> Iterator[tuple[_RecordSentence, Holding]]:
        """Yield the sentences that are most like what was said, with what each makes of it.

        Only sentences that nobody said are among them.
        """
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
                # Words that many sentences have in common make none of them like this one.
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
        """Return those words that are not common among the sentences that nobody said."""
        most = max(_COMMON_NUMBER, _COMMON_SHARE * len(self._reworded))
        return [word for word in words if len(self._by_word.get(word, ())) <= most]

    def _reworded_like(self, words: frozenset[str]) -> list[_RecordSentence]:
        """Return the sentences that nobody said and that share most words, the most alike first."""
        shared = Counter(number for word in words for number in self._by_word.get(word, ()))
        return [self._reworded[number] for number, _ in shared.most_common(_MOST_COMPARED)]


def worst(holdings: Iterable[Holding]) -> Holding:
    """Return what several statements, at least one, come to: the loss that counts first, if any."""
    return min(holdings, key=_WORST_FIRST.index)


def _best(holdings: Iterable[Holding]) -> Holding:
    """Return the best that any sentence says of a statement; ``none`` without sentences."""
    return max(holdings, key=_WORST_FIRST.index, default="none")


def _sentences_with_gold(said: str, support: Support) -> list[str]:
    """Return the sentences of what was said that have the gold of a question."""
    return [
        sentence for sentence in split_sentences(said) if answer_finder(sentence)(support.golds)
    ]


def _compare_value(
    words: frozenset[str], rest: frozenset[str], subject: frozenset[str], says_gold: bool
) -> Holding:
    """Return what a sentence makes of a statement that has the gold.

    ``rest`` is the statement without the gold, and ``subject`` what the question names of it.
    """
    has_most = len(rest & words) >= _MOST_WORDS * len(rest)
    has_subject = bool(subject) and subject <= words
    if not says_gold:  # Another value of the same thing.
        return "changed" if has_most and has_subject else "none"
    if not has_most:
        return "unclear" if rest & words else "none"
    if has_subject:
        return "whole"
    return "changed" if subject else "unclear"


def _compare_words(words: frozenset[str], said: str, subject: frozenset[str]) -> Holding:
    """Return what a sentence makes of a statement that has no gold: a link, or a hint.

    A copy that lacks a name or a number of it is a changed one.
    """
    said_words = content_words(said)
    missing = said_words - words
    if not missing:
        return "whole"
    if len(missing) > (1 - _MOST_WORDS) * len(said_words):
        return "unclear" if len(subject & words) > 1 else "none"
    bearing = content_words(" ".join(_BEARING.findall(said)))
    return "changed" if missing & bearing else "unclear"
