"""Reads LifeBench: a year of records of a person's phone, and the questions about it.

A person is a folder with a file of records for each app in ``phone_data``, and a file of questions.
``description.toml`` and ``locomo_form.toml`` say how the files become rows, and name the functions
here for what they cannot express. A ``JsonPart`` is a value of a file with its place:
``part["type"].of(str)`` is the string in its field ``type``, or a ``FieldError``; ``part.value`` is
the value unchecked, None if it is missing.
"""

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
# The names of the files of records. Records of the same time are told in this order.
_APPS = (
    *("calendar", "call", "sms", "note", "photo", "push", "agent_chat", "fitness_health"),
    "contact",
)
# Fields of a record that tell a memory nothing of what happened: ids, summaries and the like.
_NOT_TOLD = frozenset(
    {"type", "event_id", "phone_id", "summarized_info", "image_size", "jump_path", "shoot_mode"}
)
_TIMES = ("datetime", "start_time", "日期")  # The fields that may hold a record's time.
_DAY = len("2025-01-31")  # Characters at the beginning of a time.
_LETTER = re.compile(r"[A-Z]")


def has_categories_as_text(content: Mapping[str, object]) -> bool:
    """Return whether an object in LoCoMo's form is LifeBench's.

    The category of its first question is a text; LoCoMo's categories are numbers.
    """
    questions = content.get("qa")
    first_question = questions[0] if isinstance(questions, list) and questions else None
    return isinstance(first_question, dict) and isinstance(first_question.get("category"), str)


def find_files(path: Path) -> list[Path]:
    """Return the files of questions at a path.

    It may be such a file, beside the records of its phone, or a folder of one person or of several.
    """
    if path.is_file():
        is_in_its_folder = path.parts[-2:] == _QUESTIONS.parts
        return [path] if is_in_its_folder and (path.parents[1] / _PHONE).is_dir() else []
    if (path / _QUESTIONS).is_file():
        return [path / _QUESTIONS]
    english = path / "data_en"
    people = english if english.is_dir() else path
    return sorted(people.glob(f"*/{_QUESTIONS}"))


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each person's year with the questions that offer options, and again with the others.

    The two are of different sources, and either is left out without questions. Before them, there
    is a warning for each file of records that is missing.
    """
    for file in find_files(path):
        person = file.parents[1]
        record = Record(str(file), 0, split=None, content=None)
        try:
            questions = JsonPart.of_file(record).items()
            with_options = [question for question in questions if _offers_options(question)]
            turns = _turns(person)
        except FieldError as error:
            yield error.problem
            continue
        for app in _APPS:
            if not _records_file(person, app).is_file():
                found = f"no file {_PHONE}/{app}.json"
                yield record.warning(None, found, "all records of the phone")
        open_ones = [question for question in questions if question not in with_options]
        for source, asked in ((OPTIONS, with_options), (OPEN, open_ones)):
            if asked:
                content = {"source": source, "name": person.name, "turns": turns}
                yield record._replace(content={**content, "questions": asked})


def _offers_options(question: JsonPart) -> bool:
    """Return whether a question has options, one of whose letters is its answer."""
    answer = question["answer"].value
    if not isinstance(answer, str) or not question["options"].value:
        return False
    return _LETTER.fullmatch(answer) is not None


def _records_file(person: Path, app: str) -> Path:
    """Return where the records of an app are in a person's folder."""
    return person / _PHONE / f"{app}.json"


def _turns(person: Path) -> list[JsonPart]:
    """Return the records of a person's phone as turns, by time; those without a time come first."""
    turns = []
    for app in _APPS:
        file = _records_file(person, app)
        if file.is_file():
            records = JsonPart.of_file(Record(str(file), 0, split=None, content=None))
            turns += [_turn(record, app) for record in records.items()]
    # The order of apps remains among records of the same time: sorting is stable.
    return sorted(turns, key=lambda turn: turn.value.get("time", ""))


def _turn(record: JsonPart, app: str) -> JsonPart:
    """Return a record as a turn, with the day that is its session, and its time if it has one."""
    fields = {
        "id": f"{app}{record['phone_id'].value}",
        "text": _text_of(record, app),
        "day": "contacts",
    }
    times = [str(record[name].value) for name in _TIMES if record[name].value]
    if times:
        fields |= {"day": times[0][:_DAY], "time": times[0]}
    return JsonPart(record.record, fields, record.place)


def _text_of(record: JsonPart, app: str) -> str:
    """Return a record as one line: the app, and then each field that is filled and told."""
    fields = []
    for name in record.of(dict):
        value = record[name].value
        is_empty = value in (None, "", [], {})
        if is_empty or name in _NOT_TOLD:
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        fields.append(f"{name}: {' '.join(text.split())}")
    return f"{app}: {'; '.join(fields)}"


def options(question: JsonPart) -> list[str] | None:
    """Return the texts of a question's options, each on one line; None if the question is open."""
    if not _offers_options(question):
        return None
    return [" ".join(option["content"].text().split()) for option in question["options"].items()]


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the records that a question rests on, and warnings.

    There is a warning for each entry without an id, and one for all ids that the history lacks.
    """
    listed = question["evidence"]
    entries = [] if listed.value is None else listed.items()
    without_id = [entry for entry in entries if entry["id"].value is None]
    with_id = [entry for entry in entries if entry["id"].value is not None]
    for entry in without_id:
        yield entry.doubt("the id of a record; it tells no evidence")
    ids = [f"{entry['type'].of(str)}{whole_number(entry['id'])}" for entry in with_id]
    yield from ids
    unknown = [turn_id for turn_id in ids if turn_id not in history.ids]
    if unknown:
        found = f"{unknown[0]!r} and {write_count(len(unknown) - 1, 'other')}"
        yield listed.doubt("the ids of records; others tell no evidence", found)
