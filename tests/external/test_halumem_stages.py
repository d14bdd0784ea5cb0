"""What stores held of a made-up file of HaluMem gives its figures on memories, by its definition.

Its judge is a language model. Here another one knows each sentence that was told, so that it needs
none: it reads what a memory listed after each session, and the published means are made of that.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mabench
from mabench.specs import Limits
from tests.external.made_up import write_lines
from tests.external.second_rules import aggregate_halumem
from tests.runs.stages.histories import Notes, agent_of

_TOWNS = ("Arden", "Bexley", "Corfe", "Dunster", "Evesham", "Frome", "Goring", "Hexham")
_PEOPLE = ("Amara", "Bertil", "Chidi", "Doreen", "Emeka", "Fiona", "Gustav", "Hedwig")
_UPDATED = _PEOPLE[:4]  # Who moves in the second session.
_UPDATE = "Dynamic Update"


def _says(person: str, town: str) -> str:
    return f"The home town of {person} is {town} at present."


def _session(number: int, homes: dict[str, str], kind: str) -> dict[str, Any]:
    """A session in which each home is told, is a memory point, and is asked for."""
    time = f"Dec {10 + number}, 2025, 06:11:23"
    session: dict[str, Any] = {"start_time": time, "end_time": time}
    session |= {"dialogue": [], "memory_points": [], "questions": []}
    for index, (person, town) in enumerate(homes.items()):
        point = {"memory_content": _says(person, town), "memory_type": "Persona Memory"}
        for role, said in (("user", f"Hello. {_says(person, town)}"), ("assistant", "I see.")):
            session["dialogue"].append(
                {"role": role, "content": said, "timestamp": time, "dialogue_turn": index}
            )
        session["memory_points"].append(
            {**point, "index": index, "importance": 0.5, "memory_source": "primary"}
            | {"is_update": str(kind == _UPDATE), "original_memories": [], "timestamp": time}
        )
        session["questions"].append(
            {"question": f"What is the home town of {person}?", "answer": town}
            | {"evidence": [point], "difficulty": "easy", "question_type": kind}
        )
    return session


FIRST = dict(zip(_PEOPLE, _TOWNS, strict=True))
SECOND = {person: _TOWNS[-1 - number] for number, person in enumerate(_UPDATED)}
SESSIONS = [_session(1, FIRST, "Basic Fact Recall"), _session(2, SECOND, _UPDATE)]


class _ByPerson(Notes):
    """It keeps what was said of people, in a way that its number among them decides."""

    def add(self, text: str) -> object:
        if found := re.search(r"The home town of (\w+) is (\w+) at present\.", text):
            person, town = found.groups()
            is_update = any(f" of {person} " in record for record in self.records)
            self.store(text, person, town, is_update, _PEOPLE.index(person))
        return None

    def store(self, text: str, person: str, town: str, is_update: bool, number: int) -> None:
        self.records.append(text)


class KeepsEveryOther(_ByPerson):
    def store(self, text: str, person: str, town: str, is_update: bool, number: int) -> None:
        self.records += [text] * (number % 2)


class MakesUpSome(_ByPerson):
    """Of every third person it stores another town."""

    def store(self, text: str, person: str, town: str, is_update: bool, number: int) -> None:
        self.records.append(_says(person, "Nowhere") if number % 3 == 0 else text)


class IgnoresUpdates(_ByPerson):
    def store(self, text: str, person: str, town: str, is_update: bool, number: int) -> None:
        self.records += [text] * (not is_update)


class UpdatesWrongly(_ByPerson):
    """Of four updates it keeps one as told and one in other words, makes one up and drops one."""

    def store(self, text: str, person: str, town: str, is_update: bool, number: int) -> None:
        self.records += {
            1: [f"At present {person} has {town} as the home town."],
            2: [_says(person, "Elsewhere")],
            3: [],
        }.get(number * is_update, [text])


class _Judged(NamedTuple):
    """Verdicts of a judge that cannot err."""

    integrity: list[int]  # 2 for all of a memory, 0 for nothing of it.
    updates: list[str]
    accuracy: list[int]  # 2 for a true memory of the store, 0 for one that was made up.


def _judge(memory: type[_ByPerson]) -> _Judged:
    """Tell a memory the sessions, and judge what it extracted from each by what was told."""
    made, known, judged = memory(), set[str](), _Judged([], [], [])
    for session in SESSIONS:
        before = [*made.records]
        for turn in session["dialogue"]:
            made.add(f"{turn['role']}: {turn['content']}")
        extracted = made.records[len(before) :]
        known |= {
            f"{p} {t}" for p, t in _homes(point["memory_content"] for point in _points(session))
        }
        for point in _points(session):
            [(person, town)] = _homes([point["memory_content"]])
            said = [there for who, there in _homes(extracted) if who == person]
            if point["is_update"] == "True":
                kind = "Correct" if town in said else "Hallucination" if said else "Omission"
                judged.updates.append(kind)
            else:
                judged.integrity.append(2 * (town in said))
        judged.accuracy.extend(2 * (f"{p} {t}" in known) for p, t in _homes(extracted))
    return judged


def _points(session: dict[str, Any]) -> Any:
    return session["memory_points"]


def _homes(texts: Any) -> Iterator[tuple[str, str]]:
    """Yield the person and the town of each text."""
    for text in texts:
        [person] = re.findall("|".join(_PEOPLE), text)
        [town] = re.findall("|".join((*_TOWNS, "Nowhere", "Elsewhere")), text)
        yield person, town


class _NobodyKnows:
    def read(self, query: Any, passages: Any) -> str:
        return "Nobody knows."


def _figures(stages: Any) -> dict[str, float]:
    """HaluMem's figures over all, as the guide says how they follow."""
    memories = stages.held["Basic Fact Recall"]
    updates = stages.held[_UPDATE]
    store = stages.store
    of = {"Correct": "whole", "Hallucination": "changed", "Omission": "none"}
    return {
        "recall": memories["whole"] / sum(memories.values()),
        "accuracy": 1 - store.unsaid / store.examined,
        **{kind: updates[held] / sum(updates.values()) for kind, held in of.items()},
    }


def _published(judged: _Judged) -> dict[str, float]:
    """The same by the published means, of verdicts on each memory."""
    planted = {"memory_source": "interference", "memory_integrity_score": 0}
    records: dict[str, list[dict[str, Any]]] = {
        "memory_integrity_records": [
            planted,
            *(
                {"memory_source": "primary", "memory_integrity_score": one}
                for one in judged.integrity
            ),
        ],
        "memory_accuracy_records": [
            {"is_included_in_golden_memories": "true", "memory_accuracy_score": one}
            for one in judged.accuracy
        ],
        "memory_update_records": [{"memory_update_type": one} for one in judged.updates],
        "question_answering_records": [{"result_type": "Correct"}],
    }
    means = aggregate_halumem(records)
    return {
        "recall": means["memory_integrity"]["recall(all)"],
        "accuracy": means["memory_accuracy"]["weighted_accuracy(all)"],
        **{
            kind: means["memory_update"][f"{kind.lower()}_update_memory_ratio(all)"]
            for kind in ("Correct", "Hallucination", "Omission")
        },
    }


EXPECTED = {  # Recall, accuracy; correct, made up and left out updates; counted by hand.
    _ByPerson: (1.0, 1.0, 1.0, 0.0, 0.0),
    KeepsEveryOther: (0.5, 1.0, 0.5, 0.0, 0.5),
    MakesUpSome: (5 / 8, 7 / 12, 0.5, 0.5, 0.0),
    IgnoresUpdates: (1.0, 1.0, 0.0, 0.0, 1.0),
    UpdatesWrongly: (1.0, 10 / 11, 0.5, 0.25, 0.25),
}


@pytest.mark.parametrize("memory", EXPECTED)
def test_what_stores_held_gives_the_figures_of_halumem(
    memory: type[_ByPerson], tmp_path: Path
) -> None:
    user = {"uuid": "u1", "persona_info": "Ama, a baker", "sessions": SESSIONS}
    write_lines(tmp_path / "HaluMem-Medium.jsonl", [user])
    reading: Callable[..., Any] = agent_of(memory, _NobodyKnows)
    done = mabench.run(
        reading,
        tmp_path / "HaluMem-Medium.jsonl",
        protocol="turns",
        limits=Limits(stages="full"),
        out=tmp_path / "run",
    )
    [source] = done.summary.sources.values()
    assert source.stages
    assert source.stages.by == "evidence"
    figures = _figures(source.stages)
    assert figures == pytest.approx(_published(_judge(memory)))
    assert [*figures.values()] == pytest.approx(EXPECTED[memory])
