"""What an agent or a memory takes: the fields that its methods declare, and what else it can do.

A method is passed by name what its parameters name, as pytest passes fixtures, and nothing else.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from mabench.contract.methods import EDITING, KEYWORDS, METHODS, OPTIONAL, UNITS, parameters_of

_TURN = UNITS[0]
_LIKENESS = 0.8  # Of 1: ``timeout`` is not meant to be ``time``.
# What others call the same thing. A name that is spelled nearly so is taken for it, too.
_ALSO_CALLED = {
    "time": ("timestamp", "date", "datetime", "when", "created_at", "ts", "as_of", "valid_at"),
    "speaker": ("author", "sender", "who", "speaker_name"),
    "role": (),
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
        misses: sentences on names that are nearly right, and so mean nothing.
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
        declared, needed = self.fields.get(method, ()), self.needed.get(method, ())
        return {
            name: given.get(name)
            for name in KEYWORDS.get(method, ())
            if name in declared and (given.get(name) is not None or name in needed)
        }


def takes_of(thing: object) -> Takes:
    """Return what an agent or a memory takes, or what instances of a class would.

    One that lives elsewhere has said it, and a ``RetrievalAgent`` takes what its memory takes.
    """
    known = getattr(thing, "takes", None)
    if isinstance(known, Takes):
        return known
    declared = {name: parameters_of(thing, name) for name in KEYWORDS}
    methods = {name for name in (*OPTIONAL, *EDITING) if callable(getattr(thing, name, None))}
    strange = [name for name in EDITING if name in methods and not fits(thing, name)]
    cls = thing if isinstance(thing, type) else type(thing)
    unit = getattr(thing, "unit", _TURN)
    return takes_from(
        {name: names for name, names in declared.items() if names and name not in strange},
        methods - {*strange},
        unit if isinstance(unit, str) else _TURN,
        [name for name in dir(cls) if callable(getattr(cls, name, None))],
        [*_uncallable(thing, strange)],
    )


def takes_from(
    declared: Mapping[str, Mapping[str, bool]],
    methods: Collection[str],
    unit: str = _TURN,
    others: Collection[str] = (),
    misses: Collection[str] = (),
) -> Takes:
    """Return what something takes by all that it says.

    Args:
        declared: by method, the names of parameters, and of each whether it has no default.
        methods: names of optional methods; unknown ones are left out.
        unit: what it is told at a time; another than the known ones is a near miss.
        others: names of further methods.
        misses: near misses that are known already.
    """
    fields = {name: {*names} & {*KEYWORDS.get(name, ())} for name, names in declared.items()}
    needed = {
        name: {key for key in own if declared[name][key]} for name, own in fields.items() if own
    }
    found = [*misses, *_misses_in(declared), *_missed_methods({*methods}, others)]
    if unit not in UNITS:
        found.append(f"unit is {unit!r}: make it {' or '.join(map(repr, UNITS))}")
    return Takes(
        {name: frozenset(own) for name, own in fields.items() if own},
        frozenset(methods) & {*OPTIONAL, *EDITING},
        unit if unit in UNITS else _TURN,
        {name: frozenset(own) for name, own in needed.items() if own},
        tuple(found),
    )


def fits(thing: object, name: str) -> bool | None:
    """Return whether a method can be called as it will be; None where nobody can tell."""
    if (names := parameters_of(thing, name)) is None:
        return None
    keywords = {key: None for key in names if key in KEYWORDS.get(name, ())}
    if name == "delete" and not keywords:
        return False  # It would not know what to delete.
    try:
        signature = inspect.signature(getattr(thing, name))
        signature.bind(*[thing] * isinstance(thing, type), *METHODS[name], **keywords)
    except TypeError:
        return False
    return True


def near_misses(thing: object) -> list[str]:
    """Return a sentence on each name of an agent or a memory that means nothing, but nearly does.

    Such as ``add takes `timestamp`: name it `time` to be passed the time``.
    """
    return [*takes_of(thing).misses]


def call_of(name: str) -> str:
    """Return how a method is called without fields: ``add(text)``."""
    return f"{name}({', '.join(METHODS[name])})"


def meant_by(method: str, name: str) -> str | None:
    """Return which field of a method a parameter of another name is probably meant to be."""
    fields = [key for key in KEYWORDS.get(method, ()) if key != name]
    also = [key for key in fields if name.lower() in _ALSO_CALLED[key]]
    return next(iter(also or get_close_matches(name.lower(), fields, cutoff=_LIKENESS)), None)


def _misses_in(declared: Mapping[str, Mapping[str, bool]]) -> Iterator[str]:
    for method, names in declared.items():
        for name in names:
            if name in KEYWORDS.get(method, ()):
                continue
            meant = meant_by(method, name)
            if meant and meant not in names:
                yield f"{method} takes `{name}`: name it `{meant}` to be passed the {meant}"


def _missed_methods(methods: Collection[str], others: Collection[str]) -> Iterator[str]:
    for meant in EDITING:
        for name in _ALSO_CALLED[meant]:
            if name in others and meant not in methods:
                yield f"there is a method `{name}`: name it `{meant}` to have it called"


def _uncallable(thing: object, strange: Collection[str]) -> Iterator[str]:
    for name in strange:
        names = parameters_of(thing, name)
        if names is None:
            continue  # Compiled code, such as that of a dict, which nobody meant to be called.
        meant = [*_misses_in({name: names})]
        call = "delete(id) or delete(user)" if name == "delete" else call_of(name)
        yield from meant or [f"{name} is never called: it must be callable as {call}"]
