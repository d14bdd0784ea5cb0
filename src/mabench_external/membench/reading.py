"""Reads MemBench's files, in which trajectories are within nested lists and steps have many forms.

A trajectory is a list of steps, messages that a memory is told, with one question about them.
``description.toml`` says how the files become rows, and names the functions here for what it cannot
express. A ``JsonPart`` is a value of a file with its place: ``part["time"].of(str)`` is the string
in its field ``time``, or a ``FieldError``; ``part.value`` is the value unchecked, None if missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mabench.data.descriptions.asked import ToldHistory
from mabench.data.descriptions.parts import FieldError, JsonPart
from mabench.data.problems import Problem, one_line
from mabench.data.records import Record

_NAME = re.compile(r"(First|Third)AgentData(High|Low)Level\w*\.json")
_SOURCES = {
    ("First", "High"): "membench_participation_reflective",
    ("First", "Low"): "membench_participation_factual",
    ("Third", "High"): "membench_observation_reflective",
    ("Third", "Low"): "membench_observation_factual",
}
# What each side of a step is called, in the forms that the files have.
_USER, _AGENT = ("user", "user_message"), ("agent", "assistant", "assistant_message")


def find_files(path: Path) -> list[Path]:
    """Return the files with published names in a folder, or the path itself if it is one."""
    candidates = sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in candidates if _NAME.fullmatch(file.name) and file.is_file()]


def sources_at(path: Path) -> list[str]:
    """Return the names of the sources of the files at a path."""
    sources = [_source_of(file) for file in find_files(path)]
    return list(dict.fromkeys(sources))  # Each once, in order.


def _source_of(file: Path) -> str:
    """Return the name of the source of a file; empty if its name is not a published one."""
    match = _NAME.fullmatch(file.name)
    return _SOURCES[match[1], match[2]] if match else ""


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield every trajectory of the files at a path as a row."""
    for file in find_files(path):
        record = Record(str(file), 0, split=None, content=None)
        try:
            yield from _trajectories(JsonPart.of_file(record), _source_of(file))
        except FieldError as error:
            yield error.problem


def _trajectories(whole: JsonPart, source: str) -> Iterator[Record | Problem]:
    """Yield the trajectories of a file, which are in lists by the kind of question and scenario."""
    row = 0
    for kind in whole.of(dict):
        for scenario in whole[kind].of(dict):
            for number, trajectory in enumerate(whole[kind][scenario].items()):
                record = whole.record._replace(row=row)
                row += 1
                try:
                    content = {
                        "source": source,
                        "name": f"{Path(record.file).stem}_{kind}_{scenario}_{number}",
                        "sessions": _sessions(trajectory["message_list"]),
                        "questions": [_with_kind(trajectory["QA"], kind)],
                    }
                except FieldError as error:
                    yield error.problem
                    continue
                yield record._replace(content=content)


def _with_kind(question: JsonPart, kind: str) -> JsonPart:
    """Return a question with its type as one more field."""
    return JsonPart(question.record, {**question.of(dict), "kind": kind}, question.place)


def _sessions(listed: JsonPart) -> list[dict[str, list[JsonPart]]]:
    """Return a list of steps as sessions of turns.

    Where the list has lists in it, each of these is a session, and its third step in the list at
    place 5 has the id ``2:5``. Steps that are in no such list follow the session before them, and
    have their place in the whole list as id. Places are from 0.
    """
    sessions: list[list[JsonPart]] = [[]]
    for number, item in enumerate(listed.items()):
        if isinstance(item.value, list):
            session = [_turn(step, f"{place}:{number}") for place, step in enumerate(item.items())]
            sessions.append(session)
        else:
            sessions[-1].append(_turn(item, str(number)))
    return [{"turns": turns} for turns in sessions if turns]


def _turn(step: JsonPart, turn_id: str) -> JsonPart:
    """Return a step as a turn with its id and its text: a message, or a user's with the reply."""
    text = step.text() if isinstance(step.value, str) else _text_of_fields(step)
    return JsonPart(step.record, {"id": turn_id, "text": text}, step.place)


def _text_of_fields(step: JsonPart) -> str:
    """Return the text of a step that is an object: what is said in it, and where and when."""
    user_says, agent_says = _first_of(step, _USER), _first_of(step, _AGENT)
    lines = []
    if user_says:
        lines.append(f"user: {user_says}")
    if agent_says:
        lines.append(f"agent: {agent_says}")
    text = "\n".join(lines) if lines else step["message"].text()
    where, when = step["place"].value, step["time"].value
    notes = [str(note) for note in (where, when) if note]
    return f"{text} ({'; '.join(notes)})" if notes else text


def _first_of(step: JsonPart, names: tuple[str, ...]) -> str | None:
    """Return the first of some fields that a step has; None if it has none of them."""
    for name in names:
        if step[name].value is not None:
            return step[name].of(str)
    return None


def text_with_time(question: JsonPart) -> str:
    """Return the text of a question, after the time at which it is asked if that is known."""
    when = question["time"].value
    text = question["question"].text()
    return f"(It is {when}.) {text}" if isinstance(when, str) and when else text


def options(question: JsonPart) -> list[str]:
    """Return the texts of the options in the order of their letters, each on one line.

    An option that is a list of texts becomes one text. Raises ``FieldError`` unless the letters are
    A, B and so on.
    """
    choices = question["choices"]
    letters = sorted(choices.of(dict))
    expected_letters = list("ABCDEFGHIJKL"[: len(letters)])
    if letters != expected_letters:
        raise choices.fault("an object with the letters from A", ", ".join(letters))
    texts = []
    for letter in letters:
        choice = choices[letter]
        if isinstance(choice.value, list):
            texts.append(", ".join(one_line(part.text()) for part in choice.items()))
        else:
            texts.append(one_line(choice.answer()))
    return texts


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the steps that a question rests on.

    After an id that no step of the history has, a warning follows.
    """
    for target in question["target_step_id"].items():
        # The place of a step, or its place within its session and that of the session.
        places = target.items() if isinstance(target.value, list) else [target]
        turn_id = ":".join(str(place.of(int)) for place in places)
        yield turn_id
        if turn_id not in history.ids:
            yield target.doubt("the place of a step, counted from 0; it tells no evidence")
