"""The skill that continues a dialogue with items that fit the items and words in it.

Items are things such as films; their titles are learned from the texts that mention them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING

from mabench.contract.interfaces import Answer, Query
from mabench.installation import import_lock
from mabench.text import estimate_tokens
from mabench_floor.recommendation.turns import DialogueTurn, turn_of
from mabench_floor.skill import History

if TYPE_CHECKING:
    from mabench_floor.recommendation.ranking import ItemRanker

_TURN = re.compile(r"^[ \t]*([^\W\d_]\w{0,20}):(.*)$", re.MULTILINE)
# Dialogues are separated by a blank line or by a numbered heading, as in "Dialogue 12:".
_BREAK = re.compile(r"\n[ \t]*\n|(?:^|(?<=\s))[A-Z]\w+ \d+:\s")
_FEWEST_SPEAKERS = 2
_MOST = 20
_WORD = r"[^\W_a-z][\w'\u2019&.:!/-]*"
_SMALL = r"(?:of|the|a|an|and|in|on|to|for|with|at|by|from|or|vs|&|[-\u2013])"
_RUN = rf"{_WORD}(?:,? (?:{_WORD}|{_SMALL}(?=[\s,])))*+"
_START = re.compile(rf"(?<![^ ]){_WORD}")
_YEAR = re.compile(r"(?<!\s)\s*(\((?:18|19|20)\d\d\))")
# The year may be missing, so that a long run of capitals is read once, not from each of them.
_DATED = re.compile(rf"({_RUN})(?:\s+(\((?:18|19|20)\d\d\)))?")
_NAMED = re.compile(rf"(?<=[a-z,;] )({_WORD}(?: (?:{_SMALL} )*{_WORD})+)()")
_TOKEN = re.compile(r"\w+")
# Words of the longest title; longer runs of capitals are not titles.
_LONGEST = 100
# How often a title must occur with its year, to be recognized without it.
_LINKED = 0.3


class RecommendationSkill:
    """Continues a dialogue with fitting items from the dialogues of a history."""

    def __init__(self, history: History) -> None:
        self._history = history

    def answer(self, query: Query) -> Answer | None:
        """Return up to 20 numbered items; None unless a dialogue waits for its next turn."""
        if not _is_open_dialogue(query.question):
            return None
        utterances = [text for dialogue in dialogues_in(query.question) for text in dialogue]
        turns = [turn_of(text, self._titles.mentioned(text)) for text in utterances]
        if self._history.passages:
            ranked = _ranking().ranked_by_neighbours(turns, self._dialogues)
        else:
            ranked = self._ranker.ranked(turns)
        items = _numbered((self._titles.written[item] for item in ranked), query.max_tokens)
        return Answer(items) if items else None

    @cached_property
    def _texts(self) -> list[tuple[str, ...]]:
        return dialogues_in(self._history.text)

    @cached_property
    def _titles(self) -> Titles:
        return learn_titles(text for dialogue in self._texts for text in dialogue)

    @cached_property
    def _dialogues(self) -> list[list[DialogueTurn]]:
        mentioned = self._titles.mentioned
        return [[turn_of(text, mentioned(text)) for text in dialogue] for dialogue in self._texts]

    @cached_property
    def _ranker(self) -> ItemRanker:
        ranker: ItemRanker = _ranking().learn_ranker(self._dialogues)
        return ranker


def _ranking() -> ModuleType:
    """Return the module that ranks; it takes parts of scipy that are slow to import."""
    with import_lock:
        from mabench_floor.recommendation import ranking
    return ranking


def _is_open_dialogue(question: str) -> bool:
    """Return whether a question has turns ``Speaker: words`` of two, and ends with an empty one."""
    turns = _TURN.findall(question)
    if len({speaker for speaker, _ in turns}) < _FEWEST_SPEAKERS:
        return False
    last_speaker, last_words = turns[-1]
    last_line = question.strip().splitlines()[-1].strip()
    return not last_words.strip() and last_line == f"{last_speaker}:"


def dialogues_in(text: str) -> list[tuple[str, ...]]:
    """Return the turns of each dialogue in ``text``, without the speakers' names, in order."""
    speakers = sorted({speaker for speaker, _ in _TURN.findall(text)})
    # A turn may begin within a line where line breaks were lost.
    turn = re.compile(rf"(?:^|(?<=\s))(?:{'|'.join(speakers)}): ?" if speakers else r"\n")
    dialogues = (turn.split(part) for part in _BREAK.split(text))
    texts = [tuple(part.strip() for part in turns if part.strip()) for turns in dialogues]
    return [turns for turns in texts if turns]


def _numbered(items: Iterable[str], max_tokens: int) -> str:
    """Return the first 20 items as numbered lines, as many as the token budget allows."""
    lines: list[str] = []
    for number, item in enumerate(items, start=1):
        longer = [*lines, f"{number}. {item}"]
        if number > _MOST or estimate_tokens("\n".join(longer)) > max_tokens:
            break
        lines = longer
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Titles:
    """The titles that were learned from texts.

    A title is identified by its words, whatever their case and punctuation. Two works with one
    title count as one item, because speakers often get the year wrong.

    Attributes:
        written: the usual form of each title, with its most frequent year, by its words.
        linked: the titles that also count as mentioned without their year.
        lengths: the numbers of words of the titles that begin with a word, the largest first.
        read: the titles in the texts that were learned from, and whether a year follows each.
    """

    written: Mapping[str, str]
    linked: frozenset[str]
    lengths: Mapping[str, tuple[int, ...]]
    read: Mapping[str, Sequence[tuple[str, bool]]]

    def mentioned(self, text: str) -> list[str]:
        """Return the titles in a text by their words, in order; the longest reading counts."""
        occurrences = self.read.get(text)
        if occurrences is None:
            occurrences = list(_occurrences(text, self.lengths, self.written))
        return [title for title, dated in occurrences if dated or title in self.linked]


def learn_titles(texts: Iterable[str]) -> Titles:
    """Learn the titles in texts: what precedes years in parentheses, or else names.

    A capitalized word before a title (``Watch Titanic (1997)``) is recognized by other mentions:
    the title is that ending of the capitalized words which most often occurs alone.
    """
    texts = list(texts)
    written = _written(_capitalized_runs(texts))
    lengths = _lengths(written)
    read = {text: tuple(_occurrences(text, lengths, written)) for text in dict.fromkeys(texts)}
    count = Counter(occurrence for text in texts for occurrence in read[text])
    if any(dated for _, dated in count):
        linked = {
            title
            for title in written
            if (1 - _LINKED) * count[title, True] >= _LINKED * count[title, False]
        }
    else:
        linked = {*written}
    return Titles(written, frozenset(linked), lengths, read)


def _capitalized_runs(texts: Sequence[str]) -> Counter[tuple[str, str]]:
    """Count the runs of capitalized words before years, each with its year; else names without."""
    dated = Counter((words, year) for text in texts for words, year in _DATED.findall(text) if year)
    return dated or Counter(run for text in texts for run in _NAMED.findall(text))


def _written(runs: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """Return the usual form of the title in each run, with its usual year, by its words.

    ``runs`` counts the capitalized words before a year, and the year.
    """
    alone: Counter[str] = Counter()  # The words alone, whatever the year.
    for (words, _), count in runs.items():
        alone[words] += count
    sizes = {len(words) for words in alone}
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    years: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (words, year), count in runs.items():
        title = _title(words, alone, sizes)
        forms[_key(title)][title] += count
        years[_key(title)][year] += count
    return {
        title: f"{_usual(forms[title])} {_usual(years[title])}".rstrip()
        for title in sorted(forms)
        if title
    }


def _title(words: str, alone: Mapping[str, int], sizes: Container[int]) -> str:
    """Return the ending of ``words`` that most other mentions have; all of them if there is none.

    ``alone`` counts the mentions, and ``sizes`` are their lengths in characters.
    """

    def others(ending: str) -> int:
        mentions = alone.get(ending, 0)
        return mentions - 1 if ending == words else mentions

    starts = (match.start() for match in _START.finditer(words))
    endings = (words[start:] for start in starts if len(words) - start in sizes)
    return max(endings, key=lambda end: (others(end), len(end)))


def _key(title: str) -> str:
    """Return the words of a title, in the form in which titles are compared."""
    return " ".join(_TOKEN.findall(title.casefold()))


def _usual(forms: Mapping[str, int]) -> str:
    """Return the most frequent form; of equally frequent ones, the first in the alphabet."""
    return max(sorted(forms), key=lambda form: forms[form])


def _lengths(titles: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the numbers of words of the titles that begin with each word, the largest first."""
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for title in titles:
        length = title.count(" ") + 1
        if length <= _LONGEST:
            lengths[title.partition(" ")[0]].add(length)
    return {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()}


def _occurrences(
    text: str, lengths: Mapping[str, tuple[int, ...]], titles: Mapping[str, str]
) -> Iterator[tuple[str, bool]]:
    """Yield the titles in a text, without overlaps, and whether a year follows each."""
    words = [word.casefold() for word in _TOKEN.findall(text)]
    ends: list[int] = []  # The end of each word in the text; most texts have no title.
    start = 0
    while start < len(words):
        step = 1
        for length in lengths.get(words[start], ()):
            title = " ".join(words[start : start + length])
            if title in titles:
                if not ends:
                    ends = [match.end() for match in _TOKEN.finditer(text)]
                end = ends[min(start + length, len(words)) - 1]
                yield title, bool(_YEAR.match(text, end))
                step = length
                break
        start += step


learn = RecommendationSkill
