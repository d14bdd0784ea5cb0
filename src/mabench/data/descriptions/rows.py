"""Makes rows of the objects of a benchmark's files, as a description says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from mabench.data.descriptions.asked import DescribedQuestion, QuestionReader, ToldHistory
from mabench.data.descriptions.forms import Description
from mabench.data.descriptions.histories import HistoryBuilder
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.descriptions.said import DescribedTurn, TurnReader, history_values
from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.records import Record


def describe_row(
    form: Description, record: Record, source: Source | None = None
) -> Iterator[Record | Problem]:
    """Yield the row that an object is, after warnings; or only what is wrong with it.

    ``source`` is that of the row, where the description names none.
    """
    try:
        content, problems = _row(form, record, source.name if source else "")
    except FieldError as error:
        yield error.problem
        return
    yield from problems
    split = source.split if source else form.sources[0].split
    yield record._replace(split=split, content=content)


def _row(
    form: Description, record: Record, own_source: str
) -> tuple[dict[str, object], list[Problem]]:
    """Return the content of a row, and warnings about it."""
    whole, left_out = JsonPart(record, record.content), LeftOut()
    source = own_source or _source_of(form, whole)
    turns = TurnReader(form.history, left_out)
    questions = QuestionReader(form.questions, left_out, form.uses)
    left_out.count_all(record, whole.of(dict), _known_fields(form, questions))
    told = [*turns.read(whole)]
    doubts = _without_wrong_times(record, told)
    history = _built(form, told)
    problems = [*history.check(record)]
    asked = [*questions.read(whole, ToldHistory(turns=told, sessions=turns.sessions), source)]
    problems = [*turns.problems, *doubts, *questions.problems, *problems]
    kept = form.left_out
    problems += left_out.problems(record, kept.fields, kept.otherwise, kept.questions)
    row: dict[str, object] = {"context": history.text, "questions": [one.text for one in asked]}
    row["answers"] = [one.answers for one in asked]
    metadata = {"source": source, **_metadata(form, asked)}
    return {
        **row,
        "metadata": metadata,
        "turns": history.turns,
        **_read_aligned_lists(form, asked),
    }, problems


def _source_of(form: Description, whole: JsonPart) -> str:
    """Return the name of the source of an object."""
    names = {one.name for one in form.sources}
    if form.source is None:
        return form.sources[0].name
    fields = whole.of(dict)
    name = form.source.format_map({key: whole[key].value for key in fields})
    if name not in names:
        raise whole.fault(f"an object of one of {', '.join(sorted(names))}", name)
    return name


def _known_fields(form: Description, questions: QuestionReader) -> set[str]:
    """Return the fields of an object that are read."""
    history = form.history
    paths = (history.sessions, history.turns if not history.sessions else "", form.questions.list)
    beside = [one for one in (history.names, history.dates) if one and "[]" in one]
    known = {path.split(".")[0].removesuffix("[]") for path in (*paths, *beside)}
    if not form.questions.list and form.questions.each is None:
        known |= questions.known_fields
    return known | {*form.fields, *form.uses}


def _without_wrong_times(record: Record, told: list[DescribedTurn]) -> list[Problem]:
    """Leave out the times of all turns if any is earlier than the one before; warn of it then."""
    timed = [said for said in told if said.time is not None]
    wrong = [
        said
        for before, said in pairwise(timed)
        if said.time < before.time  # type: ignore[operator]
    ]
    if not wrong:
        return []
    for said in timed:
        said.time = None
    found = f"{wrong[0].date} of {wrong[0].session} after a later time"
    expected = "turns in the order of their times; the order is that of the file, without times"
    return [record.warning(None, found, expected)]


def _built(form: Description, told: list[DescribedTurn]) -> HistoryBuilder:
    """Return the history of some turns."""
    history, form_of = HistoryBuilder(), form.history
    for number, said in enumerate(told):
        if number and said.session != told[number - 1].session:
            history.add(form_of.between)
        history.add(form_of.heading.format_map(history_values(said)))
        history.say(said.session, said.id, said.text, said.time, **said.who)
        history.add(form_of.ending)
    return history


def _metadata(form: Description, asked: list[DescribedQuestion]) -> dict[str, Any]:
    """Return what the metadata of a row say of each question, as far as a description names it."""
    metadata: dict[str, Any] = {"qa_pair_ids": [one.id for one in asked]}
    if form.questions.question_id is not None:
        metadata["question_ids"] = [one.question_id for one in asked]
    if form.questions.date is not None:
        metadata["question_dates"] = [one.date for one in asked]
    if form.questions.type is not None:
        metadata["question_types"] = [one.kind for one in asked]
    return metadata


def _read_aligned_lists(form: Description, asked: list[DescribedQuestion]) -> dict[str, Any]:
    """Return the further lists of a row with one item per question."""
    lists: dict[str, Any] = {}
    if form.questions.evidence is not None or form.history.marks is not None:
        lists["evidence"] = [one.evidence for one in asked]
    if form.questions.rubric is not None:
        lists["rubrics"] = [one.rubric for one in asked]
    if form.questions.asked_after is not None:
        lists["asked_after"] = [one.asked_after for one in asked]
    return lists
