"""A question of a data set for a reader: its golds, and the history around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mabench.candidates import Place, QuestionPlaces
from mabench.reports.question import mark_spans
from mabench.reports.tables import Table, plain_columns, tabulate

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_LONGEST_GOLD = 300
_MOST_PLACES = 5


def question_places_table(views: Iterable[QuestionPlaces]) -> Table:
    """Return one row for each question, with its texts in full."""
    titles = ("Source", "Row", "Question", "Text", "Golds", "Places")
    rows = (
        (
            *(view.question.source, view.question.row, view.question.question_index),
            *(view.question.question, " | ".join(gold.text for gold in view.golds.candidates)),
            None if view.places is None else len(view.places),
        )
        for view in views
    )
    return tabulate(plain_columns(titles, texts=(0, 3, 4)), rows)


def show_question_places(views: Iterable[QuestionPlaces], console: Console) -> None:
    """Print questions in full, and what stands around their golds."""
    for number, view in enumerate(views):
        if number:
            console.rule()
        for line in _lines(view):
            console.print(line)


def _lines(view: QuestionPlaces) -> Iterator[Text]:
    from rich.text import Text

    question = view.question
    place = f"row {question.row}, question {question.question_index}"
    yield Text(f"{question.source}, {place} ({question.split})", style="bold")
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
    for name, text in facts:
        if text:
            yield Text.assemble((f"{name}: ", "bold"), text)
    if view.places is None:
        yield Text("\nThe golds are not words of the history, so they are not looked for in it.")
    else:
        yield from _places("A gold stands", view.places, view.characters)
    if view.evidence:
        yield from _places("The evidence is", view.evidence, view.characters)
    if view.older_values:
        yield from _places("An older value stands", view.older_values, view.characters)


def _places(what: str, places: Sequence[Place], characters: int) -> Iterator[Text]:
    from rich.text import Text

    number = {0: "nowhere", 1: "once"}.get(len(places), f"at {len(places):,} places")
    yield Text(f"\n{what} {number} in the history of {characters:,} characters.", style="bold")
    for place in places[:_MOST_PLACES]:
        yield Text(f"  {place.depth:.1f} % deep")
        yield mark_spans(place.text, place.marks)
    if len(places) > _MOST_PLACES:
        yield Text(f"  and {len(places) - _MOST_PLACES:,} more")
