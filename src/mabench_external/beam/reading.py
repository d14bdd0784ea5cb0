"""Joins each chat of BEAM with its questions, and yields the chat's messages as turns.

``description.toml`` says how the files become rows, and names the functions here for what it cannot
express. A ``JsonPart`` is a value of a file with its place: ``part["role"].of(str)`` is the string
in its field ``role``, or a ``FieldError``; ``part.value`` is the value unchecked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.descriptions.said import DescribedTurn
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench_external.beam.folders import QUESTIONS, find_chats, source_of, warn_of_others

_BATCH_FIELDS = frozenset({"batch_number", "time_anchor", "turns"})
_MESSAGE_FIELDS = frozenset({"role", "id", "content", "time_anchor"})
# After this marker comes a place in the plan of the chat, or a remark, which nobody said.
_MARKER = "->->"
_MARKERS = "markers of the plan"


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield the chats in a folder with their questions, after warnings about what is left out."""
    yield from warn_of_others(path)
    for chat in find_chats(path):
        record = Record(str(chat), 0, split=None, content=None)
        questions_record = record._replace(file=str(chat.parent / QUESTIONS))
        try:
            content = {
                "source": source_of(chat),
                "name": chat.parent.name,
                "chat": JsonPart.of_file(record),
                "questions": JsonPart.of_file(questions_record),
            }
        except FieldError as error:
            yield error.problem
            continue
        yield record._replace(content=content)


def said(whole: JsonPart, left_out: LeftOut) -> Iterator[DescribedTurn]:
    """Yield the messages of a chat as turns, and count in ``left_out`` the fields not used.

    A batch of messages is a session. A message without a date has that of the message before it in
    its batch, else that of the batch, else the name of the batch.
    """
    for session, batch in _batches(whole["chat"]):
        date = batch["time_anchor"].value or session
        for exchange in batch["turns"].items():
            for message in exchange.items():
                date = message["time_anchor"].value or date
                yield _turn(message, session, str(date), left_out)
        left_out.count_all(batch.record, batch.of(dict), known=_BATCH_FIELDS)


def _turn(message: JsonPart, session: str, date: str, left_out: LeftOut) -> DescribedTurn:
    """Return a message as a turn.

    A user's message ends in a marker such as ``->-> 1,1``, by which its authors number the points
    of the conversation's plan; nobody said it, so the text ends before it. What is left out of the
    message is counted in ``left_out``. The date is that of the batch of messages, as in the file.
    """
    text, marker, _ = message["content"].of(str).partition(_MARKER)
    if marker:
        left_out.count(message.record, _MARKERS)
        text = text.rstrip()
    role, number = message["role"].of(str), message["id"].of(int)
    [time] = read_dates([date])
    left_out.count_all(message.record, message.of(dict), known=_MESSAGE_FIELDS)
    return DescribedTurn(
        text=text, session=session, id=str(number), date=date, time=time, who={"role": role}
    )


def _batches(chat: JsonPart) -> Iterator[tuple[str, JsonPart]]:
    """Yield the batches of a chat, each after its name, such as ``batch 3``.

    A chat is a list of batches; of the size 10M it is a list of objects, each with lists of batches
    by the name of their plan.
    """
    for i, item in enumerate(chat.items(), start=1):
        fields = item.of(dict)
        is_batch = not _BATCH_FIELDS.isdisjoint(fields)
        if is_batch:
            yield f"batch {fields.get('batch_number', i)}", item
            continue
        for plan in fields:
            for j, batch in enumerate(item[plan].items(), start=1):
                yield f"{plan} batch {batch.of(dict).get('batch_number', j)}", batch
