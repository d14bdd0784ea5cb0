"""BEAM (``chats/100K/1/chat.json`` and the like): long chats of a user with an assistant.

Each chat is a folder with ``chat.json`` and ``probing_questions/probing_questions.json``, and
becomes a row. Chats are read one at a time. Every message stands on a line that begins with the
date of its batch, or the batch's name, so that a chunk tells when it was said.

A judge gives every line of the rubric 0, 0.5 or 1. The published score takes the whole part, so
that 0.5 counts 0 there; the corrected one takes it as it is. A question without a rubric, as rows
of one's own may have, is judged by its answers, a line each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from mabench.data.inventory import FileFormat, Source
from mabench.data.records import Problem, Record, describe
from mabench.errors import reason
from mabench.families.family import Family, JudgePrompt, JudgingInput, Rubric, Verdict, budgets
from mabench.families.parts import needs_metadata, read_prompts, split_before
from mabench.scoring.judge_replies import line_verdict, order_score, order_verdict
from mabench.userfile import read_json_file
from mabench_external.dates import read_dates
from mabench_external.parts import FieldError, History, Part, left_out, row_of

# The lengths in tokens, by which the folders are named.
_SIZES = ("100K", "500K", "1M", "10M")
SOURCES = {size: Source(f"beam_{size.lower()}", split="BEAM", family="beam") for size in _SIZES}
CHAT = "chat.json"
_QUESTIONS = Path("probing_questions", "probing_questions.json")
_ANSWERS = ("answer", "ideal_response", "ideal_answer", "ideal_summary", "expected_compliance")
_USED = frozenset({"question", "rubric", "source_chat_ids", *_ANSWERS})
_BATCH_FIELDS = frozenset({"batch_number", "time_anchor", "turns"})
_MESSAGE_FIELDS = frozenset({"role", "id", "content", "time_anchor"})
# What begins so is the place in the plan that a text was made by, or a remark: nobody said it.
_MARKER = "->->"
_MARKERS = "markers of the plan"
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
    return row_of(Record(str(chat), 0, None, None), source.split, partial(_row, source.name))


def _chat_at(path: Path) -> Path | None:
    """Return the chat that a folder of a number is, or that one of its files belongs to."""
    above = {CHAT: path.parent, _QUESTIONS.name: path.parent.parent}
    folder = above.get(path.name, path) if path.is_file() else path
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


def _whole(record: Record) -> Part:
    try:
        return Part(record, read_json_file(Path(record.file), distinct_keys=True))
    except (OSError, ValueError) as error:
        expected = "JSON in UTF-8: copy or download the file again"
        raise FieldError(record.error(None, reason(error), expected)) from error


def _history(chat: Part, ignored: Counter[str]) -> History:
    history = History()
    for session, batch in _batches(chat):
        date = batch["time_anchor"].value or session
        for turn in batch["turns"].items():
            for message in turn.items():
                date = message["time_anchor"].value or date
                ignored[_MARKERS] += _say(history, message, session, str(date))
                ignored.update(key for key in message.value if key not in _MESSAGE_FIELDS)
        ignored.update(key for key in batch.value if key not in _BATCH_FIELDS)
    return history


def _batches(chat: Part) -> Iterator[tuple[str, Part]]:
    """Yield the name and the fields of each batch; those of 10M stand in plans."""
    for i, item in enumerate(chat.items(), start=1):
        fields = item.of(dict)
        if not _BATCH_FIELDS.isdisjoint(fields):
            yield f"batch {fields.get('batch_number', i)}", item
            continue
        for plan in fields:
            for j, batch in enumerate(item[plan].items(), start=1):
                yield f"{plan} batch {batch.of(dict).get('batch_number', j)}", batch


def _say(history: History, message: Part, session: str, date: str) -> bool:
    """Add a message; return whether a marker was cut off its end."""
    role, number = message["role"].of(str), message["id"].of(int)
    said, marker, _ = message["content"].of(str).partition(_MARKER)
    history.add(f"[{date}] {role}: ")
    [time] = read_dates([date])
    history.say(session, str(number), said.rstrip() if marker else said, time, role=role)
    history.add("\n\n")
    return bool(marker)


def _row(source: str, record: Record) -> tuple[dict[str, object], list[Problem]]:
    ignored, notes = Counter[str](), Counter[str]()
    history = _history(_whole(record), ignored)
    problems = [*history.check(record)]
    known = {turn["id"] for turn in history.turns}
    ids, types, questions, answers, evidence, rubrics = [], [], [], [], [], []
    chat = Path(record.file).parent
    asked = _whole(record._replace(file=str(chat / _QUESTIONS)))
    for ability in asked.of(dict):
        for i, question in enumerate(asked[ability].items()):
            questions.append(question["question"].text())
            ids.append(f"{source}_{chat.name}_{ability}_{i}")
            types.append(ability)
            answers.append([_answer(question)])
            rubrics.append(_rubric(question["rubric"]))
            named = question["source_chat_ids"]
            evidence.append(list(dict.fromkeys(str(one) for one in _leaves(named.value))))
            if lost := [one for one in evidence[-1] if one not in known]:
                expected = "the ids of messages of the chat; others tell no evidence"
                found = ", ".join(map(describe, lost[:_MOST_SHOWN]))
                problems.append(named.doubt(expected, found))
            notes.update(key for key in question.value if key not in _USED)
    problems += left_out(record, ignored, _KEPT, _NO_OTHER)
    problems += left_out(asked.record, notes, {}, _NO_NOTES)
    metadata = {"source": source, "qa_pair_ids": ids, "question_types": types}
    row = {"context": history.text, "questions": questions, "answers": answers}
    added = {"turns": history.turns, "evidence": evidence, "rubrics": rubrics}
    return {**row, "metadata": metadata, **added}, problems


def _answer(question: Part) -> str:
    for name in _ANSWERS:
        if (answer := question[name]).value is not None:
            return answer.answer()
    raise question.fault(f"one of {', '.join(_ANSWERS)}", "no ideal answer")


def _rubric(rubric: Part) -> list[str]:
    lines = [line.of(str) for line in rubric.items()]
    if not lines:
        raise rubric.fault("at least one line", "an empty list")
    return lines


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


_PROMPTS = Path(__file__).with_name("prompts.toml")
_ORDERING = "event_ordering"
# A message's line begins with the date or the name of its batch.
_MESSAGE = re.compile(r"^\[[^\]\n]+\] (?:user|assistant): ", re.MULTILINE)


def _prompts_for(case: JudgingInput) -> list[JudgePrompt]:
    lines = case.keypoints or case.answers
    slots = {"question": case.question, "prediction": case.prediction}
    shown = [case.prediction, case.question, *lines]
    if case.question_type == _ORDERING and lines:
        numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
        return [
            JudgePrompt(
                "judge_order", {**slots, "lines": numbered}, partial(_order, len(lines), shown)
            )
        ]
    return [
        JudgePrompt("judge_line", {**slots, "line": line}, partial(_line, number, shown))
        for number, line in enumerate(lines, start=1)
    ]


def _line(number: int, shown: Sequence[str], reply: str) -> Verdict | None:
    halves = line_verdict(reply, shown)
    return None if halves is None else {f"line_{number}": halves}


def _order(lines: int, shown: Sequence[str], reply: str) -> Verdict | None:
    order = order_verdict(reply, lines, shown)
    if order is None:
        return None
    places = {f"place_{n}": order.index(n) + 1 if n in order else 0 for n in range(1, lines + 1)}
    return {**places, "items": len(order)}


def _value(verdict: Verdict) -> float:
    if "items" in verdict:
        lines = range(1, len(verdict))
        return order_score([verdict[f"place_{n}"] for n in lines], verdict["items"])
    return sum(verdict.values()) / (2 * len(verdict))


def _official(verdict: Verdict) -> float:
    if "items" in verdict:
        return _value(verdict)
    return sum(halves // 2 for halves in verdict.values()) / len(verdict)


FAMILY = Family(
    name="beam",
    prompts=read_prompts("beam", _PROMPTS),
    units=lambda context: split_before(_MESSAGE, context),
    budgets=budgets(paper=(2048, 500), repository=(4096, 500)),
    metric="rubric_score",
    row_checks=(needs_metadata("beam", "rubrics"),),
    rubric=Rubric(
        templates=read_prompts("beam.judges", _PROMPTS),
        prompts_for=_prompts_for,
        value=_value,
        compared="line_1",
        published=_official,
    ),
)
