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

from mabench.data.schema import Row, Turn
from mabench.text import split_sentences
from mabench.text.spans import Span

# How many passages of a row are kept as read, for further questions that retrieve them.
_MOST_READ = 4096
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
    # By statement, from 1, the first passage that holds it.
    evidence_ranks: Ranks | None = None
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
        self._rests_on = row.evidence or []  # Names of statements, by question.
        self._statements: dict[str, Quote] = {}
        self._spans: dict[str, Span] = {}
        self._turn_texts = [row.context[turn.start : turn.end] for turn in row.turns or ()]
        for turn in row.turns or []:
            self._add_place(turn.id, turn.start, turn.end, turn.session, turn.speaker)
        haystacks = row.metadata.get("haystack_sessions") or []
        if row.turns is None and self._rests_on:
            self._add_quotes({quote for quotes in self._rests_on for quote in quotes})
        elif not self._rests_on and len(haystacks) == len(row.questions):
            self._rests_on = [_marked_texts(sessions) for sessions in haystacks]
            self._add_marked({text for texts in self._rests_on for text in texts})
        self._statements = {
            name: statement
            for name, statement in self._statements.items()
            if len(statement.letters) >= _SHORTEST
        }
        self._sessions = {statement.session for statement in self._statements.values()} - {None}
        # Statements by their first letters, so that a passage is read once for all of them.
        self._begin: dict[str, list[str]] = defaultdict(list)
        for name, statement in self._statements.items():
            self._begin[statement.letters[:_SHORTEST]].append(name)
        self._read = lru_cache(_MOST_READ)(self._statements_in)
        self._letters = lru_cache(_MOST_READ)(_letters)
        self._pieces = lru_cache(_MOST_READ)(_pieces)

    def _add_quotes(self, quotes: Iterable[str]) -> None:
        """Add the texts that the context has word for word, each under itself as its name."""
        for quote in quotes:
            start = self._context.find(quote)
            if start >= 0:
                self._add_place(quote, start, start + len(quote))

    def _add_marked(self, texts: Iterable[str]) -> None:
        """Add texts of marked turns, each under itself as its name.

        The context has them as literals: ``'text'`` in quotes, with escapes.
        """
        for text in texts:
            self._statements[text] = Quote(text, _letters(text), None)
            literal = repr(text)
            start = self._context.find(literal)
            if start >= 0:
                self._spans[text] = start + 1, start + len(literal) - 1  # Without the quotes.

    def _add_place(
        self,
        name: str,
        start: int,
        end: int,
        session: str | None = None,
        speaker: str | None = None,
    ) -> None:
        """Add the statement from ``start`` to ``end`` of the context.

        A short one is found by its whole line, with the heading before it.
        """
        text = self._context[start:end]
        self._spans[name] = start, end
        letters = _letters(text)
        if len(letters) < 2 * _SHORTEST:
            line_start = self._context.rfind("\n", 0, start) + 1
            letters = _letters(self._context[line_start:end])
        self._statements[name] = Quote(text, letters, session, speaker)

    def find(self, question_index: int, texts: Sequence[str]) -> RetrievedEvidence:
        """Return what of the evidence for a question the texts retrieved for it hold."""
        names = self._rests_on[question_index] if self._rests_on else []
        ranks = {name: self._rank(name, texts) for name in names if name in self._statements}
        session_ranks = self._session_ranks(names, ranks, texts) or None
        if not ranks:
            return RetrievedEvidence(session_ranks=session_ranks)
        recall = sum(rank is not None for rank in ranks.values()) / len(ranks)
        return RetrievedEvidence(recall, tuple(ranks.values()), session_ranks)

    def _session_ranks(
        self, names: Iterable[str], ranks: Mapping[str, int | None], texts: Sequence[str]
    ) -> Ranks:
        """Return by session of the evidence the rank of the first text with any turn of it.

        Evidence names a session by one of its turns, whose rank counts as well, or by its own name.
        """
        found: dict[str, list[int]] = {}  # The ranks by session.
        for name, turn_rank in ranks.items():
            session = self._statements[name].session
            if session:
                turn_ranks = found.setdefault(session, [])
                if turn_rank is not None:
                    turn_ranks.append(turn_rank)
        for name in names:
            if name in self._sessions:
                found.setdefault(name, [])
        if not found:
            return ()
        for rank, text in enumerate(texts, start=1):
            sessions_in_text = {self._statements[name].session for name in self._read(text)}
            for session in found.keys() & sessions_in_text:
                found[session].append(rank)
        return tuple(min(session_ranks, default=None) for session_ranks in found.values())

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
        if f"{letters}\0" in self._sentences_in_order:  # The end of a sentence.
            return True
        lengths = range(_SHORTEST, len(letters) + 1)
        begins_with_one = any(letters[:length] in self._sentences for length in lengths)
        return begins_with_one or any(letters[-length:] in self._sentences for length in lengths)

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
        """The letters of all sentences, each followed by a null character."""
        return "".join(f"{letters}\0" for letters in _sentence_letters([self._context]))

    def _statements_in(self, text: str) -> frozenset[str]:
        """Return the names of the statements that a text holds from beginning to end."""
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
        telling = _telling_pieces(pieces)
        seen: set[str] = set()
        for rank, text in enumerate(texts, start=1):
            if name in self._read(text):
                return rank
            letters = self._letters(text)
            seen.update(piece for piece in telling if piece in letters)
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
        self._told = told
        self._statements = statements
        self._pieces_of = pieces_of
        # Null characters keep a statement from being found across two texts.
        self._text = "\n\0\n".join(texts)
        self._letters = "\0".join(map(_letters, texts))

    def has_only_of_others(self, statement: str) -> bool:
        """Return whether a turn is there, but only behind the names of other speakers.

        One without a name before it, or after a role, may be anybody's.
        """
        quote = self._statements[statement]
        if quote.speaker is None or statement in self._told:
            return False
        speaker = _letters(quote.speaker)
        names_before = set[str]()
        for start in _places(quote.text, self._text):
            line_start = self._text.rfind("\n", 0, start) + 1
            match = _SPEAKER.search(self._text[line_start:start])
            names_before.add(_letters(match[1]) if match else "")
        may_be_own = any(name.endswith(speaker) or name in _NOBODY for name in names_before)
        return bool(names_before) and not may_be_own

    def has_whole(self, statement: str) -> bool:
        """Return whether the texts hold a statement from beginning to end."""
        return statement in self._told or self._statements[statement].letters in self._letters

    def quotes(self, sentence: str) -> bool:
        """Return whether the texts hold a sentence."""
        return _letters(sentence) in self._letters

    def has(self, statement: str) -> bool:
        """Return whether the texts hold a statement, or half of it."""
        if self.has_whole(statement):
            return True
        pieces = self._pieces_of(self._statements[statement].text)
        half = sum(map(len, pieces)) / 2
        held = {piece for piece in _telling_pieces(pieces) if piece in self._letters}
        return bool(held) and sum(map(len, held)) >= half


def _telling_pieces(pieces: Sequence[str]) -> list[str]:
    """Return the sentences of a statement by which half of it can be found.

    Short ones could be anywhere, and so could half of a short statement: it has none.
    """
    half = sum(map(len, pieces)) / 2
    return [piece for piece in pieces if len(piece) >= _SHORTEST] if half >= _SHORTEST else []


def _marked_texts(sessions: Iterable[Iterable[Turn]]) -> list[str]:
    """Return what the turns say that are marked as holding the answer."""
    return [turn["content"] for turn in chain(*sessions) if turn.get("has_answer")]


def _sentence_letters(texts: Iterable[str]) -> Iterator[str]:
    """Yield the letters of the sentences of texts, line by line, but for those without any."""
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
    """Return the letters of each sentence of a text."""
    return [_letters(sentence) for sentence in split_sentences(text)]


def _letters(text: str) -> str:
    """Return the letters and digits of a text in lower case, without the escapes of a literal."""
    return _NO_LETTER.sub("", _ESCAPE.sub(" ", text)).lower()
