"""What the descriptions of LifeBench cannot say: a phone's records, and questions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench.printable import write_count
from mabench_external.tables import whole_number

OPTIONS, OPEN = "lifebench_options", "lifebench"
_QUESTIONS = Path("QA", "QA_clean.json")
_PHONE = "phone_data"
# Records of a phone by the names of their files, in the order in which those of one time come.
_KINDS = (
    *("calendar", "call", "sms", "note", "photo", "push", "agent_chat", "fitness_health"),
    "contact",
)
# What a record says beside what happened: numbers of the made-up event behind it, and summaries.
_NOT_TOLD = frozenset(
    {"type", "event_id", "phone_id", "summarized_info", "image_size", "jump_path", "shoot_mode"}
)
_TIMES = ("datetime", "start_time", "日期")
_LETTER = re.compile(r"[A-Z]")


def has_categories_as_text(content: Mapping[str, object]) -> bool:
    """Return whether an object in LoCoMo's form is LifeBench's, whose categories are texts."""
    questions = content.get("qa")
    first = questions[0] if isinstance(questions, list) and questions else None
    return isinstance(first, dict) and isinstance(first.get("category"), str)


def find_files(path: Path) -> list[Path]:
    """Return the questions of all people in a folder, of one person's, or the path of one file."""
    if path.is_file():
        is_one = path.parts[-2:] == _QUESTIONS.parts and (path.parents[1] / _PHONE).is_dir()
        return [path] if is_one else []
    if (path / _QUESTIONS).is_file():
        return [path / _QUESTIONS]
    people = [path / "data_en", path] if (path / "data_en").is_dir() else [path]
    return sorted(people[0].glob(f"*/{_QUESTIONS}"))


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each person's year twice: with the questions that have options, and with others."""
    for file in find_files(path):
        person = file.parents[1]
        record = Record(str(file), 0, None, None)
        try:
            questions = JsonPart.of_file(record).items()
            chosen = [one for one in questions if _offers_options(one)]
            turns, missing = _turns(person)
        except FieldError as error:
            yield error.problem
            continue
        for name in missing:
            yield record.warning(None, f"no file {_PHONE}/{name}.json", "all records of the phone")
        opened = [one for one in questions if one not in chosen]
        for source, asked in ((OPTIONS, chosen), (OPEN, opened)):
            if asked:
                content = {"source": source, "name": person.name, "turns": turns}
                yield record._replace(content={**content, "questions": asked})


def _offers_options(question: JsonPart) -> bool:
    """Return whether a question has options, one of which is its answer."""
    has_letter = isinstance(question["answer"].value, str)
    return has_letter and bool(
        question["options"].value and _LETTER.fullmatch(question["answer"].value)
    )


def _turns(person: Path) -> tuple[list[JsonPart], list[str]]:
    """Return the records of a phone by time, and the names of files that are missing."""
    timed: list[tuple[str, int, JsonPart]] = []
    missing = []
    for order, kind in enumerate(_KINDS):
        file = person / _PHONE / f"{kind}.json"
        if not file.is_file():
            missing.append(kind)
            continue
        for one in JsonPart.of_file(Record(str(file), 0, None, None)).items():
            when = next((str(one[name].value) for name in _TIMES if one[name].value), "")
            fields = {"id": f"{kind}{one['phone_id'].value}", "text": _told(one, kind)}
            fields |= {"day": when[:10] or "contacts"} | ({"time": when} if when else {})
            timed.append((when, order, JsonPart(one.record, fields, one.place)))
    return [one for _, _, one in sorted(timed, key=lambda each: each[:2])], missing


def _told(one: JsonPart, kind: str) -> str:
    """Return a record of a phone as a line of its fields."""
    told = []
    for name in one.of(dict):
        value = one[name].value
        if name not in _NOT_TOLD and value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            told.append(f"{name}: {' '.join(text.split())}")
    return f"{kind}: {'; '.join(told)}"


def options(question: JsonPart) -> list[str] | None:
    """Return the options of a question with a letter; None of an open one."""
    if not _offers_options(question):
        return None
    return [" ".join(one["content"].text().split()) for one in question["options"].items()]


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the records that a question rests on, and a warning about unknown ones."""
    listed = question["evidence"]
    named = [] if listed.value is None else listed.items()
    unnamed = [one for one in named if one["id"].value is None]
    for one in unnamed:
        yield one.doubt("the id of a record; it tells no evidence")
    named = [one for one in named if one["id"].value is not None]
    ids = [f"{one['type'].of(str)}{whole_number(one['id'])}" for one in named]
    yield from ids
    unknown = [one for one in ids if one not in history.ids]
    if unknown:
        found = f"{unknown[0]!r} and {write_count(len(unknown) - 1, 'other')}"
        yield listed.doubt("the ids of records; others tell no evidence", found)
