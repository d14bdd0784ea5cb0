"""What the description of LongMemEval-V2 cannot say: how its three kinds of files are joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.descriptions.said import DescribedTurn
from mabench.data.problems import Problem
from mabench.data.records import Record
from mabench.printable import write_count
from mabench_external.longmemeval_v2.rules import NAMES, RULES, SEPARATOR, read_rule
from mabench_external.tables import json_lines, line_starts

_QUESTIONS, _TRAJECTORIES = "questions.jsonl", "trajectories.jsonl"
_TIERS = ("small", "medium")
_HAYSTACK = "haystacks/lme_v2_{tier}.json"


def find_files(path: Path) -> list[Path]:
    """Return the questions, the trajectories and the haystacks of a folder."""
    files = [path / _QUESTIONS, path / _TRAJECTORIES]
    tiers = [path / _HAYSTACK.format(tier=tier) for tier in _TIERS]
    there = [file for file in tiers if file.is_file()]
    return [*files, *there] if there and all(map(Path.is_file, files)) else []


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield each haystack twice, with the questions that a rule scores and with those of a judge.

    Questions about a picture are left out and counted.
    """
    questions_file, trajectories_file, *tiers = find_files(path)
    try:
        questions = [*json_lines(questions_file)]
        pictured = [one for one in questions if one["image"].value is not None]
        if pictured:
            found = write_count(len(pictured), "question") + " about a picture, left out"
            yield pictured[0].record.warning("image", found, "questions in words")
        worded = [_with_rule(one) for one in questions if one["image"].value is None]
        starts = line_starts(trajectories_file, "id")
        for file in tiers:
            yield from _join(file, worded, trajectories_file, starts)
    except FieldError as error:
        yield error.problem


def _with_rule(question: JsonPart) -> JsonPart:
    """Return a question with its rule as a part of its type."""
    spec = question["eval_function"]
    name = spec.text().split("|")[0].strip()
    try:
        if name in RULES:
            read_rule(spec.value)
    except ValueError as error:
        raise spec.fault(f"a rule of the benchmark: {error}") from error
    if name not in NAMES:
        raise spec.fault(f"one of {', '.join(NAMES)}")
    ability = question["question_type"].text()
    kind = f"{ability}{SEPARATOR}{spec.value}" if name in RULES else ability
    fields = {**question.of(dict), "kind": kind, "is_judged": name not in RULES}
    return JsonPart(question.record, fields, question.place)


def _join(
    file: Path, questions: list[JsonPart], trajectories: Path, starts: Mapping[str, int]
) -> Iterator[Record | Problem]:
    haystacks = JsonPart.of_file(Record(str(file), 0, None, None))
    rows: dict[tuple[bool, tuple[str, ...]], list[JsonPart]] = {}
    for question in questions:
        listed = haystacks[question["id"].text()]
        ids = tuple(one.of(str) for one in listed.items())
        for unknown in (one for one in listed.items() if one.value not in starts):
            raise unknown.fault(f"the id of a trajectory in {trajectories.name}")
        rows.setdefault((question["is_judged"].value, ids), []).append(question)
    for number, ((is_judged, ids), asked) in enumerate(rows.items()):
        tier = file.stem.rpartition("_")[2]
        source = f"longmemeval_v2_{tier}" + "_judged" * is_judged
        told = [next(json_lines(trajectories, starts[one])) for one in ids]
        content = {"source": source, "trajectories": told, "questions": asked}
        yield Record(str(file), number, None, content)


def said(whole: JsonPart, left_out: LeftOut) -> Iterator[DescribedTurn]:
    """Yield the goal and the steps of each trajectory; pictures are not told."""
    for trajectory in whole["trajectories"].of(list):
        name, goal = trajectory["id"].of(str), trajectory["goal"]
        parts = goal.items() if isinstance(goal.value, list) else [goal] * bool(goal.value)
        wanted = " ".join(part.of(str) for part in parts) or "(not known)"
        yield DescribedTurn(text=f"goal: {wanted}", session=name, id=f"{name}:0", date=name)
        for number, state in enumerate(trajectory["states"].items(), start=1):
            told = {
                "page": state["url"].of(str),
                "action": state["action"].value,
                "thought": state["thought"].value or state["thoughts"].value,
                "shown": state["accessibility_tree"].value or state["text"].value,
            }
            text = "\n".join(f"{label}: {part}" for label, part in told.items() if part)
            yield DescribedTurn(
                text=text, session=name, id=f"{name}:{number}", date=f"{name} {number}"
            )
