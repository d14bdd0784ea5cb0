"""A question of a data set for a reader: its golds, and the history around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mabench.candidates import Place, QuestionPlaces
from mabench.data.records import one_line
from mabench.reports.question import mark_spans
from mabench.reports.tables import Column, Table, tabulate

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_LONGEST_CELL = 60
_LONGEST_GOLD = 400
_MOST_PLACES = 5


def question_places_table(questions: Iterable[QuestionPlaces], *, short: bool = False) -> Table:
    """Return one row for each question; ``short`` cuts its texts to the width of a screen."""

    def cut(text: str) -> str:
        flat = one_line(text)
        return text if not short else _shorten(flat, _LONGEST_CELL)

    columns: tuple[Column[QuestionPlaces], ...] = (
        Column("Source", lambda one: one.question.source),
        Column("Row", lambda one: one.question.row, ""),
        Column("Question", lambda one: one.question.question_index, ""),
        Column("Text", lambda one: cut(one.question.question)),
        Column("Golds", lambda one: cut(" | ".join(gold.text for gold in one.golds.candidates))),
        Column("Places", lambda one: None if one.places is None else len(one.places), ","),
    )
    return tabulate(columns, questions)


def show_question_places(questions: Iterable[QuestionPlaces], console: Console) -> None:
    """Print questions in full, and what stands around their golds."""
    for number, one in enumerate(questions):
        if number:
            console.rule()
        for line in _lines(one):
            console.print(line)


def _lines(one: QuestionPlaces) -> Iterator[Text]:
    from rich.text import Text

    question = one.question
    place = f"row {question.row}, question {question.question_index}"
    yield Text(f"{question.source}, {place} ({question.split})", style="bold")
    facts = {
        "Question": question.question,
        "Type": question.question_type,
        "Date": question.question_date,
        "Id": question.qa_pair_id,
        "Scored by": f"{one.golds.metric}; {one.golds.rule}",
    }
    for name, text in facts.items():
        if text:
            yield Text.assemble((f"{name}: ", "bold"), text)
    yield Text("Golds:", style="bold")
    for gold in one.golds.candidates:
        alike = "".join(f", also {text!r}" for text in gold.alike)
        doubt = f"; doubtful: {gold.doubt}" if gold.doubt else ""
        text = _shorten(gold.text, _LONGEST_GOLD)
        yield Text(f"  {text} (compared as {_shorten(gold.normalized, 60)!r}{alike}{doubt})")
    for line in question.rubric or ():
        yield Text.assemble(("Rubric: ", "bold"), line)
    if one.places is None:
        yield Text("\nThe golds are not words of the history, so they are not looked for in it.")
    else:
        yield from _places("A gold stands", one.places, one.characters)
    if one.evidence:
        yield from _places("The evidence is", one.evidence, one.characters)


def _places(what: str, places: Sequence[Place], characters: int) -> Iterator[Text]:
    from rich.text import Text

    number = {0: "nowhere", 1: "once"}.get(len(places), f"at {len(places):,} places")
    history = f"in the history of {characters:,} characters"
    yield Text(f"\n{what} {number} {history}{':' if places else '.'}", style="bold")
    for place in places[:_MOST_PLACES]:
        yield Text(f"  {place.depth:.1f} % deep")
        yield mark_spans(place.text, place.marks)
    if len(places) > _MOST_PLACES:
        yield Text(f"  and {len(places) - _MOST_PLACES:,} more")


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
