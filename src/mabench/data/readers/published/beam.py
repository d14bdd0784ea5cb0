"""BEAM (``chats/100K/1/chat.json`` and the like): long chats of a user with an assistant.

Each chat is a folder with ``chat.json`` and ``probing_questions/probing_questions.json``, and
becomes a row. Chats are read one at a time. Every message stands on a line that begins with the
date of its batch, or the batch's name, so that a chunk tells when it was said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mabench.data.inventory import Source
from mabench.data.problems import Problem, shown
from mabench.data.readers.published.faults import (
    FieldError,
    answer_text,
    field_of,
    left_out,
    of_type,
)
from mabench.data.readers.published.turns import History
from mabench.data.records import Record
from mabench.errors import reason
from mabench.json_text import from_json

_SPLIT = "BEAM"
# The lengths in tokens, by which the folders are named.
_SIZES = ("100K", "500K", "1M", "10M")
CHAT = "chat.json"
_QUESTIONS = Path("probing_questions", "probing_questions.json")
_ANSWERS = ("answer", "ideal_response", "ideal_answer", "ideal_summary", "expected_compliance")
_USED = frozenset({"question", "rubric", "source_chat_ids", *_ANSWERS})
_BATCH_FIELDS = frozenset({"batch_number", "time_anchor", "turns"})
_MESSAGE_FIELDS = frozenset({"role", "id", "content", "time_anchor"})
# The place in the plan that a user's text was made by, which nobody said.
_MARKER = re.compile(r"->->[\d\s,/NA]*\Z")


def find_chats(path: Path) -> list[Path]:
    """Return the chats in a folder, by size and number; none where it is no folder of BEAM.

    The folder is BEAM's own, its ``chats``, or one of a size, such as ``100K``.
    """
    if path.name in _SIZES:
        return _numbered(path)
    chats = path / "chats"
    root = chats if chats.is_dir() else path
    return [chat for size in _SIZES for chat in _numbered(root / size)]


def sources_of(path: Path) -> Mapping[str, Source]:
    """Return the sources of a folder of chats, by name."""
    sources = (_source(chat) for chat in find_chats(path))
    return {source.name: source for source in sources}


def read(chat: Path) -> Iterator[Record | Problem]:
    """Yield the row that a chat is, after what is wrong with it or left out of it."""
    record = Record(str(chat), 0, _SPLIT, None)
    try:
        ignored: Counter[str] = Counter()
        history = _history(record, chat, ignored)
        asked = record._replace(file=str(chat.parent / _QUESTIONS))
        content, problems = _row(asked, history, _source(chat).name, ignored)
    except FieldError as error:
        yield error.problem
        return
    yield from problems
    why = "messages, questions and their rubrics, which are all that a row has"
    yield from left_out(record, ignored, why)
    yield record._replace(content=content)


def _numbered(folder: Path) -> list[Path]:
    chats = [chat for chat in folder.glob(f"*/{CHAT}") if chat.parent.name.isdecimal()]
    return sorted(chats, key=lambda chat: int(chat.parent.name))


def _source(chat: Path) -> Source:
    size = chat.parent.parent.name.lower()
    return Source(f"beam_{size}", split=_SPLIT, family="beam")


def _content(record: Record) -> Any:
    try:
        return from_json(Path(record.file).read_bytes())
    except (OSError, ValueError) as error:
        expected = "JSON in UTF-8: copy or download the file again"
        raise FieldError(record.error(None, reason(error), expected)) from error


def _history(record: Record, chat: Path, ignored: Counter[str]) -> History:
    history = History()
    for place, session, batch in _batches(record, of_type(record, _content(record), "", list)):
        date = batch.get("time_anchor") or session
        for i, turn in enumerate(field_of(record, batch, f"{place}.turns", list)):
            for j, item in enumerate(of_type(record, turn, f"{place}.turns[{i}]", list)):
                message = f"{place}.turns[{i}][{j}]"
                fields = of_type(record, item, message, dict)
                date = fields.get("time_anchor") or date
                _say(record, history, fields, message, (session, str(date)))
                ignored.update(key for key in fields if key not in _MESSAGE_FIELDS)
        ignored.update(key for key in batch if key not in _BATCH_FIELDS)
    return history


def _batches(record: Record, items: list[Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the place, the name and the fields of each batch; those of 10M stand in plans."""
    for i, item in enumerate(items):
        fields = of_type(record, item, f"[{i}]", dict)
        if "turns" in fields:
            yield f"[{i}]", f"batch {fields.get('batch_number', i + 1)}", fields
            continue
        for plan, batches in fields.items():
            for j, batch in enumerate(of_type(record, batches, f"[{i}].{plan}", list)):
                place = f"[{i}].{plan}[{j}]"
                own = of_type(record, batch, place, dict)
                yield place, f"{plan} batch {own.get('batch_number', j + 1)}", own


def _say(
    record: Record,
    history: History,
    fields: Mapping[str, Any],
    place: str,
    when: tuple[str, str],
) -> None:
    session, date = when
    role = field_of(record, fields, f"{place}.role", str)
    number = field_of(record, fields, f"{place}.id", int)
    text = field_of(record, fields, f"{place}.content", str)
    history.add(f"[{date}] {role}: ")
    history.say(session, str(number), _MARKER.sub("", text).rstrip() if role == "user" else text)
    history.add("\n\n")


def _row(
    record: Record, history: History, source: str, ignored: Counter[str]
) -> tuple[dict[str, object], list[Problem]]:
    known = {turn["id"] for turn in history.turns}
    problems: list[Problem] = []
    ids, types, questions, answers, evidence, rubrics = [], [], [], [], [], []
    chat = Path(record.file).parents[1].name
    for ability, listed in of_type(record, _content(record), "", dict).items():
        for i, item in enumerate(of_type(record, listed, ability, list)):
            place = f"{ability}[{i}]"
            fields = of_type(record, item, place, dict)
            ids.append(f"{source}_{chat}_{ability}_{i}")
            types.append(ability)
            questions.append(field_of(record, fields, f"{place}.question", str))
            answers.append([_answer(record, fields, place)])
            rubrics.append(_rubric(record, fields, place))
            named = [str(one) for one in _numbers(fields.get("source_chat_ids"))]
            evidence.append(list(dict.fromkeys(named)))
            if not known.issuperset(named):
                expected = "the ids of messages of the chat; others tell no evidence"
                found = shown(sorted(set(named) - known))
                problems.append(record.warning(f"{place}.source_chat_ids", found, expected))
            ignored.update(key for key in fields if key not in _USED)
    metadata = {
        "source": source,
        "qa_pair_ids": ids,
        "question_types": types,
        "turns": history.turns,
        "evidence": evidence,
        "rubrics": rubrics,
    }
    row = {"context": history.text, "questions": questions, "answers": answers}
    return {**row, "metadata": metadata}, problems


def _answer(record: Record, fields: Mapping[str, Any], place: str) -> str:
    name = next((name for name in _ANSWERS if fields.get(name) is not None), None)
    if name is None:
        raise FieldError(record.error(place, "no ideal answer", f"one of {', '.join(_ANSWERS)}"))
    return answer_text(record, fields[name], f"{place}.{name}")


def _rubric(record: Record, fields: Mapping[str, Any], place: str) -> list[str]:
    lines = field_of(record, fields, f"{place}.rubric", list)
    if not lines:
        raise FieldError(record.error(f"{place}.rubric", "an empty list", "a line at least"))
    return [of_type(record, line, f"{place}.rubric[{i}]", str) for i, line in enumerate(lines)]


def _numbers(value: object) -> Iterator[int]:
    """Yield the numbers of a list, or of lists in lists or objects, however deep."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(part)
