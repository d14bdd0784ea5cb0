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
from mabench.data.readers.formats import FileFormat
from mabench.data.records import Problem, Record, describe
from mabench.errors import reason
from mabench.userfile import read_json_file
from mabench_external.readers.faults import (
    FieldError,
    answer_text,
    check_turns,
    field_of,
    left_out,
    of_type,
    question_text,
)
from mabench_external.readers.turns import History

# The lengths in tokens, by which the folders are named.
_SIZES = ("100K", "500K", "1M", "10M")
SOURCES = {size: Source(f"beam_{size.lower()}", split="BEAM", family="beam") for size in _SIZES}
CHAT = "chat.json"
_QUESTIONS = Path("probing_questions", "probing_questions.json")
_ANSWERS = ("answer", "ideal_response", "ideal_answer", "ideal_summary", "expected_compliance")
_USED = frozenset({"question", "rubric", "source_chat_ids", *_ANSWERS})
_BATCH_FIELDS = frozenset({"batch_number", "time_anchor", "turns"})
_MESSAGE_FIELDS = frozenset({"role", "id", "content", "time_anchor"})
# The place in the plan that a user's text was made by, which nobody said.
_MARKER = re.compile(r"->->[\d\s,/NA]*\Z")
_MARKERS = "markers of user texts"
# Wrong ids of a question that are named.
_MOST_SHOWN = 5
# What a row has in place of what is left out.
_PLAN = "what was said; these are places in the plan of the chat"
_KEPT = dict.fromkeys(("index", "question_type", _MARKERS), _PLAN)
_NO_OTHER = "the fields of messages"
_NO_NOTES = "questions, ideal answers, rubrics and evidence; these are notes on them"


def find_chats(path: Path) -> list[Path]:
    """Return the chats in a folder, by size and number; none where it is no folder of BEAM.

    The folder is BEAM's own, its ``chats``, or one of a size, such as ``100K``. Each folder in it
    that is named by a number is a chat, even where its file is missing, which reading tells. One
    such folder alone, or either of its files, is that chat.
    """
    if chat := _chat_at(path):
        return [chat]
    chats = [
        child / CHAT
        for folder in _size_folders(path)
        for child in sorted(filter(_is_numbered, folder.iterdir()), key=lambda one: int(one.name))
    ]
    return chats if any(chat.is_file() for chat in chats) else []


def passed_over(path: Path) -> Iterator[Problem]:
    """Yield a warning for each file or folder of a folder of chats that is no chat."""
    folders = _size_folders(path)
    others = [one for folder in folders for one in folder.iterdir() if not _is_numbered(one)]
    if not folders:
        return
    if path.name not in _SIZES:
        others += [one for one in _root(path).iterdir() if one not in folders]
    expected = f"folders named by a size and a number, such as {_SIZES[0]}/1, with {CHAT} in each"
    for one in sorted(others):
        if not one.name.startswith("."):
            yield Problem("warning", str(one), None, None, "no chat, left out", expected)


def sources_of(path: Path) -> list[Source]:
    """Return the sources of a folder of chats, one for each chat."""
    return [_source(chat) for chat in find_chats(path)]


def read_chats(path: Path) -> Iterator[Record | Problem]:
    """Yield what ``read_chat`` does of each chat in a folder, after what is left out of it."""
    yield from passed_over(path)
    for chat in find_chats(path):
        yield from read_chat(chat)


def read_chat(chat: Path) -> Iterator[Record | Problem]:
    """Yield the row that a chat is, after what is wrong with it or left out of it."""
    source = _source(chat)
    record = Record(str(chat), 0, source.split, None)
    asked = record._replace(file=str(chat.parent / _QUESTIONS))
    try:
        ignored, notes = Counter[str](), Counter[str]()
        history = _history(record, ignored)
        problems = list(check_turns(record, history.turns))
        content, unread = _row(asked, history, source.name, notes)
    except FieldError as error:
        yield error.problem
        return
    yield from (*problems, *unread)
    yield from left_out(record, ignored, _KEPT, _NO_OTHER)
    yield from left_out(asked, notes, {}, _NO_NOTES)
    yield record._replace(content=content)


def _chat_at(path: Path) -> Path | None:
    """Return the chat that a folder of a number is, or that one of its files belongs to."""
    folder = path
    if path.is_file():
        above = {CHAT: path.parent, _QUESTIONS.name: path.parent.parent}
        folder = above.get(path.name, path)
    chat = folder / CHAT
    is_one = folder.parent.name in _SIZES and _is_numbered(folder) and chat.is_file()
    return chat if is_one else None


def _root(path: Path) -> Path:
    chats = path / "chats"
    return chats if chats.is_dir() else path


def _size_folders(path: Path) -> list[Path]:
    """Return the folders of chats by their sizes."""
    folders = [path] if path.name in _SIZES else [_root(path) / size for size in _SIZES]
    return [folder for folder in folders if folder.is_dir()]


def _is_numbered(path: Path) -> bool:
    return path.name.isdecimal() and path.is_dir()


def _source(chat: Path) -> Source:
    return SOURCES[chat.parent.parent.name]


def _content(record: Record) -> Any:
    try:
        return read_json_file(Path(record.file), distinct_keys=True)
    except (OSError, ValueError) as error:
        expected = "JSON in UTF-8: copy or download the file again"
        raise FieldError(record.error(None, reason(error), expected)) from error


def _history(record: Record, ignored: Counter[str]) -> History:
    history = History()
    for place, session, batch in _batches(record, of_type(record, _content(record), "", list)):
        date = batch.get("time_anchor") or session
        for i, turn in enumerate(field_of(record, batch, f"{place}.turns", list)):
            for j, item in enumerate(of_type(record, turn, f"{place}.turns[{i}]", list)):
                message = f"{place}.turns[{i}][{j}]"
                fields = of_type(record, item, message, dict)
                date = fields.get("time_anchor") or date
                ignored[_MARKERS] += _say(record, history, fields, message, (session, str(date)))
                ignored.update(key for key in fields if key not in _MESSAGE_FIELDS)
        ignored.update(key for key in batch if key not in _BATCH_FIELDS)
    return history


def _batches(record: Record, items: list[Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the place, the name and the fields of each batch; those of 10M stand in plans."""
    for i, item in enumerate(items):
        fields = of_type(record, item, f"[{i}]", dict)
        if not _BATCH_FIELDS.isdisjoint(fields):
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
) -> int:
    """Add a message; returns how many markers its text had."""
    session, date = when
    role = field_of(record, fields, f"{place}.role", str)
    number = field_of(record, fields, f"{place}.id", int)
    text = field_of(record, fields, f"{place}.content", str)
    history.add(f"[{date}] {role}: ")
    said, markers = _MARKER.subn("", text) if role == "user" else (text, 0)
    said = said.rstrip() if role == "user" else said
    history.say(session, str(number), said, date=date, role=role)
    history.add("\n\n")
    return markers


def _row(
    record: Record, history: History, source: str, notes: Counter[str]
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
            questions.append(question_text(record, fields, f"{place}.question"))
            answers.append([_answer(record, fields, place)])
            rubrics.append(_rubric(record, fields, place))
            named = [str(one) for one in _leaves(fields.get("source_chat_ids"))]
            evidence.append(list(dict.fromkeys(named)))
            if lost := [one for one in evidence[-1] if one not in known]:
                expected = "the ids of messages of the chat; others tell no evidence"
                found = ", ".join(map(describe, lost[:_MOST_SHOWN]))
                problems.append(record.warning(f"{place}.source_chat_ids", found, expected))
            notes.update(key for key in fields if key not in _USED)
    metadata = {
        "source": source,
        "qa_pair_ids": ids,
        "question_types": types,
    }
    row = {"context": history.text, "questions": questions, "answers": answers}
    added = {"turns": history.turns, "evidence": evidence, "rubrics": rubrics}
    return {**row, "metadata": metadata, **added}, problems


def _answer(record: Record, fields: Mapping[str, Any], place: str) -> str:
    name = next((name for name in _ANSWERS if fields.get(name) is not None), None)
    if name is None:
        raise FieldError(record.error(place, "no ideal answer", f"one of {', '.join(_ANSWERS)}"))
    return answer_text(record, fields, f"{place}.{name}")


def _rubric(record: Record, fields: Mapping[str, Any], place: str) -> list[str]:
    lines = field_of(record, fields, f"{place}.rubric", list)
    if not lines:
        raise FieldError(record.error(f"{place}.rubric", "an empty list", "a line at least"))
    return [of_type(record, line, f"{place}.rubric[{i}]", str) for i, line in enumerate(lines)]


def _leaves(value: object) -> Iterator[object]:
    """Yield what stands in a list, or in lists in lists or objects, however deep; not null."""
    if isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(part)
    elif value is not None:
        yield value


FORMAT = FileFormat(
    sources=tuple(SOURCES.values()),
    published=f"the folder chats, or one of a size or a chat in it, with 100K/1/{CHAT} and so on",
    find=find_chats,
    read=read_chats,
    sources_in=sources_of,
)
