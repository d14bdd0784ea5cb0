"""Whether retrieved passages hold what a question rests on, where the data say what. No judge.

A question rests on statements: turns that the row names by their ids, texts quoted from its
history, or the turns of its chats that are marked. Chat sessions reach an agent as a literal,
whole or cut between sentences, so texts are compared by their letters and digits alone, and half
of a statement is enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from mabench.data.schema import Row
from mabench.text import split_sentences
from mabench.text.spans import Span

# Passages of a row that are read once, however many of its questions retrieve them.
_READ = 4096
_ESCAPE = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
_ESCAPED_LINE = re.compile(r"\n|\\n")  # Also within a literal.
_NO_LETTER = re.compile(r"[\W_]+")
# The name at the end of a heading, and what is there for nobody in particular.
_SPEAKER = re.compile(r"([^\W\d_][\w .'-]{0,40}?) ?[:>] ?[\"']?$")
_NOBODY = ("", "user", "assistant", "system")
# Texts with fewer letters could be anywhere.
_SHORTEST = 12

Ranks = tuple[int | None, ...]


class RetrievedEvidence(NamedTuple):
    """What of a question's evidence the passages hold, in the fields of a sample."""

    evidence_recall: float | None = None  # The share of it, from 0 to 1; None without any.
    evidence_ranks: Ranks | None = None  # By statement, from 1, the first passage that holds it.
    session_ranks: Ranks | None = None  # By session, the first passage with any such turn.

    @property
    def complete_at(self) -> int | None:
        """The rank of the passage with which all of it is there; None if some is missing."""
        ranks = [rank for rank in self.evidence_ranks or () if rank]
        return max(ranks) if ranks and len(ranks) == len(self.evidence_ranks or ()) else None


class Quote(NamedTuple):
    """A text, the letters by which it is found, and the turn it is from, if any."""

    text: str
    letters: str
    session: str | None
    speaker: str | None = None


class Evidence:
    """The statements of a row that its questions rest on.

    ``told`` has the ids of the turns in each text that an agent was told, where those are known:
    a passage that repeats such a text holds these turns, however short they are.
    """

    def __init__(self, row: Row, told: Mapping[str, Collection[str]] | None = None) -> None:
        self._context = row.context
        self._told = told or {}
        self._rests_on = row.evidence or []
        self._statements: dict[str, Quote] = {}
        self._spans: dict[str, Span] = {}
        haystacks = row.metadata.get("haystack_sessions") or []
        self._turn_texts = [row.context[turn.start : turn.end] for turn in row.turns or ()]
        for turn in row.turns or []:
            self._add_place(turn.id, turn.start, turn.end, turn.session, turn.speaker)
        if row.turns is None and self._rests_on:
            for quote in {quote for quotes in self._rests_on for quote in quotes}:
                if (start := row.context.find(quote)) >= 0:
                    self._add_place(quote, start, start + len(quote))
        elif not self._rests_on and len(haystacks) == len(row.questions):
            self._rests_on = [
                [turn["content"] for turn in chain(*sessions) if turn.get("has_answer")]
                for sessions in haystacks
            ]
            marked = {text for texts in self._rests_on for text in texts}
            self._statements = {text: Quote(text, _letters(text), None) for text in marked}
            for text in marked:
                if start := row.context.find(repr(text)) + 1:
                    self._spans[text] = start, start + len(repr(text)) - 2
        self._statements = {
            name: one for name, one in self._statements.items() if len(one.letters) >= _SHORTEST
        }
        self._sessions = {statement.session for statement in self._statements.values()} - {None}
        # Statements by their first letters, so that a passage is read once for all of them.
        self._begin: dict[str, list[str]] = defaultdict(list)
        for name, statement in self._statements.items():
            self._begin[statement.letters[:_SHORTEST]].append(name)
        self._read = lru_cache(_READ)(self._statements_in)
        self._letters = lru_cache(_READ)(_letters)
        self._pieces = lru_cache(_READ)(_pieces)

    def _add_place(
        self,
        name: str,
        start: int,
        end: int,
        session: str | None = None,
        speaker: str | None = None,
    ) -> None:
        text = self._context[start:end]
        self._spans[name] = start, end
        whole = _letters(text)
        if len(whole) < 2 * _SHORTEST:  # With so few, the whole line counts.
            line = self._context.rfind("\n", 0, start) + 1
            whole = _letters(self._context[line:end])
        self._statements[name] = Quote(text, whole, session, speaker)

    def find(self, question_index: int, texts: Sequence[str]) -> RetrievedEvidence:
        """Return what of the evidence for a question the texts retrieved for it hold."""
        names = self._rests_on[question_index] if self._rests_on else []
        ranks = {name: self._rank(name, texts) for name in names if name in self._statements}
        sessions: dict[str, list[int | None]] = defaultdict(list)
        for name, rank in ranks.items():
            if session := self._statements[name].session:
                sessions[session].append(rank)
        for name in names:
            if name in self._sessions:
                sessions.setdefault(name, [])
        for rank, text in enumerate(texts if sessions else (), start=1):
            own = {self._statements[name].session for name in self._read(text)}
            for session in sessions.keys() & own:
                sessions[session].append(rank)
        known = ([rank for rank in own if rank] for own in sessions.values())
        session_ranks = tuple(min(own, default=None) for own in known)
        if not ranks:
            return RetrievedEvidence(session_ranks=session_ranks or None)
        recall = sum(rank is not None for rank in ranks.values()) / len(ranks)
        return RetrievedEvidence(recall, tuple(ranks.values()), session_ranks or None)

    def statements(self, question_index: int) -> list[str]:
        """Return the names of the statements that a question rests on, in the order of ranks."""
        names = dict.fromkeys(self._rests_on[question_index] if self._rests_on else ())
        return [name for name in names if name in self._statements]

    def text_of(self, statement: str) -> str:
        """Return what a statement says."""
        return self._statements[statement].text

    @property
    def names(self) -> Collection[str]:
        """The names of all statements that can be found in passages: of turns, if there are any."""
        return self._statements.keys()

    def named_in(self, text: str) -> frozenset[str]:
        """Return the names of the statements that a passage has word for word."""
        return self._read(text)

    def rank_of(self, statement: str, texts: Sequence[str]) -> int | None:
        """Return the rank, from 1, of the text with which a statement is there; None for none."""
        return self._rank(statement, texts)

    def held_by(self, texts: Sequence[str]) -> HeldStatements:
        """Return what tells which statements many texts hold together, which are read once."""
        told = {name for text in texts for name in self._told.get(text, ())}
        return HeldStatements(texts, told, self._statements, self._pieces)

    def places(self, question_index: int) -> list[Span] | None:
        """Return where a question's statements are, if anywhere; None if none are named."""
        if not self._rests_on:
            return None
        return [self._spans[name] for name in self._rests_on[question_index] if name in self._spans]

    def quotes(self, sentence: str) -> bool:
        """Say whether a sentence is one of the history: to its end, or with something beside it.

        A heading may be missing or another one, but nothing is left out at the end.
        """
        letters = _letters(sentence)
        if len(letters) < _SHORTEST:
            return letters in self._history
        ends = range(_SHORTEST, len(letters) + 1)
        return (
            f"{letters}\0" in self._sentences_in_order
            or any(letters[:end] in self._sentences for end in ends)
            or any(letters[-end:] in self._sentences for end in ends)
        )

    @property
    def history(self) -> str:
        """The text of the history."""
        return self._context

    def rewords(self, text: str) -> bool:
        """Say whether no sentence of a text is in the history, so that none can be found."""
        pieces = [piece for piece in _pieces(text) if len(piece) >= _SHORTEST] or [_letters(text)]
        return not any(piece in self._history for piece in pieces)

    @cached_property
    def _history(self) -> str:
        return _letters(self._context)

    @cached_property
    def _sentences(self) -> frozenset[str]:
        """The letters of the sentences of all lines, and of what was said without headings."""
        said = (quote.text for quote in self._statements.values())
        return frozenset(_sentence_letters([self._context, *said, *self._turn_texts]))

    @cached_property
    def _sentences_in_order(self) -> str:
        return "".join(f"{letters}\0" for letters in _sentence_letters([self._context]))

    def _statements_in(self, text: str) -> frozenset[str]:
        if text in self._told:
            return frozenset(self._told[text]) & self._statements.keys()
        letters = self._letters(text)
        return frozenset(
            name
            for at in range(len(letters) - _SHORTEST + 1)
            for name in self._begin.get(letters[at : at + _SHORTEST], ())
            if letters.startswith(self._statements[name].letters, at)
        )

    def _rank(self, name: str, texts: Iterable[str]) -> int | None:
        """Return the first passage that holds a statement, or with those before it half of it."""
        pieces = self._pieces(self._statements[name].text)
        half = sum(map(len, pieces)) / 2
        if half < _SHORTEST:
            pieces = []  # They could be anywhere.
        seen: set[str] = set()
        for rank, text in enumerate(texts, start=1):
            if name in self._read(text):
                return rank
            letters = self._letters(text)
            seen.update(piece for piece in pieces if len(piece) >= _SHORTEST and piece in letters)
            if seen and sum(map(len, seen)) >= half:
                return rank
        return None


class HeldStatements:
    """Says which statements some texts hold, by the rule of ranks, whatever holds which."""

    def __init__(
        self,
        texts: Sequence[str],
        told: Collection[str],
        statements: Mapping[str, Quote],
        pieces_of: Callable[[str], Sequence[str]],
    ) -> None:
        self._text, self._told = "\n\0\n".join(texts), told
        self._all = "\0".join(map(_letters, texts))
        self._statements, self._pieces_of = statements, pieces_of

    def has_only_of_others(self, statement: str) -> bool:
        """Return whether a turn follows the name of another speaker, wherever it is.

        One without a name before it, or after a role, may be anybody's.
        """
        quote = self._statements[statement]
        if quote.speaker is None or statement in self._told:
            return False
        speaker, speakers = _letters(quote.speaker), set[str]()
        for at in _places(quote.text, self._text):
            heading = self._text[self._text.rfind("\n", 0, at) + 1 : at]
            found = _SPEAKER.search(heading)
            speakers.add(_letters(found[1]) if found else "")
        is_own = any(one.endswith(speaker) or one in _NOBODY for one in speakers)
        return bool(speakers) and not is_own

    def has_whole(self, statement: str) -> bool:
        """Return whether the texts hold a statement from beginning to end."""
        return statement in self._told or self._statements[statement].letters in self._all

    def quotes(self, sentence: str) -> bool:
        """Return whether the texts hold a sentence."""
        return _letters(sentence) in self._all

    def has(self, statement: str) -> bool:
        """Return whether the texts hold a statement, or half of it."""
        quote = self._statements[statement]
        if self.has_whole(statement):
            return True
        pieces = self._pieces_of(quote.text)
        half = sum(map(len, pieces)) / 2
        held = {one for one in pieces if len(one) >= _SHORTEST and one in self._all}
        return half >= _SHORTEST and bool(held) and sum(map(len, held)) >= half


def _sentence_letters(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for line in _ESCAPED_LINE.split(text):
            yield from filter(None, map(_letters, split_sentences(line)))


def _places(part: str, text: str) -> Iterator[int]:
    """Yield where a text has a part."""
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _pieces(text: str) -> list[str]:
    return [_letters(sentence) for sentence in split_sentences(text)]


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _ESCAPE.sub(" ", text)).lower()
