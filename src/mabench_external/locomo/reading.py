"""Reads a conversation of LoCoMo as a row.

Every turn is a line that begins with the date of its session, so that a chunk shows when its turns
were said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import partial

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.histories import HistoryBuilder
from mabench.data.descriptions.leftovers import count_left_out
from mabench.data.descriptions.parts import JsonPart, row_of
from mabench.data.formats import DataFormat
from mabench.data.inventory import Source
from mabench.data.problems import Problem
from mabench.data.records import Record

SOURCE = Source("locomo", split="LoCoMo", family="locomo")
_FIELDS = frozenset({"conversation", "qa"})

# The categories by their numbers in the file.
CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
# The gold of questions that the conversation does not answer. The file has none for most of them.
NOTHING_KNOWN = "No information available"

_SESSION = re.compile(r"session_(\d{1,9})")
_DATE = re.compile(r"session_(\d{1,9})_date_time")
# The id of a turn, ``D8:6``, also in the malformed variants that occur in the file.
_EVIDENCE = re.compile(r"D\s{0,9}:?\s{0,9}(\d{1,9})\s{0,9}:\s{0,9}(\d{1,9})")
_TURN_FIELDS = frozenset({"speaker", "dia_id", "text", "blip_caption"})
_QUESTION_FIELDS = frozenset({"question", "answer", "evidence", "category"})
# What a row has in place of fields that are left out.
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


def _row(record: Record) -> tuple[dict[str, object], list[Problem]]:
    """Return the content of a row, and warnings about it."""
    whole = JsonPart(record, record.content)
    name = whole["sample_id"].of(str)
    ignored = Counter({key: 1 for key in whole.value if key not in {*_FIELDS, "sample_id"}})
    history = _history(whole["conversation"], ignored)
    known = {turn["id"] for turn in history.turns}
    problems: list[Problem] = []
    questions, answers, types, evidence = [], [], [], []
    for question in whole["qa"].items():
        category, answer = question["category"], question["answer"]
        if category.of(int) not in CATEGORIES:
            raise category.fault("a category from 1 to 5")
        types.append(CATEGORIES[category.value])
        questions.append(question["question"].text())
        unknown = answer.value is None and types[-1] == "adversarial"
        answers.append([NOTHING_KNOWN if unknown else answer.answer()])
        ids, faults = _evidence(question["evidence"], known)
        evidence.append(ids)
        problems += faults
        ignored.update(key for key in question.value if key not in _QUESTION_FIELDS)
    metadata = {
        "source": SOURCE.name,
        "qa_pair_ids": [f"{name}_q{i}" for i in range(len(questions))],
        "question_types": types,
    }
    problems += history.check(record)
    problems += count_left_out(record, ignored, _KEPT, _NO_OTHER)
    row = {"context": history.text, "questions": questions, "answers": answers}
    added = {"turns": history.turns, "evidence": evidence}
    return {**row, "metadata": metadata, **added}, problems


def _history(conversation: JsonPart, ignored: Counter[str]) -> HistoryBuilder:
    """Return the sessions in the order of their numbers; count what is left out."""
    history, fields = HistoryBuilder(), conversation.of(dict)
    numbers = sorted(_numbers_in(fields, _SESSION))
    dated = [conversation[f"session_{number}_date_time"] for number in numbers]
    times = read_dates([one.value for one in dated])
    for number, date_time, time in zip(numbers, dated, times, strict=True):
        name = f"session_{number}"
        date = date_time.of(str) if date_time.is_there else name.replace("_", " ")
        if history.turns:
            history.add("\n")
        turns = conversation[name].items()
        ignored["sessions without a turn"] += not turns
        for turn in turns:
            speaker, turn_id = turn["speaker"].of(str), turn["dia_id"].of(str)
            said, caption = turn["text"].of(str), turn["blip_caption"]
            if caption.value is not None:  # The turn shows a picture.
                said = f"{said} [picture: {caption.of(str)}]".lstrip()
            history.add(f"[{date}] {speaker}: ")
            history.say(name, turn_id, said, time, speaker=speaker)
            history.add("\n")
            ignored.update(key for key in turn.value if key not in _TURN_FIELDS)
    ignored.update(key for key in fields if not (_SESSION.fullmatch(key) or _DATE.fullmatch(key)))
    dated_numbers = _numbers_in(fields, _DATE)
    ignored["dates without a session"] += sum(one not in numbers for one in dated_numbers)
    return history


def _numbers_in(names: Iterable[str], pattern: re.Pattern[str]) -> list[int]:
    """Return the numbers of the sessions in the names that match a pattern."""
    matches = [pattern.fullmatch(name) for name in names]
    return [int(match[1]) for match in matches if match]


def _evidence(listed: JsonPart, known: set[str]) -> tuple[list[str], list[Problem]]:
    """Return the ids of the turns that a question rests on, and warnings about malformed ids.

    Ids that name no turn of the conversation are kept, because nothing tells what they mean.
    """
    ids: list[str] = []
    problems = []
    for item in listed.items():
        found = _EVIDENCE.findall(item.of(str))
        read = [f"D{int(session)}:{int(turn)}" for session, turn in found]
        ids += read
        if not read or not known.issuperset(read):
            expected = "the id of a turn of the conversation, such as D1:3; it tells no evidence"
            problems.append(item.doubt(expected))
    return list(dict.fromkeys(ids)), problems


FORMAT = DataFormat(
    sources=(SOURCE,),
    published="the file locomo10.json",
    fields=_FIELDS,
    items="conversations",
    rows=partial(row_of, split=SOURCE.split, read=_row),
)
