"""Joins the three kinds of files of LongMemEval-V2: questions, trajectories and haystacks.

A trajectory is an agent's task in a web application, step by step; a haystack lists, for each
question, the ids of the trajectories that are its history. ``description.toml`` says how the files
become rows, and names the functions here for what it cannot express. A ``JsonPart`` is a value of a
file with its place: ``part["id"].of(str)`` is the string in its field ``id``, or a ``FieldError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.descriptions.said import DescribedTurn
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench.printable import write_count
from mabench_external.longmemeval_v2.rules import NAMES, RULES, SEPARATOR, read_rule
from mabench_external.tables import json_lines, line_starts

_QUESTIONS, _TRAJECTORIES = "questions.jsonl", "trajectories.jsonl"
_TIERS = ("small", "medium")  # The sizes of haystacks.
_HAYSTACK = "haystacks/lme_v2_{tier}.json"


def find_files(path: Path) -> list[Path]:
    """Return the questions, the trajectories and then the haystacks of a folder.

    Returns an empty list unless the first two are there and at least one haystack.
    """
    questions, trajectories = path / _QUESTIONS, path / _TRAJECTORIES
    haystacks = [path / _HAYSTACK.format(tier=tier) for tier in _TIERS]
    present_haystacks = [file for file in haystacks if file.is_file()]
    if not (questions.is_file() and trajectories.is_file() and present_haystacks):
        return []
    return [questions, trajectories, *present_haystacks]


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield a row for each history, with the questions about it.

    A history has two rows if a rule scores some of its questions and a judge the others. Questions
    about a picture are left out, and a warning counts them.
    """
    questions_file, trajectories_file, *haystack_files = find_files(path)
    try:
        questions = list(json_lines(questions_file))
        with_picture = [question for question in questions if question["image"].value is not None]
        if with_picture:
            found = write_count(len(with_picture), "question") + " about a picture, left out"
            yield with_picture[0].record.warning("image", found, "questions in words")
        in_words = [
            _with_rule(question) for question in questions if question["image"].value is None
        ]
        starts = line_starts(trajectories_file, "id")
        for file in haystack_files:
            yield from _rows_of_haystack(file, in_words, trajectories_file, starts)
    except FieldError as error:
        yield error.problem


def _with_rule(question: JsonPart) -> JsonPart:
    """Return a question with two more fields: ``kind``, its type, and ``is_judged``.

    The type of a question that a rule scores ends with the rule, by which it is scored later.
    """
    evaluation = question["eval_function"]
    name = evaluation.text().split("|")[0].strip()
    if name not in NAMES:
        raise evaluation.fault(f"one of {', '.join(NAMES)}")
    kind = question["question_type"].text()
    is_judged = name not in RULES
    if not is_judged:
        _check_rule(evaluation)
        kind = f"{kind}{SEPARATOR}{evaluation.value}"
    fields = {**question.of(dict), "kind": kind, "is_judged": is_judged}
    return JsonPart(question.record, fields, question.place)


def _check_rule(evaluation: JsonPart) -> None:
    """Raise a ``FieldError`` if the settings of a question's rule cannot be read."""
    try:
        read_rule(evaluation.value)
    except ValueError as error:
        raise evaluation.fault(f"a rule of the benchmark: {error}") from error


class _RowKey(NamedTuple):
    """What the questions of one row have in common."""

    is_judged: bool
    trajectory_ids: tuple[str, ...]


def _rows_of_haystack(
    file: Path, questions: list[JsonPart], trajectories: Path, starts: Mapping[str, int]
) -> Iterator[Record | Problem]:
    """Yield the rows of a haystack file: questions with the same history and way of scoring.

    ``starts`` has the place of each trajectory in the file ``trajectories``, in bytes, by its id.
    """
    haystacks = JsonPart.of_file(Record(str(file), 0, split=None, content=None))
    questions_by_key: dict[_RowKey, list[JsonPart]] = {}
    for question in questions:
        ids = haystacks[question["id"].text()].items()
        key = _RowKey(question["is_judged"].value, tuple(part.of(str) for part in ids))
        for part in ids:
            if part.value not in starts:
                raise part.fault(f"the id of a trajectory in {trajectories.name}")
        questions_by_key.setdefault(key, []).append(question)
    tier = file.stem.rpartition("_")[2]
    for number, (key, row_questions) in enumerate(questions_by_key.items()):
        suffix = "_judged" if key.is_judged else ""
        content = {
            "source": f"longmemeval_v2_{tier}{suffix}",
            "trajectories": [
                next(json_lines(trajectories, starts[name])) for name in key.trajectory_ids
            ],
            "questions": row_questions,
        }
        yield Record(str(file), number, None, content)


def said(whole: JsonPart, left_out: LeftOut) -> Iterator[DescribedTurn]:
    """Yield the turns of a history: the goal and then the steps of each trajectory.

    A trajectory is a session. Its pictures are left out, and nothing is counted in ``left_out``.
    """
    for trajectory in whole["trajectories"].of(list):
        name = trajectory["id"].of(str)
        goal = _goal_of(trajectory)
        yield DescribedTurn(text=f"goal: {goal}", session=name, id=f"{name}:0", date=name)
        for number, step in enumerate(trajectory["states"].items(), start=1):
            yield DescribedTurn(
                text=_text_of_step(step),
                session=name,
                id=f"{name}:{number}",
                date=f"{name} {number}",
            )


def _goal_of(trajectory: JsonPart) -> str:
    """Return the goal of a trajectory, which is a text, a list of texts, or missing."""
    goal = trajectory["goal"]
    if isinstance(goal.value, list):
        text = " ".join(part.of(str) for part in goal.items())
    else:
        text = goal.of(str) if goal.value else ""
    return text or "(not known)"


def _text_of_step(step: JsonPart) -> str:
    """Return a step as labelled lines; two of its fields have other names in some files."""
    fields = {
        "page": step["url"].of(str),
        "action": step["action"].value,
        "thought": step["thought"].value or step["thoughts"].value,
        "shown": step["accessibility_tree"].value or step["text"].value,
    }
    return "\n".join(f"{label}: {value}" for label, value in fields.items() if value)
