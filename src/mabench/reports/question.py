"""Prints questions of a run or of a data set, with their answers, as a list or each in full.

The part of a question says what became of it in a run; ``PARTS`` has each in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from mabench.audit import Golds, HistoryPlace, QuestionPlaces
from mabench.families import search_query
from mabench.printable import write_count
from mabench.reports.answers.telling import (
    describe_answer,
    format_facts,
    join_golds,
    mark_spans,
)
from mabench.reports.answers.why import why_wrong
from mabench.reports.brief.remarks import shared_title
from mabench.reports.formats.terminal import share_room
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import PARTS, Key, Run, ScoredQuestion

# What is between two columns of a list.
_GAP = "  "
_heading = partial(Text, style="bold")
# Characters to which a column of a list may be cut, and the last one, which says why.
_LEAST, _LEAST_WHY = 9, 36
# The formats other than that of a terminal.
_FILES = ("markdown", "latex", "csv")
# Characters of a gold answer that are shown.
_LONGEST_GOLD = 300
# How many places of golds in a data set are listed.
_MOST_PLACES = 5
# How questions of EventQA begin.
_EVENTS = "These are the events that have already occurred:"
# What became of a question that cannot be scored yet, and what a user can do.
_WITHOUT_SCORE = "without a score yet"
_REMEDY = ": run `mabench judge`"
_UNJUDGED = f"not judged yet{_REMEDY}"
# How many causes the sentence above a list names.
_MOST_CAUSES = 2

# The answers of another run to the same questions, by what names a question.
OtherAnswers = Mapping[Key, ScoredQuestion]


def show_question_list(
    questions: Sequence[ScoredQuestion],
    run: Run,
    console: Console,
    what: str,
    others: OtherAnswers | None = None,
) -> None:
    """Print a sentence on some questions of a run, and a line for each: place, texts and cause.

    Lines are grouped by cause and then by source. ``what`` says in the sentence what holds of all
    these answers, such as ``are listed``; ``others`` adds a column with those of another run.
    """
    if questions:
        console.print(_list_sentence(questions, run, what))
    table = question_table(questions, others).in_format("table")
    header = [title.lower() for title in table.headers]
    rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
    widths = _choose_widths([header, *rows], console.width)
    if rows:
        _print_line(header, widths, console)
    _, titles = shared_title(run.record.data.titles or {})
    listed = [
        _ListedQuestion(_find_cause(question), question.sample.source, row)
        for question, row in zip(questions, rows, strict=True)
    ]
    listed.sort(key=attrgetter("cause"))
    for cause, of_cause in groupby(listed, key=attrgetter("cause")):
        lines = list(of_cause)
        heading = f"{cause.words[0].upper()}{cause.words[1:]} ({len(lines)})"
        console.print(_heading(heading))
        for source, of_source in groupby(lines, key=attrgetter("source")):
            console.print(Text(titles.get(source, source)))
            for line in of_source:
                _print_line(line.cells, widths, console)


class _ListedCause(NamedTuple):
    """What became of a question; the least rank comes first in a list."""

    rank: int
    words: str


class _ListedQuestion(NamedTuple):
    """A question in a list, with the cells of its line."""

    cause: _ListedCause
    source: str
    cells: Sequence[str]


def _choose_widths(lines: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return how wide each column of some lines is, in characters, so that they fit a terminal.

    The first column, which names the questions, is never cut; the last, which says why an answer is
    wrong, keeps more than the others.
    """
    full = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    first, *between, last = full
    least = [first, *(min(width, _LEAST) for width in between), min(last, _LEAST_WHY)]
    room = width - sum(least) - len(_GAP) * (len(least) - 1)
    return share_room(least, full, room)


def _print_line(cells: Sequence[str], widths: Sequence[int], console: Console) -> None:
    """Print cells in columns of some widths; a cell that is longer loses its end."""
    padded = []
    for cell, width in zip(cells, widths, strict=True):
        padded.append(f"{cell:{width}}" if len(cell) <= width else f"{cell[: width - 1]}…")
    console.print(Text(_GAP.join(padded).rstrip()), no_wrap=True, overflow="crop")


def _list_sentence(questions: Sequence[ScoredQuestion], run: Run, what: str) -> str:
    """Return how many of a run's answers are listed, and what became of most of them."""
    asked = write_count(sum(run.record.questions.values()), "question")
    causes = Counter(_find_cause(question).words.removesuffix(_REMEDY) for question in questions)
    commonest = []
    for cause, count in causes.most_common(_MOST_CAUSES):
        if count == 1:
            commonest.append(f"1 is {cause}")
        else:
            commonest.append(f"{count:,} are {cause.replace(' its ', ' their ')}")
    answers = f"{len(questions):,} of {run.record.agent}'s answers"
    return f"On {run.record.data.name} ({asked}), {answers} {what}: {'; '.join(commonest)}."


def question_table(
    questions: Sequence[ScoredQuestion], others: OtherAnswers | None = None
) -> Table:
    """Return a table with a row for each question and its texts in full.

    ``others`` adds a column with the answers of another run.
    """
    columns: list[Column[ScoredQuestion]] = [
        Column("Place", _place, formats=["table"]),
        Column("Source", lambda question: question.sample.source, formats=_FILES),
        Column("Row", lambda question: question.sample.row, spec="", key=True, formats=_FILES),
        Column(
            "Number",
            lambda question: question.sample.question_index,
            spec="",
            key=True,
            formats=_FILES,
        ),
        Column(
            "Score", lambda question: question.official, spec=".2g", formats=["markdown", "csv"]
        ),
        Column("Question", _strip_shared_words),
        Column("Answer" if others is None else "Here", _answer),
    ]
    if others is not None:
        columns.append(Column("There", lambda question: _answer(others[question.sample.key])))
    columns.append(Column("Gold", lambda question: join_golds(question.sample)))
    columns.append(Column("Why", why_wrong))
    return tabulate(columns, questions)


def _place(question: ScoredQuestion) -> str:
    """Return what names a question in short: its row and its number in it, such as ``3/17``."""
    return f"{question.sample.row}/{question.sample.question_index}"


def _strip_shared_words(question: ScoredQuestion) -> str:
    """Return a question without the words that all questions of its source share."""
    asked = search_query(question.sample.question).strip()
    if asked.endswith("\nSystem:"):  # In a dialogue, the user's last words are the question.
        return asked.rpartition("\nUser: ")[2]
    return asked.removeprefix(_EVENTS).lstrip()


def _find_cause(question: ScoredQuestion) -> _ListedCause:
    """Return what became of a question; one without a score comes after all others."""
    if question.official is None and question.part == "unclear":
        words = _WITHOUT_SCORE if question.is_judged else _UNJUDGED
        return _ListedCause(rank=len(PARTS), words=words)
    words = PARTS[question.part].describe(question.sample.hit_by)
    return _ListedCause(rank=list(PARTS).index(question.part), words=words)


def _answer(question: ScoredQuestion) -> str:
    """Return what an agent answered, or the error in place of an answer."""
    return question.sample.error or question.sample.prediction or "(empty)"


def show_questions(
    questions: Iterable[ScoredQuestion | QuestionPlaces], console: Console, *, full: bool = False
) -> None:
    """Print questions of a run or of a data set, with gold answers marked in the texts.

    In ``full``, those of a run have all passages, all places of golds, and the prompt.
    """
    for number, question in enumerate(questions):
        if number > 0:
            console.rule()
        if isinstance(question, ScoredQuestion):
            lines = describe_answer(question, full=full)
        else:
            lines = _describe_places(question)
        for line in lines:
            console.print(line)


def _describe_places(places: QuestionPlaces) -> Iterator[Text]:
    """Yield the lines of a question of a data set: its facts, its golds, and where these occur."""
    question = places.question
    place = f"row {question.row}, question {question.question_index}"
    yield _heading(f"{question.source}, {place} ({question.split})")
    facts = [*_question_facts(places), *_gold_facts(places.golds)]
    yield from format_facts((name, text) for name, text in facts if text)
    if places.places is None:
        reason = "The golds are not quotes from the history"
        yield Text(f"\n{reason}, so the history is not searched for them.")
    else:
        yield from _describe_occurrences("A gold", places.places, places.characters)
    # Nothing is said of a question without evidence, or without older values.
    if places.evidence:
        yield from _describe_occurrences("The evidence", places.evidence, places.characters)
    if places.older_values:
        yield from _describe_occurrences("An older value", places.older_values, places.characters)


def _question_facts(places: QuestionPlaces) -> Iterator[tuple[str, str | None]]:
    """Yield the names and texts of what the data say of a question, but for its golds."""
    question = places.question
    yield "Question", question.question
    yield "Type", question.question_type
    yield "Date", question.question_date
    yield "Asked after", question.asked_after
    yield "Asked by", question.asked_by
    yield "Id", question.qa_pair_id
    yield "Scored by", f"{places.golds.metric}; {places.golds.rule}"
    for line in question.rubric or ():
        yield "Rubric", line


def _gold_facts(golds: Golds) -> Iterator[tuple[str, str]]:
    """Yield each gold with what answers are compared with, and why it is doubtful, if it is."""
    for gold in golds.candidates:
        alike = "".join(f", also {text!r}" for text in gold.alike)
        doubt = f"; doubtful: {gold.doubt}" if gold.doubt else ""
        compared = f"compared as {gold.normalized[:_LONGEST_GOLD]!r}{alike}{doubt}"
        yield "Gold", f"{gold.text[:_LONGEST_GOLD]} ({compared})"


def _describe_occurrences(
    what: str, places: Sequence[HistoryPlace], characters: int
) -> Iterator[Text]:
    """Yield how often something occurs in a history of some length, and its first places."""
    if not places:
        how_often = "nowhere"
    elif len(places) == 1:
        how_often = "once"
    else:
        how_often = f"at {len(places):,} places"
    yield _heading(f"\n{what} occurs {how_often} in the history of {characters:,} characters.")
    for place in places[:_MOST_PLACES]:
        yield Text(f"  {place.depth:.1f} % deep")
        yield mark_spans(place.text, place.marks)
    if len(places) > _MOST_PLACES:
        yield Text(f"  and {len(places) - _MOST_PLACES:,} more")
