"""The skill that answers questions along chains of facts, from the names in a question."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from mabench.contract.interfaces import Answer, Query
from mabench.text.stems import is_function_word, stem, tokens
from mabench_floor.facts.book import (
    BookFact,
    FactBook,
    Hop,
    Statement,
    first_number,
    read_book,
    statements_in,
    without_accents,
)
from mabench_floor.facts.evidence import HopMatch, QuestionWord, QuestionWords, WordEvidence
from mabench_floor.facts.grammar import WHERE, WHO
from mabench_floor.skill import History

_MOST_HOPS = 4
# How many chains are continued after each hop.
_WIDTH = 12
# Costs: of a hop whose words the question lacks, of any hop, of a hop that no word of the question
# describes, and of a hop whose words are nearer to the name than those of the hop before it.
_UNSAID = 1.0
_HOP = 0.3
_SILENT = 1.0
_INVERTED = 1.5
# Costs: of a hop back, besides the log number of names to which it could lead, and of each newer
# fact that a hop skips.
_BACK = 2.0
_OLDER = 2.0
_VERSIONS = 3
# The gain if the chain ends at the kind of names that is asked for.
_ASKED = 3.0
# A vague phrase may mean a hop that the rest of the question hardly describes: the gain, and the
# weight of the words up to which that is so.
_MEANT, _FAINT = 2.5, 2.0
# The cost of each other proper name in the question.
_UNVISITED = 3.0
_INTERROGATIVES = frozenset(("which", "what"))
# Interrogatives that name a kind by themselves, and nouns that mean the kind of "where".
_KINDS = {"who": WHO, "whom": WHO, "where": WHERE}
_PLACES = frozenset(("place", "location"))
# Words before the noun that names a kind.
_LEADING = frozenset(("name", "current", "kind", "type", "sort"))
_RELATIVES = frozenset(("that", "who", "whom", "which", "where", "whose", "when"))
_NOUNS = 2
_ADJECTIVE = re.compile(r"(?:ous|al|ic|ive|ful|less|ed|ing)$")
_WORD = re.compile(r"[^\W_]+")


class _Mention(NamedTuple):
    """A name in a question, from one word to another.

    It is ``proper`` if it has a capital that is not the first letter of the question.
    """

    key: str
    start: int
    end: int
    proper: bool


class _ReadQuestion(NamedTuple):
    """A question, analysed.

    Attributes:
        mentions: the known names in it, longer ones first.
        words: the stem of each content word, with its place.
        phrases: the stems of neighbouring words that may describe a hop.
        asked: the stems of the first words after ``which`` or ``what``, which may name the kind of
            thing that is asked for; or ``who`` or ``where``.
    """

    mentions: tuple[_Mention, ...]
    words: tuple[tuple[str, int], ...]
    phrases: Sequence[tuple[str, ...]]
    asked: tuple[str, ...]


class _FactChain(NamedTuple):
    """Facts that lead from a name in a question to another name.

    Attributes:
        score: how well it fits the question, in weights of words.
        hops: the hops that it takes.
        facts: the fact that each hop follows.
        explained: the share of the question's words, by weight, that describe its hops.
    """

    score: float
    hops: tuple[Hop, ...]
    facts: tuple[BookFact, ...]
    explained: float

    @property
    def end(self) -> str:
        """The name at which it ends, as its last statement writes it."""
        return self.facts[-1].names[self.hops[-1].end]


class _Partial(NamedTuple):
    """An unfinished chain: the name that it has reached, the unused words, and its score."""

    key: str
    hops: tuple[Hop, ...]
    facts: tuple[BookFact, ...]
    left: QuestionWords
    explained: float
    cost: float
    distance: float = 0.0
    vague: int = 0  # Phrases that could mean any hop.

    @property
    def score(self) -> float:
        return self.explained - self.cost


class _Chains:
    """Finds the chains of a book that answer a question."""

    def __init__(self, book: FactBook) -> None:
        self._book = book
        self._evidence = WordEvidence(book)
        self._names = frozenset(book.names())
        self._longest = max((name.count(" ") + 1 for name in self._names), default=0)

    def ranked(self, question: str) -> list[_FactChain]:
        """Return chains from the names in ``question``, the best first."""
        read = _read_question(question, self._names, self._longest)
        chains = [chain for start in read.mentions for chain in self._chains(read, start)]
        return sorted(chains, key=lambda chain: -chain.score)

    def _chains(self, question: _ReadQuestion, start: _Mention) -> Iterator[_FactChain]:
        """Yield the chains from a name in the question."""
        words = self._around(question, start)
        total = sum(self._evidence.weight(word.stem) for word in words)
        unvisited = [name for name in question.mentions if name.proper and name != start]
        cost_of_unvisited = _UNVISITED * len(unvisited)
        kind = next(filter(self._evidence.is_kind, question.asked), None)
        vague = [phrase for phrase in question.phrases if self._is_vague(phrase)]
        for partial in self._search(words, start.key, len(vague)):
            gain = _ASKED * self._evidence.kind(kind, partial.hops[-1]) if kind else 0.0
            yield _FactChain(
                score=partial.score + gain - cost_of_unvisited,
                hops=partial.hops,
                facts=partial.facts,
                explained=partial.explained / total if total else 0.0,
            )

    def _is_vague(self, phrase: Sequence[str]) -> bool:
        """Return whether no word of a phrase is clear, so that it may mean any hop."""
        return not any(self._evidence.is_clear(word) for word in phrase)

    def _around(self, question: _ReadQuestion, start: _Mention) -> QuestionWords:
        """Return the words around a name, the nearest first.

        Words after the name count as farther than those before it: in ``does the owner of X play``
        they belong to the words before the phrase.
        """
        before = [word for word, place in question.words if place < start.start]
        after = [word for word, place in question.words if place >= start.end]
        nearest_first = [*reversed(before), *after]
        telling = [word for word in nearest_first if self._evidence.weight(word) > 0]
        return tuple(QuestionWord(word, distance) for distance, word in enumerate(telling))

    def _search(self, words: QuestionWords, start: str, vague: int) -> Iterator[_Partial]:
        """Yield the best chains of each length, by beam search."""
        match = cache(self._evidence.match)
        beam = [
            _Partial(key=start, hops=(), facts=(), left=words, explained=0.0, cost=0.0, vague=vague)
        ]
        for _ in range(_MOST_HOPS):
            longer = [further for partial in beam for further in self._further(partial, match)]
            beam = sorted(longer, key=lambda partial: -partial.score)[:_WIDTH]
            yield from beam

    def _further(
        self, partial: _Partial, match: Callable[[QuestionWords, Hop], HopMatch]
    ) -> Iterator[_Partial]:
        """Yield an unfinished chain with one hop more, except straight back."""
        last = partial.hops[-1] if partial.hops else None
        for hop, facts in self._book.hops(partial.key).items():
            if last and hop == Hop(last.relation, back=not last.back):
                continue
            fit = match(partial.left, hop)
            takes_vague_phrase = fit.explained < _FAINT and partial.vague > 0
            cost = _cost_of_hop(fit, partial.distance, takes_vague_phrase=takes_vague_phrase)
            if hop.back:
                cost += _BACK + math.log(len(facts))
            for newer, fact in enumerate(self._newest(hop, facts)):
                yield _Partial(
                    key=fact.keys[hop.end],
                    hops=(*partial.hops, hop),
                    facts=(*partial.facts, fact),
                    left=fit.left,
                    explained=partial.explained + fit.explained,
                    cost=partial.cost + cost + _OLDER * newer,
                    distance=max(partial.distance, fit.distance),
                    vague=partial.vague - 1 if takes_vague_phrase else partial.vague,
                )

    def _newest(self, hop: Hop, facts: Sequence[BookFact]) -> list[BookFact]:
        """Return the newest fact of each of the last names to which a hop leads.

        Backwards, a fact leads nowhere if a newer one has replaced it.
        """
        newest: dict[str, BookFact] = {}
        for fact in reversed(facts):
            if len(newest) == _VERSIONS:
                break
            if not hop.back or self._is_current(fact):
                newest.setdefault(fact.keys[hop.end], fact)
        return list(newest.values())

    def _is_current(self, fact: BookFact) -> bool:
        """Return whether no newer fact says the same of the name that a fact is about."""
        versions = self._book.hops(fact.keys[0])[Hop(fact.relation, back=False)]
        return versions[-1] == fact


def _cost_of_hop(fit: HopMatch, distance: float, *, takes_vague_phrase: bool) -> float:
    """Return what a hop onward costs a chain by how well the question's words fit it.

    ``distance`` is the largest of an earlier hop: the words of later hops should be farther from
    the name.
    """
    cost = _HOP + _UNSAID * (1 - fit.coverage)
    if not fit.explained:
        cost += _SILENT
    if takes_vague_phrase:
        cost -= _MEANT
    nearer = distance - fit.distance
    if fit.explained and nearer > 0:
        cost += _INVERTED * min(1.0, nearer)
    return cost


def _read_question(text: str, names: Container[str], longest: int) -> _ReadQuestion:
    """Analyse a question; ``names`` are the keys of known names of at most ``longest`` words."""
    plain = without_accents(text)
    words = tokens(plain)
    asked = _asked(words)
    empty = _PLACES if WHERE in asked else frozenset()  # Words that say no more than "where".
    content = [
        (stem(word), place)
        for place, word in enumerate(words)
        if not is_function_word(word) and word not in empty
    ]
    mentions = _mentions(plain, words, names, longest)
    phrases = _phrases(words, content, mentions)
    return _ReadQuestion(mentions, tuple(content), phrases, asked)


def _phrases(
    words: list[str], content: Sequence[tuple[str, int]], mentions: Sequence[_Mention]
) -> list[tuple[str, ...]]:
    """Return the stems of each run of content words that may describe a hop.

    Words in names do not, nor do those that only say what a thing is: "which city", "the firm by
    which", "the party Alba".
    """
    named = {place for name in mentions for place in range(name.start, name.end)}
    stem_at = {
        place: word
        for word, place in content
        if words[place] not in _LEADING and place not in named
    }
    runs: list[list[int]] = []
    for place in stem_at:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    phrases = []
    for run in runs:
        first, end = run[0], run[-1] + 1
        follows_interrogative = first > 0 and words[first - 1] in _INTERROGATIVES
        precedes_relative = not _RELATIVES.isdisjoint(words[end : end + 2])
        precedes_name = end in named
        if not (follows_interrogative or precedes_relative or precedes_name):
            phrases.append(tuple(stem_at[place] for place in run))
    return phrases


def _mentions(
    text: str, words: list[str], names: Container[str], longest: int
) -> tuple[_Mention, ...]:
    """Return the known names among words; of two that overlap, the longer one."""
    written = _WORD.findall(text)
    is_aligned = len(written) == len(words)  # Else it cannot be told which begin with a capital.
    mentions: list[_Mention] = []
    taken: set[int] = set()
    for width in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - width + 1):
            places = range(start, start + width)
            key = " ".join(words[start : start + width])
            if key not in names or not taken.isdisjoint(places):
                continue
            proper = start > 0 and is_aligned and written[start][0].isupper()
            if proper or not is_function_word(key):
                mentions.append(_Mention(key, start, start + width, proper))
                taken.update(places)
    return tuple(mentions)


def _asked(words: list[str]) -> tuple[str, ...]:
    """Return the stems of the words that name the kind of thing that is asked for.

    They are right behind the interrogative (``which country does``), or behind small words (``what
    is the country of``). ``who`` and ``where`` name a kind by themselves.
    """
    asking = (i for i, word in enumerate(words) if word in _INTERROGATIVES or word in _KINDS)
    place = next(asking, None)
    if place is None:
        return ()
    if words[place] in _KINDS:
        return (_KINDS[words[place]],)
    nouns: list[str] = []
    for word in words[place + 1 :]:
        if not nouns and (word in _LEADING or is_function_word(word)):
            continue
        if is_function_word(word) or len(nouns) == _NOUNS:
            break
        nouns.append(word)
    if len(nouns) > 1 and _ADJECTIVE.search(nouns[0]):
        del nouns[0]  # A religious leader is no religion.
    return tuple(WHERE if noun in _PLACES else stem(noun) for noun in nouns)


class FactSkill:
    """Answers with the name at the end of the chain of facts that fits a question best."""

    def __init__(self, book: FactBook) -> None:
        self._chains = _Chains(book)

    def answer(self, query: Query) -> Answer | None:
        """Answer from the newest facts; None if no chain fits the question."""
        chains = self._chains.ranked(query.question)
        if not chains or not chains[0].explained:
            return None
        best = chains[0]
        return Answer(best.end, retrieved=[f"{fact.serial}. {fact.text}" for fact in best.facts])


def learn(history: History) -> FactSkill | None:
    """Read a history as numbered statements; None if it does not consist of them."""
    if history.passages:
        # Questions of one row often find the same passages, in another order.
        return _learn_again(tuple(sorted(_statements_of(history.chunks))))
    return _learn(statements_in(history.text))


def _learn(statements: list[Statement]) -> FactSkill | None:
    """Read statements into a book and make a skill of it; None if they are no facts."""
    book = read_book(statements)
    return FactSkill(book) if book else None


@lru_cache(maxsize=64)
def _learn_again(statements: tuple[Statement, ...]) -> FactSkill | None:
    """Do what ``_learn`` does, and remember the result."""
    return _learn(list(statements))


def _statements_of(passages: Iterable[str]) -> set[Statement]:
    """Return the statements in passages; the number of the first one may be in another passage."""
    statements: set[Statement] = set()
    for passage in passages:
        number = first_number(passage)
        # What precedes the first number may be a statement whose own number is lost.
        lost_number = "" if number is None or number < 1 else f"{number - 1}. "
        statements.update(statements_in(lost_number + passage))
    return statements
