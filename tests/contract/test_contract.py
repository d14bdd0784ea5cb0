"""What an agent returns is read, what it declares is passed, and what it lacks is told."""

from dataclasses import fields
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mabench.contract import AgentError, Answer, Passage, Query, Stats, answer_of
from mabench.contract.interfaces import conformance_problems
from mabench.contract.methods import FIELDS as FIELDS_THAT_CROSS
from mabench.contract.methods import Takes
from mabench.errors import MabenchError
from tests.agents.queries import ask


def test_values_become_plain_ones_and_every_field_crosses() -> None:
    text = answer_of(ask("Who?", prompt="Who?")).text
    assert (type(text), text) == (str, "Who?")
    assert answer_of("Rome") == Answer("Rome")
    assert answer_of({"text": ""}) == Answer("", retrieved=[])
    answer = answer_of({"text": "x", "input_tokens": np.int64(3), "cost": np.float32(0.5)})
    assert (type(answer.input_tokens), type(answer.cost)) == (int, float)
    assert (answer.input_tokens, answer.cost) == (3, 0.5)
    assert FIELDS_THAT_CROSS["answer"] == tuple(field.name for field in fields(Answer))
    assert FIELDS_THAT_CROSS["passage"] == tuple(field.name for field in fields(Passage))
    assert {*FIELDS_THAT_CROSS["query"]} == {*Query.__slots__} - {"system", "time", "user"}


COUNTS: dict[str, Any] = {"text": "Rome", "input_tokens": 7, "output_tokens": 0, "cost": 0.25}
FOUND = ["a", Passage("b", 2.5), {"text": "c", "score": 1}, SimpleNamespace(text="d")]
FIELDS = {**COUNTS, "retrieved": FOUND}
PASSAGES = [Passage("a"), Passage("b", 2.5), Passage("c", 1.0), Passage("d")]


def test_mappings_and_objects_have_the_fields_of_an_answer_and_what_is_none_is_named() -> None:
    for result in (FIELDS, SimpleNamespace(**FIELDS), Answer(**FIELDS)):
        assert answer_of(result) == Answer(**COUNTS, retrieved=PASSAGES)
    for other in (None, b"Rome", 43, ["Rome"], {"answer": "Rome"}, object()):
        shown = "None" if other is None else type(other).__name__
        with pytest.raises(AgentError, match=f"the answer is {shown}.*expected a str, an Answer"):
            answer_of(other)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *product(["text"], [None, b"Rome"]),
        *product(["retrieved"], ["one passage", b"bytes", 3, {"text": "a"}, [b"a"]]),
        ("retrieved", [{"text": "a", "score": "high"}]),
        # The last of each could not be added up in a run folder.
        *product(["input_tokens"], [-1, 1.5, 10**19]),
        *product(["output_tokens"], [True, "12"]),
        *product(["cost"], [-0.5, float("nan"), "free", 1e300]),
    ],
)
def test_a_field_of_the_wrong_type_is_an_error_of_one_line(field: str, value: object) -> None:
    with pytest.raises(AgentError, match=r"^.*expected.*\Z") as caught:
        answer_of({"text": "Rome"} | {field: value})
    assert isinstance(caught.value, MabenchError)


@pytest.mark.parametrize(
    ("told", "memories", "size"),
    [
        ({"memories": 3, "bytes": 40}, 3, 40),
        ({"memories": 0}, 0, None),
        ({"bytes": np.int64(8), "more": "ignored"}, None, 8),
        ({"memories": -1, "bytes": 2.5}, None, None),
        ({"memories": True, "bytes": "12"}, None, None),
        *product([dict[str, int](), None, 7, [("memories", 3)]], [None], [None]),
    ],
)
def test_what_is_no_count_is_not_told(told: object, memories: int | None, size: int | None) -> None:
    assert Stats.of(told) == (memories, size)


class Plain:
    unit = 3  # Its own affair.

    def add(self, text: str, **rest: object) -> None: ...

    def search(self, query: str, k: int) -> list[str]:
        return []


class Rich(Plain):
    unit = "session"  # type: ignore[assignment]

    def add(self, text: str, user: str, *, time: object, pages: int = 3) -> None: ...  # type: ignore[override]

    def search(self, query: str, limit: int, time: object = None) -> list[str]:
        return []

    def update(self, key: str, new: str, *, session: object = None) -> None: ...

    async def delete(self, *, user: str = "", id: str = "") -> None: ...

    def list(self) -> list[str]:
        return []

    def ready(self) -> None: ...

    async def maintain(self) -> None: ...

    def save(self, folder: str) -> None: ...


def test_exactly_what_is_declared_by_name_is_taken() -> None:
    takes = Takes.of(Rich())
    assert takes.fields == {  # Whether each is needed.
        "add": {"time": True, "user": True},
        "search": {"time": False},
        "update": {"session": False},
        "delete": {"id": False, "user": False},
    }
    assert takes.methods == {"update", "delete", "list", "ready", "maintain", "save"}
    assert takes.unit == "session"
    assert (*sorted(takes.told), *takes.asked) == ("time", "user", "time")
    assert takes.chosen("add", {"time": 1, "session": 2}) == {"time": 1, "user": None}
    assert takes.chosen("search", {"user": "Ada"}) == {}
    assert [*takes.misses] == []
    assert Takes.of(Plain()) == Takes.of(object()) == Takes()


def test_methods_of_other_meaning_are_never_called() -> None:
    class Other(Plain, dict[str, str]):
        def delete(self, memory_id: str) -> None: ...

        def ready(self, seconds: float) -> None: ...

        list = ("a", "b")

    assert Takes.of(Other()).methods == frozenset()
    assert [*Takes.of(Other()).misses] == [
        "delete takes `memory_id`: name it `id` to be passed the id",
        "ready is never called: it must be callable as ready()",
    ]


def test_near_misses_say_what_is_meant() -> None:
    class Near:
        unit = "sessions"

        def memorize(self, chunk: str, timestamp: object = None, timeout: float = 3) -> None: ...

        def answer(self, query: str, user_id: str = "", usr: str = "", user: str = "") -> str:
            return ""

        def update(self, id: str, text: str, speakr: str = "") -> None: ...

        def remove(self, id: str) -> None: ...

        def consolidate(self) -> None: ...

    assert [*Takes.of(Near()).misses] == [
        "memorize takes `timestamp`: name it `time` to be passed the time",
        "update takes `speakr`: name it `speaker` to be passed the speaker",
        "there is a method `remove`: name it `delete` to have it called",
        "there is a method `consolidate`: name it `maintain` to have it called",
        "unit is 'sessions': make it 'turn' or 'session'",
    ]


class Fine:
    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> str:
        return str(query)


class Asynchronous:
    async def memorize(self, chunk: str, again: bool = False) -> None: ...

    async def answer(self, *args: object) -> str:
        return ""

    def close(self) -> None: ...


def but(**methods: Any) -> object:
    """Return a fine agent of which some methods are others."""
    return type("Agent", (Fine,), methods)()


BRITISH = type("British", (), {"memorise": Fine.memorize, "answer": Fine.answer})()


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        *((agent, []) for agent in (Fine(), Asynchronous())),
        (but(answer=str), []),  # Its signature cannot be known.
        (Fine, ["Fine is a class, not an instance"]),
        (BRITISH, ["no method memorize(chunk) (did you mean memorise?)"]),
        (but(answer=lambda self: ""), ["answer() must be callable as answer(query)"]),
        (but(memorize=lambda self, chunk, number: None), ["must be callable as memorize(chunk)"]),
        (
            but(memorize=lambda self, chunk, date: None),
            ["as memorize(chunk) (is date meant to be "],
        ),
        (but(answer="Rome"), ["Agent.answer is str, not a method"]),
        (but(save=lambda self: None), ["must be callable as save(folder)"]),
        (but(stats=lambda self, name: {}), ["must be callable as stats()"]),
        (object(), ["no method memorize(chunk)", "no method answer(query)"]),
        (None, ["NoneType has no method memorize(chunk)", "no method answer(query)"]),
    ],
)
def test_every_problem_is_told(agent: object, told: list[str]) -> None:
    problems = conformance_problems(agent)
    assert len(problems) == len(told)
    for problem, part in zip(problems, told, strict=True):
        # Signatures are shown with the annotations as they were written.
        assert part in problem.replace("'", "")


@pytest.mark.parametrize("name", ["retrieve", "get_relevant", "recall", "query_memory"])
def test_a_class_that_searches_under_another_name_is_told_what_is_missing(name: str) -> None:
    def add(self: object, text: str) -> None: ...

    def look(self: object, query: str) -> list[str]:
        return []

    [problem] = conformance_problems(type("Store", (), {"add": add, name: look})())
    assert "Store is nearly a memory: it has add, but no search(query, k)" in problem
    assert f"returns what self.{name} finds" in problem
    [problem] = conformance_problems(type("Store", (), {"add": add, "size": look})())
    assert problem.endswith("; add one that returns at most k texts, the best first")


def test_a_memory_promises_what_its_class_declares_and_nothing_else() -> None:
    class Promising(Plain):
        mabench_capabilities = {"redacts": 1, "keeps_history": True, "flies": True}  # noqa: RUF012

    class Declining(Plain):
        mabench_capabilities = {"redacts": False}  # noqa: RUF012

    class Odd(Plain):
        mabench_capabilities = "redacts"

    promised = {"redacts", "keeps_history"}
    assert Takes.of(Promising()).promises == promised
    assert Takes.of(Declining()).promises == Takes.of(Odd()).promises == frozenset()
    for reply, promises in (([*promised, "flies", 3], promised), ("flies", set()), (None, set())):
        assert Takes.of_reply({"promises": reply}).promises == promises
