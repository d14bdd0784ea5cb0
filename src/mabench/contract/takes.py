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
    """Return what an agent or a memory takes.

    One that lives elsewhere has said it, and a ``RetrievalAgent`` takes what its memory takes.
    """
    said = getattr(thing, "takes", None)
    if isinstance(said, Takes):
        return said
    there = [name for name in METHODS if callable(getattr(thing, name, None))]
    others = [name for name in dir(type(thing)) if callable(getattr(type(thing), name, None))]
    declared = {name: parameters_of(thing, name) for name in there}
    known = {name: names for name, names in declared.items() if names is not None}
    methods = {name for name in there if name not in EDITING or fits(thing, name)}
    return takes_from(known, methods, getattr(thing, "unit", _TURN), others)


def takes_said(
    reply: Mapping[str, object], known: Collection[str] = (), session: str = "session"
) -> Takes:
    """Return what a program says in its handshake; ``session`` is its name of that field."""
    said, methods = reply.get("takes"), reply.get("methods")
    declared = {
        str(method): {"session" if name == session else str(name): False for name in names}
        for method, names in (said.items() if isinstance(said, Mapping) else ())
        if isinstance(names, list)
    }
    listed = {*known, *map(str, methods if isinstance(methods, list) else ())}
    if not {*declared.get("delete", ())} & {*KEYWORDS["delete"]}:
        listed -= {"delete"}  # It does not say what of.
    return takes_from(declared, listed, reply.get("unit", _TURN))


def takes_from(
    declared: Mapping[str, Mapping[str, bool]],
    methods: Collection[str],
    unit: object = _TURN,
    others: Collection[str] = (),
) -> Takes:
    """Return what something takes by the ``methods`` that can be called, and ``others``.

    ``declared`` has their parameters, and of each whether it has no default.
    """
    own = {
        name: {key: needed for key, needed in names.items() if key in KEYWORDS.get(name, ())}
        for name, names in declared.items()
        if name in methods or name not in EDITING
    }
    needed = {name: frozenset(key for key in keys if keys[key]) for name, keys in own.items()}
    return Takes(
        {name: frozenset(keys) for name, keys in own.items() if keys},
        frozenset(methods) & {*OPTIONAL, *EDITING},
        str(unit) if unit in UNITS else _TURN,
        {name: keys for name, keys in needed.items() if keys},
        tuple(_misses_of(declared, methods, unit, others)),
    )


def near_misses(thing: object) -> list[str]:
    """Return a sentence on each name of an agent or a memory that means nothing, but nearly does.

    Such as ``add takes `timestamp`: name it `time` to be passed the time``.
    """
    return [*takes_of(thing).misses]


def meant_by(method: str, name: str, names: Collection[str] = ()) -> str | None:
    """Return which field of a method, but none of ``names``, a name is probably meant to be."""
    fields = [key for key in KEYWORDS.get(method, ()) if key not in names]
    also = [key for key in fields if name.lower() in _ALSO_CALLED.get(key, ())]
    near = get_close_matches(name.lower(), fields, cutoff=_LIKENESS)
    return None if name in KEYWORDS.get(method, ()) else next(iter(also + near), None)


def call_of(name: str) -> str:
    """Return how a method is called without fields: ``add(text)``."""
    return (
        f"{name}({' or '.join(KEYWORDS[name]) if name == 'delete' else ', '.join(METHODS[name])})"
    )


def _misses_of(
    declared: Mapping[str, Mapping[str, bool]],
    methods: Collection[str],
    unit: object,
    others: Collection[str],
) -> Iterator[str]:
    for method, names in declared.items():
        meant = {name: meant_by(method, name, names) for name in names}
        for name, of in meant.items():
            if of:
                yield f"{method} takes `{name}`: name it `{of}` to be passed the {of}"
        if method in EDITING and method not in methods and not any(meant.values()):
            yield f"{method} is never called: it must be callable as {call_of(method)}"
    for name in EDITING:
        for other in _ALSO_CALLED[name]:
            if other in others and name not in {*methods, *declared}:
                yield f"there is a method `{other}`: name it `{name}` to have it called"
    if isinstance(unit, str) and unit not in UNITS:
        yield f"unit is {unit!r}: make it {' or '.join(map(repr, UNITS))}"
