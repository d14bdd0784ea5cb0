"""Made-up histories in which each question rests on one sentence: facts, documents and chats."""

import random
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mabench.agents import RetrievalAgent
from mabench.contract import Passage, Query

KINDS = ("facts", "documents", "chats")
_RELATIONS = ("mother tongue", "home town", "door code", "favourite colour", "first employer")
_SYLLABLES = ("bar", "kel", "mo", "tis", "ran", "vu", "lop", "dez", "fin", "gar", "hul", "wex")
_FILLER = (
    "The weather had been mild for weeks",
    "Nobody minded the noise from the yard",
    "A cart went by with apples and pears",
    "The clock on the wall was slow again",
    "Somebody had left the gate open",
)
_ASKED = re.compile(r"What is the ([a-z ]+) of (\w+)\?")
_SAID = re.compile(r"The ([a-z ]+) of (\w+) is (\w+ \d+)\.")
_TOLD = re.compile(r"(\w+): My ([a-z ]+) is (\w+ \d+),")
SOURCES = {"stages": {"family": "answer"}}


def _name(random_: random.Random) -> str:
    return "".join(random_.choice(_SYLLABLES) for _ in range(3)).title()


def made_row(kind: str, seed: int = 1, facts: int = 60, asked: int = 30) -> dict[str, Any]:
    """Return a row of a kind: many facts in an order of their own, and questions about half."""
    random_ = random.Random(f"{kind} {seed}")
    people: dict[str, None] = {}
    while len(people) < facts:
        people[_name(random_)] = None
    values = [f"{_name(random_)} {random_.randint(100, 999)}" for _ in people]
    relations = [random_.choice(_RELATIONS) for _ in people]
    context, turns, evidence = "", [], []
    for number, (person, relation, value) in enumerate(zip(people, relations, values, strict=True)):
        said = f"The {relation} of {person} is {value}."
        if kind == "chats":
            said = f"My {relation} is {value}, if you wonder."
        if kind == "documents":
            first, second = random_.sample(_FILLER, 2)
            said = f"{first}, {number} times. {said} {second}, as they said in house {number}."
        context += f"{person}: " if kind == "chats" else ""
        place: dict[str, Any] = {"start": len(context), "end": len(context) + len(said)}
        turns.append({"id": f"t{number}", "session": f"day {number // 6}", **place})
        if kind == "chats":
            turns[-1] |= {"speaker": person}
        context += f"{said}\n"
        evidence.append([f"t{number}"])
    chosen = sorted(random_.sample(range(facts), asked))
    names = list(people)
    return {
        "context": context,
        "questions": [f"What is the {relations[n]} of {names[n]}?" for n in chosen],
        "answers": [[values[n]] for n in chosen],
        "metadata": {"source": "stages"},
        "turns": turns,
        "evidence": [evidence[n] for n in chosen],
    }


class Fact(NamedTuple):
    """What a text says, of whom, and the text around that."""

    person: str
    relation: str
    value: str

    @classmethod
    def find(cls, text: str) -> "Fact | None":
        if found := _SAID.search(text):
            return cls(found[2], found[1], found[3])
        found = _TOLD.search(text)
        return cls(*found.groups()) if found else None

    @staticmethod
    def rewrite(text: str, person: str | None = None, value: str | None = None) -> str:
        """Return a text with another person or value."""
        fact = Fact.find(text)
        assert fact
        return text.replace(fact.person, person or fact.person).replace(
            fact.value, value or fact.value
        )


class Careful:
    """A reader that answers right if, and only if, a passage says what is asked."""

    def read(self, query: Query, passages: Sequence[Passage]) -> Any:
        asked = _ASKED.search(query.question)
        assert asked
        found = (Fact.find(passage.text) for passage in passages)
        return next(
            (one.value for one in found if one and (one.relation, one.person) == asked.groups()),
            "nobody knows",
        )


class Notes:
    """A memory that keeps every text and finds those with most of the words; nothing is wrong."""

    def __init__(self) -> None:
        self.records: list[str] = []

    def add(self, text: str) -> object:
        self.records.append(text)
        return f"id-{len(self.records)}"

    def search(self, query: str, k: int) -> list[Any]:
        return self.ranked(query, self.records)[:k]

    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        words = {*re.findall(r"\w+", query.lower())}
        return sorted(records, key=lambda one: -len(words & {*re.findall(r"\w+", one.lower())}))

    def list(self) -> Any:
        return [*self.records]


def agent_of(memory: type, reader: type = Careful, k: int = 5) -> Any:
    def make() -> RetrievalAgent:
        return RetrievalAgent(memory(), reader(), k)

    return make
