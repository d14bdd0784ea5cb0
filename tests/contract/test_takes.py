"""What a memory declares, it is passed, and names that are nearly right are told."""

import inspect
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mabench.contract.methods import EDITING, KEYWORDS, Takes


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

    def save(self, folder: str) -> None: ...


def test_exactly_what_is_declared_by_name_is_taken() -> None:
    takes = Takes.of(Rich())
    assert takes.fields == {
        "add": {"time", "user"},
        "search": {"time"},
        "update": {"session"},
        "delete": {"id", "user"},
    }
    assert takes.methods == {"update", "delete", "list", "ready", "save"}
    assert takes.unit == "session"
    assert (*sorted(takes.told), *takes.asked) == ("time", "user", "time")
    assert takes.chosen("add", {"time": 1, "session": 2}) == {"time": 1, "user": None}
    assert takes.chosen("search", {"user": "Ada"}) == {}
    assert [*Takes.of(Rich()).misses] == []


def test_what_declares_nothing_takes_nothing() -> None:
    assert Takes.of(Plain()) == Takes()
    assert Takes.of(object()) == Takes()


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

    assert [*Takes.of(Near()).misses] == [
        "memorize takes `timestamp`: name it `time` to be passed the time",
        "update takes `speakr`: name it `speaker` to be passed the speaker",
        "there is a method `remove`: name it `delete` to have it called",
        "unit is 'sessions': make it 'turn' or 'session'",
    ]


@given(st.data())
def test_for_any_parameters_exactly_the_declared_ones_are_chosen(data: st.DataObject) -> None:
    method = data.draw(st.sampled_from(sorted({*KEYWORDS} - {*EDITING})))
    names = st.sampled_from(sorted({*sum(KEYWORDS.values(), ()), "other", "timestamp"}))
    declared, needed, known = (data.draw(st.sets(names)) for _ in range(3))
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, kind, default=inspect.Parameter.empty if name in needed else None)
        for name in sorted(declared)
    ]

    class Drawn:
        pass

    def call(*arguments: object, **fields: object) -> None: ...

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    setattr(Drawn, method, staticmethod(call))
    passed: dict[str, Any] = Takes.of(Drawn()).chosen(method, dict.fromkeys(known, 1))
    own = declared & {*KEYWORDS[method]}
    assert passed == {name: 1 if name in known else None for name in own & (known | needed)}
