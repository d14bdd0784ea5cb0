"""What an agent or a memory takes: the fields that its methods declare, and what else it can do.

A method is passed by name what its parameters name, as pytest passes fixtures, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from mabench.contract.methods import (
    EDITING,
    KEYWORDS,
    METHODS,
    OPTIONAL,
    UNITS,
    fits,
    parameters_of,
)

_TURN = UNITS[0]
_LIKENESS = 0.8  # Of 1: ``timeout`` is not meant to be ``time``.
# What others call the same thing, beside names that are spelled nearly so.
_ALSO_CALLED = {
    "time": ("timestamp", "date", "datetime", "when", "created_at", "ts", "as_of", "valid_at"),
    "speaker": ("author", "sender", "who", "speaker_name"),
    "session": ("session_id", "conversation", "conversation_id", "thread", "thread_id"),
    "user": ("user_id", "userid", "username", "owner", "tenant"),
    "id": ("memory_id", "text_id", "uid", "key"),
    "update": ("edit", "modify", "replace"),
    "delete": ("remove", "forget", "delete_all"),
    "list": ("list_all", "get_all"),
    "ready": ("is_ready", "wait_until_ready", "flush"),
}


@dataclass(frozen=True, slots=True)
class Takes:
    """What an agent or a memory takes.

    Attributes:
        fields: by method, those of its ``KEYWORDS`` that it declares, and is passed.
        methods: the optional methods that it has, beside ``close``.
        unit: what it is told of a conversation at a time, ``turn`` or ``session``.
        needed: by method, those of its fields that have no default.
        misses: sentences on names that mean nothing, but nearly do.
    """

    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    methods: frozenset[str] = frozenset()
    unit: str = _TURN
    needed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    misses: tuple[str, ...] = ()

    @property
    def told(self) -> frozenset[str]:
        """The fields that it is passed with a piece of the history."""
        return self.fields.get("add") or self.fields.get("memorize") or frozenset()

    @property
    def asked(self) -> frozenset[str]:
        """The fields that it is passed with a question, beside those of its query."""
        return self.fields.get("search") or self.fields.get("answer") or frozenset()

    def chosen(self, method: str, given: Mapping[str, object]) -> dict[str, object]:
        """Return what a method is passed of ``given``: None for what it needs and nobody knows."""
        needed = self.needed.get(method, ())
        return {
            name: given.get(name)
            for name in self.fields.get(method, ())
            if given.get(name) is not None or name in needed
        }


def takes_of(thing: object) -> Takes:
    """Return what an agent or a memory takes, or what instances of a class would.

    One that lives elsewhere has said it, and a ``RetrievalAgent`` takes what its memory takes.
    """
    said = getattr(thing, "takes", None)
    if isinstance(said, Takes):
        return said
    there = {name for name in METHODS if callable(getattr(thing, name, None))}
    known = {name: parameters_of(thing, name) for name in there}
    declared = {name: names for name, names in known.items() if names is not None}
    cls = thing if isinstance(thing, type) else type(thing)
    others = [name for name in dir(cls) if callable(getattr(cls, name, None))]
    callable_ones = {name for name in there if name not in EDITING or fits(thing, name)}
    return takes_from(declared, callable_ones, getattr(thing, "unit", _TURN), others)


def takes_from(
    declared: Mapping[str, Mapping[str, bool]],
    methods: Collection[str],
    unit: object = _TURN,
    others: Collection[str] = (),
) -> Takes:
    """Return what something takes by what it says; what means nothing is left out.

    Args:
        declared: by method, the names of parameters, and of each whether it has no default.
        methods: those of its methods that can be called.
        unit: what it is told at a time.
        others: names of further methods.
    """
    own = {
        name: frozenset(names) & {*KEYWORDS[name]}
        for name, names in declared.items()
        if name in KEYWORDS and (name in methods or name not in EDITING)
    }
    needed = {name: frozenset(key for key in own[name] if declared[name][key]) for name in own}
    return Takes(
        {name: keys for name, keys in own.items() if keys},
        frozenset(methods) & {*OPTIONAL, *EDITING},
        str(unit) if unit in UNITS else _TURN,
        {name: keys for name, keys in needed.items() if keys},
        tuple(_misses_of(declared, methods, unit, others)),
    )


def takes_said(
    reply: Mapping[str, object], known: Collection[str] = (), session: str = "session"
) -> Takes:
    """Return what a program says that it takes, by ``takes``, ``methods`` and ``unit``.

    It is ``known`` to have some methods; ``session`` is its name of that field.
    """
    said, methods = reply.get("takes"), reply.get("methods")
    declared = {
        str(method): {"session" if name == session else str(name): False for name in names}
        for method, names in (said.items() if isinstance(said, Mapping) else ())
        if isinstance(names, list)
    }
    listed = {*known, *map(str, methods if isinstance(methods, list) else ())}
    if "delete" not in declared or not {*declared["delete"]} & {*KEYWORDS["delete"]}:
        listed -= {"delete"}  # It does not say what of.
    return takes_from(declared, listed, reply.get("unit", _TURN))


def near_misses(thing: object) -> list[str]:
    """Return a sentence on each name of an agent or a memory that means nothing, but nearly does.

    Such as ``add takes `timestamp`: name it `time` to be passed the time``.
    """
    return [*takes_of(thing).misses]


def meant_by(method: str, name: str, names: Collection[str] = ()) -> str | None:
    """Return which field of a method, but none of ``names``, a name is probably meant to be."""
    fields = [key for key in KEYWORDS.get(method, ()) if key not in (name, *names)]
    also = [key for key in fields if name.lower() in _ALSO_CALLED.get(key, ())]
    near = get_close_matches(name.lower(), fields, cutoff=_LIKENESS)
    return None if name in KEYWORDS.get(method, ()) else next(iter(also + near), None)


def _misses_of(
    declared: Mapping[str, Mapping[str, bool]],
    methods: Collection[str],
    unit: object,
    others: Collection[str],
) -> Iterator[str]:
    told = set()
    for method in (name for name in METHODS if name in declared):
        for name in declared[method]:
            if meant := meant_by(method, name, declared[method]):
                told.add(method)
                yield f"{method} takes `{name}`: name it `{meant}` to be passed the {meant}"
    for meant in EDITING:
        if meant in declared and meant not in {*methods, *told}:
            yield f"{meant} is never called: it must be callable as {call_of(meant)}"
        for name in _ALSO_CALLED[meant]:
            if name in others and meant not in {*methods, *declared}:
                yield f"there is a method `{name}`: name it `{meant}` to have it called"
    if isinstance(unit, str) and unit not in UNITS:
        yield f"unit is {unit!r}: make it {' or '.join(map(repr, UNITS))}"


def call_of(name: str) -> str:
    """Return how a method is called without fields: ``add(text)``."""
    return (
        f"{name}({' or '.join(KEYWORDS[name]) if name == 'delete' else ', '.join(METHODS[name])})"
    )
