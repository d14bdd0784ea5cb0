"""What the description of MemBench cannot say: its nested lists, and the forms of its steps."""

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
    """Return the files of a folder, or the path of one, by their published names."""
    listed = sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in listed if _NAME.fullmatch(file.name) and file.is_file()]


def sources_at(path: Path) -> list[str]:
    """Return the names of the sources of the files at a path."""
    return list(dict.fromkeys(map(_source_of, find_files(path))))


def _source_of(file: Path) -> str:
    match = _NAME.fullmatch(file.name)
    return _SOURCES[match[1], match[2]] if match else ""


def join(path: Path) -> Iterator[Record | Problem]:
    """Yield every trajectory of the files at a path."""
    for file in find_files(path):
        record = Record(str(file), 0, None, None)
        try:
            yield from _trajectories(JsonPart.of_file(record), _source_of(file))
        except FieldError as error:
            yield error.problem


def _trajectories(whole: JsonPart, source: str) -> Iterator[Record | Problem]:
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
                        "questions": [_asked(trajectory["QA"], kind)],
                    }
                except FieldError as error:
                    yield error.problem
                    continue
                yield record._replace(content=content)


def _asked(question: JsonPart, kind: str) -> JsonPart:
    return JsonPart(question.record, {**question.of(dict), "kind": kind}, question.place)


def _sessions(listed: JsonPart) -> list[dict[str, list[JsonPart]]]:
    """Return the steps by session; a flat list is one session.

    The id of a step is its place, or its place in its session and the session's.
    """
    sessions: list[list[JsonPart]] = [[]]
    for number, item in enumerate(listed.items()):
        if isinstance(item.value, list):
            steps = [_step(step, f"{place}:{number}") for place, step in enumerate(item.items())]
            sessions.append(steps)
        else:
            sessions[-1].append(_step(item, str(number)))
    return [{"turns": steps} for steps in sessions if steps]


def _step(step: JsonPart, place: str) -> JsonPart:
    """Return a step as a turn: what a user says, with the reply that was given."""
    if isinstance(step.value, str):
        said = step.text()
    else:
        sides = [_first(step, names) for names in (_USER, _AGENT)]
        spoken = [
            f"{name}: {one}" for name, one in zip(("user", "agent"), sides, strict=True) if one
        ]
        said = "\n".join(spoken) if spoken else step["message"].text()
        where, when = step["place"].value, step["time"].value
        notes = [str(one) for one in (where, when) if one]
        said = f"{said} ({'; '.join(notes)})" if notes else said
    return JsonPart(step.record, {"id": place, "text": said}, step.place)


def _first(step: JsonPart, names: tuple[str, ...]) -> str | None:
    """Return the first of some fields that is there."""
    return next((step[name].of(str) for name in names if step[name].value is not None), None)


def asked(question: JsonPart) -> str:
    """Return a question with the time at which it is asked."""
    when = question["time"].value
    text = question["question"].text()
    return f"(It is {when}.) {text}" if isinstance(when, str) and when else text


def options(question: JsonPart) -> list[str]:
    """Return the options by their letters; one that is a list is a text."""
    texts, choices = [], question["choices"]
    letters = sorted(choices.of(dict))
    if letters != list("ABCDEFGHIJKL"[: len(letters)]):
        raise choices.fault("an object with the letters from A", ", ".join(letters))
    for letter in letters:
        choice = choices[letter]
        if isinstance(choice.value, list):
            texts.append(", ".join(one_line(one.text()) for one in choice.items()))
        else:
            texts.append(one_line(choice.answer()))
    return texts


def evidence(question: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids of the steps that a question rests on, and a warning about others."""
    known = history.ids
    for target in question["target_step_id"].items():
        places = target.items() if isinstance(target.value, list) else [target]
        name = ":".join(str(place.of(int)) for place in places)
        yield name
        if name not in known:
            yield target.doubt("the place of a step, counted from 0; it tells no evidence")
