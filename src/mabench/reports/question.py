"""Prints questions of a run, or of a data set, as a list or each in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from rich.console import Console
from rich.text import Text

from mabench.audit import QuestionPlaces
from mabench.families import search_query
from mabench.printable import write_count
from mabench.reports.answers.telling import describe_answer, join_golds, mark_spans
from mabench.reports.answers.why import why_wrong
from mabench.reports.brief.remarks import shared_title
from mabench.reports.formats.terminal import share_room
from mabench.reports.tables import Column, Table, tabulate
from mabench.results import PARTS, Key, Run, ScoredQuestion

_GAP = "  "
_heading = partial(Text, style="bold")
# The least widths of a column, and of the last one.
_LEAST, _LEAST_WHY = 9, 36
# Formats that are stored in files.
_FILES = ("markdown", "latex", "csv")
# Characters of a gold answer that are shown.
_LONGEST_GOLD = 300
# How many places of golds in a data set are listed.
_MOST_PLACES = 5
# How questions of EventQA begin.
_EVENTS = "These are the events that have already occurred:"
_WITHOUT_SCORE = "without a score yet"
_REMEDY = ": run `mabench judge`"
_UNJUDGED = f"not judged yet{_REMEDY}"
# How many causes the sentence above a list names.
_MOST_CAUSES = 2

# The answers of another run to the same questions.
OtherAnswers = Mapping[Key, ScoredQuestion]


def show_question_list(
    questions: Sequence[ScoredQuestion],
    run: Run,
    console: Console,
    what: str,
    others: OtherAnswers | None = None,
) -> None:
    """Print what is listed of a run, and a line for each question: its place, texts and cause.

    Lines are grouped by cause and then by source. ``what`` says of which kind the questions are;
    ``others`` adds a column with the answers of another run.
    """
    if questions:
        console.print(_list_sentence(questions, run, what))
    _, titles = shared_title(run.record.data.titles or {})
    table = question_table(questions, others).in_format("table")
    rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
    header = [title.lower() for title in table.headers]
    full = [max(map(len, cells)) for cells in zip(header, *rows, strict=True)]
    least = [full[0], *(min(width, _LEAST) for width in full[1:-1]), min(full[-1], _LEAST_WHY)]
    room = console.width - sum(least) - len(_GAP) * (len(least) - 1)
    widths = share_room(least, full, room)

    def print_line(cells: Sequence[str]) -> None:
        cells_of_width = [
            f"{cell:{width}}" if len(cell) <= width else f"{cell[: width - 1]}…"
            for cell, width in zip(cells, widths, strict=True)
        ]
        console.print(Text(_GAP.join(cells_of_width).rstrip()), no_wrap=True, overflow="crop")

    if rows:
        print_line(header)
    by_cause = itemgetter(0)
    listed = sorted(zip(map(_cause, questions), rows, questions, strict=True), key=by_cause)
    for (_, cause), group in groupby(listed, key=by_cause):
        of_cause = list(group)
        console.print(_heading(f"{cause[0].upper()}{cause[1:]} ({len(of_cause)})"))
        for source, of_source in groupby(of_cause, key=lambda each: each[2].sample.source):
            console.print(Text(titles.get(source, source)))
            for _, line, _ in of_source:
                print_line(line)


def _list_sentence(questions: Sequence[ScoredQuestion], run: Run, what: str) -> str:
    """Return how many of a run's answers are listed, and what became of most of them."""
    asked = write_count(sum(run.record.questions.values()), "question")
    named = (_cause(question)[1].removesuffix(_REMEDY) for question in questions)
    causes = Counter(named).most_common(_MOST_CAUSES)
    most = "; ".join(
        f"{count:,} is {cause}" if count == 1 else f"{count:,} are {_of_several(cause)}"
        for cause, count in causes
    )
    answers = f"{len(questions):,} of {run.record.agent}'s answers"
    return f"On {run.record.data.name} ({asked}), {answers} {what}: {most}."


def _of_several(cause: str) -> str:
    """Return the words for one answer, as what is said of several."""
    return cause.replace(" its ", " their ")


def question_table(
    questions: Sequence[ScoredQuestion], others: OtherAnswers | None = None
) -> Table:
    """Return a table with a row for each question and its texts in full.

    ``others`` adds a column with the answers of another run.
    """

    def place(question: ScoredQuestion) -> str:
        return f"{question.sample.row}/{question.sample.question_index}"

    columns: list[Column[ScoredQuestion]] = [
        Column("Place", place, formats=["table"]),
        Column("Source", lambda question: question.sample.source, formats=_FILES),
        Column("Row", lambda question: question.sample.row, "", key=True, formats=_FILES),
        Column("Number", lambda one: one.sample.question_index, "", key=True, formats=_FILES),
        Column("Score", lambda question: question.official, ".2g", formats=["markdown", "csv"]),
        Column("Question", _strip_shared_words),
        Column("Answer" if others is None else "Here", _answer),
    ]
    if others is not None:
        columns.append(Column("There", lambda question: _answer(others[question.sample.key])))
    gold: Column[ScoredQuestion] = Column("Gold", lambda question: join_golds(question.sample))
    return tabulate([*columns, gold, Column("Why", why_wrong)], questions)


def _strip_shared_words(question: ScoredQuestion) -> str:
    """Return a question without the words that all questions of its source share."""
    asked = search_query(question.sample.question).strip()
    if asked.endswith("\nSystem:"):  # In a dialogue, the user's last words are the question.
        return asked.rpartition("\nUser: ")[2]
    return asked.removeprefix(_EVENTS).lstrip()


def _cause(question: ScoredQuestion) -> tuple[int, str]:
    """Return the place of a question's cause in the list, and its heading."""
    if question.official is None and question.part == "unclear":
        return len(PARTS), _WITHOUT_SCORE if question.is_judged else _UNJUDGED
    place = list(PARTS).index(question.part)
    return place, PARTS[question.part].describe(question.sample.hit_by)


def _answer(question: ScoredQuestion) -> str:
    return question.sample.error or question.sample.prediction or "(empty)"


def show_questions(
    questions: Iterable[ScoredQuestion | QuestionPlaces], console: Console, *, full: bool = False
) -> None:
    """Print questions of a run or of a data set, with gold answers marked in the texts.

    In ``full``, those of a run have all passages, all places of golds, and the prompt.
    """
    for number, question in enumerate(questions):
        if number:
            console.rule()
        if isinstance(question, ScoredQuestion):
            lines = describe_answer(question, full=full)
        else:
            lines = _describe_places(question)
        for line in lines:
            console.print(line)


def _format_facts(facts: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """Return a line for each fact, with its name in bold."""
    return (Text.assemble((f"{name}: ", "bold"), text) for name, text in facts)


def _describe_places(view: QuestionPlaces) -> Iterator[Text]:
    """Yield the lines of a question of a data set."""
    question = view.question
    place = f"row {question.row}, question {question.question_index}"
    yield _heading(f"{question.source}, {place} ({question.split})")
    facts = [
        ("Question", question.question),
        ("Type", question.question_type),
        ("Date", question.question_date),
        ("Asked after", question.asked_after),
        ("Asked by", question.asked_by),
        ("Id", question.qa_pair_id),
        ("Scored by", f"{view.golds.metric}; {view.golds.rule}"),
        *(("Rubric", line) for line in question.rubric or ()),
    ]
    for gold in view.golds.candidates:
        alike = "".join(f", also {text!r}" for text in gold.alike)
        doubt = f"; doubtful: {gold.doubt}" if gold.doubt else ""
        compared = f"compared as {gold.normalized[:_LONGEST_GOLD]!r}{alike}{doubt}"
        facts.append(("Gold", f"{gold.text[:_LONGEST_GOLD]} ({compared})"))
    yield from _format_facts((name, text) for name, text in facts if text)
    if view.places is None:
        not_quotes = "The golds are not quotes from the history"
        yield Text(f"\n{not_quotes}, so the history is not searched for them.")
    for what, places in (
        ("A gold", view.places),
        ("The evidence", view.evidence or None),
        ("An older value", view.older_values or None),
    ):
        if places is None:
            continue
        where = {0: "nowhere", 1: "once"}.get(len(places), f"at {len(places):,} places")
        history = f"the history of {view.characters:,} characters"
        yield _heading(f"\n{what} occurs {where} in {history}.")
        for at in places[:_MOST_PLACES]:
            yield Text(f"  {at.depth:.1f} % deep")
            yield mark_spans(at.text, at.marks)
        if len(places) > _MOST_PLACES:
            yield Text(f"  and {len(places) - _MOST_PLACES:,} more")
