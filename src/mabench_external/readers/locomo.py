"""LoCoMo (``locomo10.json``): long conversations of two people, and questions of five categories.

The file is a list of conversations, each of which becomes a row. Every turn stands on a line that
begins with the date of its session, so that a chunk tells when its turns were said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mabench.data.inventory import Source
from mabench.data.readers.formats import FileFormat
from mabench.data.records import Problem, Record, describe
from mabench_external.readers.faults import (
    FieldError,
    answer_text,
    check_turns,
    field_of,
    left_out,
    of_type,
    question_text,
    row_of,
)
from mabench_external.readers.turns import History

SOURCE = Source("locomo", split="LoCoMo", family="locomo")
FIELDS = frozenset({"conversation", "qa"})

# The categories by their numbers in the file.
CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
# The gold of questions that nothing in the conversation answers. The file has none for most.
NOTHING_KNOWN = "No information available"

_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"session_(\d+)_date_time")
# An id of a turn as it should be, ``D8:6``, and in the forms that slips of the file take.
_EVIDENCE = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)")
_TURN_FIELDS = frozenset({"speaker", "dia_id", "text", "blip_caption"})
_QUESTION_FIELDS = frozenset({"question", "answer", "evidence", "category"})
# What a row has in place of what is left out.
_SUMMARIES = "the turns that these are made from"
_CAPTIONS = "the captions of pictures, which agents can read"
_KEPT = {
    **dict.fromkeys(("event_summary", "observation", "session_summary"), _SUMMARIES),
    **dict.fromkeys(("img_url", "query", "re-download"), _CAPTIONS),
    **dict.fromkeys(("speaker_a", "speaker_b"), "the speaker before each turn"),
    "dates without a session": "the dates of sessions",
    "sessions without a turn": "sessions in which something was said",
    "adversarial_answer": "the right answers; these are baits",
}
_NO_OTHER = "the fields of turns and questions"


def read(record: Record) -> Iterator[Record | Problem]:
    """Yield the row that a conversation is, after what is wrong with it or left out of it."""
    return row_of(record, SOURCE.split, _row)


def _row(record: Record) -> tuple[dict[str, object], list[Problem]]:
    fields = of_type(record, record.content, "", dict)
    name = field_of(record, fields, "sample_id", str)
    ignored = Counter({key: 1 for key in fields if key not in {*FIELDS, "sample_id"}})
    history = _history(record, field_of(record, fields, "conversation", dict), ignored)
    asked = field_of(record, fields, "qa", list)
    known = {turn["id"] for turn in history.turns}
    problems: list[Problem] = []
    questions, answers, types, evidence = [], [], [], []
    for i, item in enumerate(asked):
        question = of_type(record, item, f"qa[{i}]", dict)
        types.append(_category(record, question, f"qa[{i}].category"))
        questions.append(question_text(record, question, f"qa[{i}].question"))
        answers.append([_answer(record, question, i)])
        ids, faults = _evidence(record, question, f"qa[{i}].evidence", known)
        evidence.append(ids)
        problems += faults
        ignored.update(key for key in question if key not in _QUESTION_FIELDS)
    metadata = {
        "source": SOURCE.name,
        "qa_pair_ids": [f"{name}_q{i}" for i in range(len(questions))],
        "question_types": types,
    }
    problems += check_turns(record, history.turns)
    problems += left_out(record, ignored, _KEPT, _NO_OTHER)
    row = {"context": history.text, "questions": questions, "answers": answers}
    added = {"turns": history.turns, "evidence": evidence}
    return {**row, "metadata": metadata, **added}, problems


def _history(record: Record, fields: Mapping[str, Any], ignored: Counter[str]) -> History:
    """Return the sessions in the order of their numbers; dates without a session are counted."""
    history = History()
    numbers = sorted(int(found[1]) for key in fields if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        name = f"session_{number}"
        date = fields.get(f"{name}_date_time", name.replace("_", " "))
        date = of_type(record, date, f"conversation.{name}_date_time", str)
        if history.turns:
            history.add("\n")
        turns = field_of(record, fields, f"conversation.{name}", list)
        ignored["sessions without a turn"] += not turns
        for i, item in enumerate(turns):
            place = f"conversation.{name}[{i}]"
            turn = of_type(record, item, place, dict)
            speaker = field_of(record, turn, f"{place}.speaker", str)
            history.add(f"[{date}] {speaker}: ")
            turn_id = field_of(record, turn, f"{place}.dia_id", str)
            history.say(name, turn_id, _said(record, turn, place), date=date, speaker=speaker)
            history.add("\n")
            ignored.update(key for key in turn if key not in _TURN_FIELDS)
    dated = (found[1] for key in fields if (found := _DATE.fullmatch(key)))
    ignored.update(key for key in fields if not (_SESSION.fullmatch(key) or _DATE.fullmatch(key)))
    ignored["dates without a session"] += sum(int(one) not in numbers for one in dated)
    return history


def _said(record: Record, turn: Mapping[str, Any], place: str) -> str:
    """Return what was said, with what can be seen on a picture that was shown."""
    text = field_of(record, turn, f"{place}.text", str)
    if turn.get("blip_caption") is None:
        return text
    caption = field_of(record, turn, f"{place}.blip_caption", str)
    return f"{text} [picture: {caption}]".lstrip()


def _category(record: Record, question: Mapping[str, Any], place: str) -> str:
    number = field_of(record, question, place, int)
    if number not in CATEGORIES:
        raise FieldError(record.error(place, describe(number), "a category from 1 to 5"))
    return CATEGORIES[number]


def _answer(record: Record, question: Mapping[str, Any], i: int) -> str:
    if question.get("answer") is None and CATEGORIES[question["category"]] == "adversarial":
        return NOTHING_KNOWN
    return answer_text(record, question, f"qa[{i}].answer")


def _evidence(
    record: Record, question: Mapping[str, Any], place: str, known: set[str]
) -> tuple[list[str], list[Problem]]:
    """Return the ids of the turns that a question rests on, and those that cannot be read.

    Ids that name no turn of the conversation stay, since nothing tells what they mean.
    """
    ids: list[str] = []
    problems = []
    for j, item in enumerate(field_of(record, question, place, list)):
        text = of_type(record, item, f"{place}[{j}]", str)
        read = [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(text)]
        ids += read
        if not read or not known.issuperset(read):
            expected = "the id of a turn of the conversation, such as D1:3; it tells no evidence"
            problems.append(record.warning(f"{place}[{j}]", describe(text), expected))
    return list(dict.fromkeys(ids)), problems


FORMAT = FileFormat(
    sources=(SOURCE,),
    published="the file locomo10.json",
    fields=FIELDS,
    items="conversations",
    rows=read,
)
