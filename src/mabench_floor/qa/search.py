"""Finds the sentences that contain most of what a question says, in one step or two.

It also knows what paragraphs of a history are about, what they share, and which words are verbs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from mabench.text.stems import is_function_word
from mabench_floor.answer_types import NAME
from mabench_floor.sentences import HistorySentence, Index, stems

# k1 and b of BM25; b is small because sentences differ less in length than documents.
_SATURATION, _LENGTH = 1.2, 0.3
# Plain choices; on made-up rows and our own articles others near them find as much.
# The weight of a name relative to another word.
_NAME = 1.2
# The weights of a name and of another word earlier in the paragraph, and later in a short one.
_NAME_BEFORE, _WORD_BEFORE = 0.8, 0.4
_NAME_LATER, _WORD_LATER = 0.6, 0.3
# The weight of the noun after "which", which a text may omit.
_NOUN = 0.5
# The weight of what is in the paragraph that led to another one.
_HOP = 0.6
# The weight of a paragraph that does not open with the name.
_MENTION = 0.8
# How many paragraphs are followed, and how many sentences of each.
_STARTS = 5
_STEPS = 3
# How many sentences a paragraph may have to be read as one document.
_SHORT = 30
# How similar, out of 100, a word must be to replace one that the history lacks.
_ALIKE = 80
_SHORTEST = 5
# How many mentions of a name are read, with how many words and characters on each side.
_MENTIONS = 30
_AROUND, _REACH = 2, 30
# What a text says that a name is: "Ness (a port) is the second city of", "the river Teal".
_IS_A = re.compile(
    r"\A(?: \([^()]{0,80}\))?(?:,| is| are| was| were) (?:one of the|the|an?) ([^,.;:()]{3,80})"
)
_IS_THE = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|his|her|its|their) ((?:[\w-]+ ){1,4}?)(?:of (?:the )?)?\Z"
)
# How many mentions are added to those that are read, and the usual share of them that follow a
# preposition of place.
_PRIOR, _USUAL = 2.0, 0.1
_LOCATIVE = re.compile(
    r"\b(?:in|at|near|from|into|across|throughout|towards?|outside) (?:the )?$", re.IGNORECASE
)
_ONE_OF = re.compile(r"\b(?:what|which) (?:(?:kind|type|sort) of )?([^\W_]+)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
# Plain choices. A name that is in more paragraphs leads to those that are about it alone.
_RARE = 10
_MOST_SUBJECTS = 4
# How many names of a sentence are followed.
_MOST_NAMES = 100
# How many other words may be among those that a paragraph opens with.
_OPENING = 3
_BEFORE_NOUN = "the|an?|his|her|its|their|our|my|your|this|these|those|of|some|many|several|each"
_BEFORE_VERB = (
    "to|will|would|can|could|may|might|must|should|not|he|she|it|they|we|who|which|did|does"
)
_PAIR = re.compile(rf"\b(?:({_BEFORE_NOUN})|(?:{_BEFORE_VERB})) ([a-z]+)\b")
_SHORTEST_PARTICIPLE = 5


class Link(NamedTuple):
    """A paragraph that mentions a name.

    Attributes:
        start: the place of its first sentence.
        first: the place of the first sentence with the name.
        end: the place after its last sentence.
        is_subject: whether the paragraph opens with the name.
    """

    start: int
    first: int
    end: int
    is_subject: bool


class Documents:
    """The paragraphs of a history: where each begins and ends, and what it opens with.

    Attributes:
        starts: for each sentence, the place of the first sentence of its paragraph.
        ends: for each sentence, the place after the last sentence of its paragraph.
        heads: the place of the first sentence of each paragraph, in order.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._names: dict[int, list[tuple[str, ...]]] = {}
        self._links: dict[tuple[str, ...], list[Link]] = {}
        # Paragraphs are numbered in order, so a search finds where each begins and ends.
        numbers = np.array([sentence.paragraph for sentence in index.sentences], dtype=int)
        self.starts = np.searchsorted(numbers, numbers)
        self.ends = np.searchsorted(numbers, numbers, side="right")
        self.heads = np.unique(self.starts)

    def opening(self, place: int) -> tuple[str, ...]:
        """Return the stems of the first sentence of a sentence's paragraph."""
        return self._index.sentences[int(self.starts[place])].words

    def introduction(self, place: int) -> frozenset[str]:
        """Return the stems of a paragraph's title, if any, and of the sentence after it."""
        head = int(self.starts[place])
        end = min(head + 2, int(self.ends[head]))
        return frozenset(word for n in range(head, end) for word in self._index.sentences[n].words)

    def opens_with(self, place: int, words: Sequence[str]) -> bool:
        """Return whether the paragraph of a sentence has these words among its first few."""
        return bool(words) and set(words) <= set(self.opening(place)[: len(words) + _OPENING])

    def about(self, words: Sequence[str]) -> list[int]:
        """Return the first sentences of the paragraphs that open with these words."""
        places = min((self._index.places(word) for word in words), key=len, default=[])
        heads = (place for place in places if self.starts[place] == place)
        return [head for head in heads if self.opens_with(head, words)]

    def names_in(self, place: int) -> list[tuple[str, ...]]:
        """Return the stems of the names in a sentence, the first hundred at most."""
        if place not in self._names:
            names = islice(NAME.finditer(self._index.sentences[place].text), _MOST_NAMES)
            self._names[place] = list(dict.fromkeys(stems(match.group()) for match in names))
        return self._names[place]

    def links(self, name: tuple[str, ...], origin: int) -> list[Link]:
        """Return the other paragraphs that mention a name: all if it is rare.

        If it is not rare, only those that open with it, unless these are many, too.
        """
        if name not in self._links:
            self._links[name] = self._telling_of(name)
        start = int(self.starts[origin])
        return [link for link in self._links[name] if link.start != start]

    def _telling_of(self, name: tuple[str, ...]) -> list[Link]:
        """Return the paragraphs that mention a name; see ``links``."""
        if not name:
            return []
        first_with_name: dict[int, int] = {}  # By the start of the paragraph.
        for place in self._sentences_with_all(name):
            first_with_name.setdefault(int(self.starts[place]), place)
            if len(first_with_name) > _RARE:
                subjects = self.about(name)
                if len(subjects) > _MOST_SUBJECTS:
                    return []
                first_with_name = {head: head for head in subjects}
                break
        return [
            Link(start, first, int(self.ends[start]), self.opens_with(start, name))
            for start, first in first_with_name.items()
        ]

    def _sentences_with_all(self, words: Sequence[str]) -> Iterator[int]:
        """Yield the places of the sentences with all of some words, in order."""
        rarest, *others = sorted((self._index.places(word) for word in set(words)), key=len)
        for place in rarest:
            if all(_contains(places, place) for places in others):
                yield place


def _contains(places: Sequence[int], place: int) -> bool:
    """Return whether ascending places contain one."""
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place


class Lexicon:
    """Tells verbs from nouns by the words before and after them in a history."""

    def __init__(self, sentences: Sequence[HistorySentence]) -> None:
        self._texts = [sentence.text for sentence in sentences]

    def is_verb(self, word: str) -> bool:
        """Return whether a word in lower case is more likely a verb than a noun."""
        as_noun, as_verb = self._counts
        noun, verb = as_noun[word], as_verb[word]
        # Plain choices: a word in -ed is a verb unless it is clearly a noun, and any other word is
        # a noun unless it is clearly a verb.
        if word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE:
            is_clearly_noun = noun > 3 * verb + 3
            return not is_clearly_noun
        return verb > 2 * noun

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """Return how often a word follows what precedes nouns, and what precedes verbs."""
        noun: Counter[str] = Counter()
        verb: Counter[str] = Counter()
        for text in self._texts:
            for before_noun, word in _PAIR.findall(text):
                if before_noun:
                    noun[word] += 1
                else:
                    verb[word] += 1
        return noun, verb


class Hit(NamedTuple):
    """A sentence that a search finds.

    Attributes:
        place: its place in the history.
        score: how much of the question it contains, alone or with the paragraph that led to it.
        start: the place of the sentence that led to it, if another one did.
        name: the stems of the name that both mention.
        is_subject: whether its paragraph opens with that name.
    """

    place: int
    score: float
    start: int | None = None
    name: tuple[str, ...] = ()
    is_subject: bool = False


class NameUse(NamedTuple):
    """How a name is used in a history.

    Attributes:
        placed: the share of its mentions that follow a preposition of place.
        near: the stems of the words around it.
        kinds: the nouns that say what it is.
    """

    placed: float
    near: frozenset[str]
    kinds: frozenset[str]


class Search:
    """A search over the sentences of a history.

    A word of the question counts by its rarity: fully if it is in the sentence (with BM25's
    discount for long sentences), in part if it occurs before it in the same paragraph, because
    pronouns replace names. A second step looks in the paragraphs that share a name with the best
    ones, and prefers those that open with it.
    """

    def __init__(self, sentences: Sequence[HistorySentence]) -> None:
        self.sentences = sentences
        self.index = Index(sentences)
        self.lexicon = Lexicon(sentences)
        self.documents = Documents(self.index)
        self._uses: dict[str, NameUse] = {}
        sizes = np.array([len(sentence.words) for sentence in sentences], dtype=float)
        mean = max(float(sizes.sum()), 1.0) / max(len(sizes), 1)
        length = 1 - _LENGTH + _LENGTH * sizes / mean
        # What a word counts in each sentence by BM25, as if it were there once.
        self._weight = (_SATURATION + 1) / (1 + _SATURATION * length)

    def find(self, question: str, k: int) -> list[Hit]:
        """Return at most ``k`` sentences that share a word with the question, the best first."""
        words = self._words_of(question)
        if not words:
            return []
        # Matrices have a row for each word of the question; most have a column for each sentence.
        is_name = np.array([[is_name] for is_name in words.values()])
        rarity = np.array([[self.index.rarity(word)] for word in words])
        nouns = stems(" ".join(_ONE_OF.findall(question)[:1]))
        noun_weight = np.array([[_NOUN if word in nouns else 1.0] for word in words])
        worth = rarity * np.where(is_name, _NAME, 1.0) * noun_weight
        contexts = [self._context(word) for word in words]
        before = np.array([before for before, _ in contexts])
        later = np.array([later for _, later in contexts])
        in_context = np.maximum(
            before * np.where(is_name, _NAME_BEFORE, _WORD_BEFORE),
            later * np.where(is_name, _NAME_LATER, _WORD_LATER),
        )
        alone = worth * np.array([self.index.sentences_with(word) * self._weight for word in words])
        said = np.maximum(alone, worth * in_context)
        scores, led = self._second_hop(frozenset(words), alone, said)
        best = np.argsort(-scores, kind="stable")[:k].tolist()
        return [
            led[place] if place in led else Hit(place, float(scores[place]))
            for place in best
            if scores[place] > 0
        ]

    def words_between(self, words: Iterable[str], start: int, end: int) -> set[str]:
        """Return those of ``words`` that the sentences from ``start`` to before ``end`` contain."""
        found = set()
        for word in words:
            places = self.index.places(word)
            if bisect_left(places, start) < bisect_left(places, end):
                found.add(word)
        return found

    def use_of(self, name: str) -> NameUse:
        """Return how a name is used in the history."""
        if name not in self._uses:
            self._uses[name] = self._read_use(name)
        return self._uses[name]

    def _read_use(self, name: str) -> NameUse:
        """Read how a name is used from the first sentences that mention it."""
        places = min(map(self.index.places, stems(name)), key=len, default=[])[:_MENTIONS]
        texts = [self.sentences[place].text for place in places]
        sides: list[tuple[str, str]] = []  # What is before the name, and what is after it.
        for text in texts:
            before, separator, after = text.partition(name)
            if separator:
                sides.append((before, after))
        near: set[str] = set()
        kinds: set[str] = set()
        placed = 0
        for before, after in sides:
            near.update(stems(before[-_REACH:])[-_AROUND:])
            near.update(stems(after[:_REACH])[:_AROUND])
            kinds.update(self._kinds(before, after))
            if _LOCATIVE.search(before):
                placed += 1
        share = (placed + _PRIOR * _USUAL) / (len(sides) + _PRIOR)
        return NameUse(share, frozenset(near), frozenset(kinds))

    def _kinds(self, before: str, after: str) -> Iterator[str]:
        """Yield the nouns that say what a name between two texts is.

        That is "river" in "the river Teal", and "port" in "Ness is a small port of call".
        """
        is_the = _IS_THE.search(before[-2 * _REACH :])
        if is_the:
            words = is_the[1].split()
            if words[-1].islower() and not any(map(is_function_word, words)):
                yield words[-1]
        is_a = _IS_A.search(after)
        if is_a:
            noun = self._head_noun(is_a[1].split())
            if noun:
                yield noun

    def _head_noun(self, words: Sequence[str]) -> str:
        """Return the last noun before a verb or a function word; "" if there is none."""
        noun = ""
        for word in words:
            if is_function_word(word.lower()) or (noun and self.lexicon.is_verb(word)):
                break
            if word.islower():
                noun = word
        return noun

    def _words_of(self, question: str) -> dict[str, bool]:
        """Return the stems to look for, and whether each is part of a name."""
        words: dict[str, bool] = {}
        for match in _WORD.finditer(question):
            is_name = match.start() > 0 and not match.group()[0].islower()
            for asked in stems(match.group()):
                word = self._word_or_similar(asked)
                if word:
                    words.setdefault(word, is_name)
        return words

    def _word_or_similar(self, word: str) -> str | None:
        """Return a word, or the most similar one if the history does not contain it."""
        if word in self.index.words or len(word) < _SHORTEST:
            return word if word in self.index.words else None
        near = process.extractOne(word, self.index.words, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return near[0] if near else None

    def _context(self, word: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return for each sentence whether its paragraph has a word before it, and after it."""
        documents = self.documents
        # How many sentences with the word there are before each place.
        count_before = np.concatenate(([0], np.cumsum(self.index.sentences_with(word))))
        is_before = count_before[:-1] > count_before[documents.starts]
        is_later = count_before[documents.ends] > count_before[1:]
        is_short = documents.ends - documents.starts <= _SHORT
        return is_before, is_short & is_later

    def _second_hop(
        self, words: frozenset[str], alone: NDArray[Any], said: NDArray[Any]
    ) -> tuple[NDArray[Any], dict[int, Hit]]:
        """Return the score of each sentence, and the hits to which a first sentence led, by place.

        Args:
            words: the words of the question.
            alone: how much each word (a row) counts in each sentence (a column).
            said: the same, with what counts because it is near in the paragraph.
        """
        scores: NDArray[Any] = said.sum(axis=0)
        best = scores.copy()
        led: dict[int, Hit] = {}
        for step, said_by_step in self._steps(alone, said, scores):
            for name in self.documents.names_in(step):
                if words.issuperset(name):  # The first search has found what is about it.
                    continue
                for link in self.documents.links(name, step):
                    onwards = slice(link.first, link.end)
                    chain = np.maximum(_HOP * said_by_step, said[:, onwards]).sum(axis=0)
                    if not link.is_subject:
                        chain *= _MENTION
                    chain[scores[onwards] == 0] = 0
                    for offset in np.flatnonzero(chain > best[onwards]).tolist():
                        place, score = link.first + offset, float(chain[offset])
                        led[place] = Hit(place, score, step, name, link.is_subject)
                    best[onwards] = np.maximum(best[onwards], chain)
        return best, led

    def _steps(
        self, alone: NDArray[Any], said: NDArray[Any], scores: NDArray[Any]
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the sentences whose names are followed, and what is said up to there.

        These are the first and the best sentences of the best paragraphs. A short paragraph says
        what all its sentences say.
        """
        documents = self.documents
        whole = np.maximum.reduceat(alone, documents.heads, axis=1)  # Words by paragraphs.
        totals = whole.sum(axis=0) + np.maximum.reduceat(scores, documents.heads)
        for number in np.argsort(-totals, kind="stable")[:_STARTS]:
            start = int(documents.heads[number])
            end = int(documents.ends[start])
            best = start + np.argsort(-scores[start:end], kind="stable")[:_STEPS]
            is_short = end - start <= _SHORT
            for step in dict.fromkeys([start, *best.tolist()]):
                yield step, whole[:, [number]] if is_short else said[:, [step]]
