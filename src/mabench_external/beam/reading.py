"""What the description of BEAM cannot say: which files belong together, and plans within chats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.descriptions.said import DescribedTurn
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench_external.beam.folders import QUESTIONS, find_chats, passed_over, source_of

_BATCH_FIELDS = frozenset({"batch_number", "time_anchor", "turns"})
_MESSAGE_FIELDS = frozenset({"role", "id", "content", "time_anchor"})
# After this marker comes a place in the plan of the chat, or a remark, which nobody said.
_MARKER = "->->"
_MARKERS = "markers of the plan"


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield the chats in a folder with their questions, after warnings about what is left out."""
    yield from passed_over(path)
    for chat in find_chats(path):
        record = Record(str(chat), 0, None, None)
        asked = record._replace(file=str(chat.parent / QUESTIONS))
        try:
            content = {
                "source": source_of(chat),
                "name": chat.parent.name,
                "chat": JsonPart.of_file(record),
                "questions": JsonPart.of_file(asked),
            }
        except FieldError as error:
            yield error.problem
            continue
        yield record._replace(content=content)


def said(whole: JsonPart, left_out: LeftOut) -> Iterator[DescribedTurn]:
    """Yield the messages of a chat; count the fields that are left out."""
    for session, batch in _batches(whole["chat"]):
        date = batch["time_anchor"].value or session
        for turn in batch["turns"].items():
            for message in turn.items():
                date = message["time_anchor"].value or date
                text, marker, _ = message["content"].of(str).partition(_MARKER)
                if marker:
                    left_out.count(message.record, _MARKERS)
                yield _message(message, session, str(date), text.rstrip() if marker else text)
                left_out.count_all(message.record, message.of(dict), _MESSAGE_FIELDS)
        left_out.count_all(batch.record, batch.of(dict), _BATCH_FIELDS)


def _message(message: JsonPart, session: str, date: str, text: str) -> DescribedTurn:
    role, number = message["role"].of(str), message["id"].of(int)
    [time] = read_dates([date])
    return DescribedTurn(
        text=text, session=session, id=str(number), date=date, time=time, who={"role": role}
    )


def _batches(chat: JsonPart) -> Iterator[tuple[str, JsonPart]]:
    """Yield the name and the fields of each batch. In chats of 10M, batches are within plans."""
    for i, item in enumerate(chat.items(), start=1):
        fields = item.of(dict)
        if not _BATCH_FIELDS.isdisjoint(fields):
            yield f"batch {fields.get('batch_number', i)}", item
            continue
        for plan in fields:
            for j, batch in enumerate(item[plan].items(), start=1):
                yield f"{plan} batch {batch.of(dict).get('batch_number', j)}", batch
