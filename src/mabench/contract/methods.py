"""What mabench calls on an agent or a memory, and what of it one takes: the one list of it.

A method is passed by name what its parameters name, as pytest passes fixtures, and nothing else.

Agents of this process, the worker, the line protocol, HTTP and MCP go by it. The worker reads this
file by its path where mabench is not installed: it imports nothing of ours, and runs with Python
3.9.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

# What makes an agent, and what makes a memory.
KINDS = {"agent": ("memorize", "answer"), "memory": ("add", "search")}
# What else they may have, beside close(); one that lives elsewhere says which of these it has.
OPTIONAL = ("stats", "save", "load")
# These, too; as they are common words, they are never called where they take something else.
EDITING = ("update", "delete", "list", "ready", "maintain")
# The parameters of each method, in order.
METHODS = {
    "memorize": ("chunk",),
    "answer": ("query",),
    "add": ("text",),
    "search": ("query", "k"),
    "update": ("id", "text"),
    "delete": (),
    "list": (),
    "ready": (),
    "maintain": (),
    "stats": (),
    "save": ("folder",),
    "load": ("folder",),
    "close": (),
}
_OF_A_TEXT = ("time", "speaker", "role", "session", "user")
_OF_A_QUESTION = ("time", "user")
# What a method is passed by name beside them: what it declares of these, and nothing else.
KEYWORDS = {
    "memorize": _OF_A_TEXT,
    "add": _OF_A_TEXT,
    "update": _OF_A_TEXT,
    "answer": _OF_A_QUESTION,
    "search": _OF_A_QUESTION,
    "delete": ("id", "user"),
    "list": ("user",),
}
# What a memory may say of itself, each a name in the mapping ``mabench_capabilities`` of its class:
# that it resolves contradictions, stores no secrets, marks or leaves out planted instructions, and
# keeps what held before; that its ``list`` returns what it was told and not what it keeps, and that
# a search changes what it holds. Nothing that was not promised is held against it.
PROMISES = (
    "resolves_contradictions", "redacts", "filters_instructions", "keeps_history",
    "emulates_list", "changed_by_search",
)  # fmt: skip
# The name in that mapping of how many calls of ``search``, or of an agent's ``answer``, may be
# under way at a time.
AT_ONCE = "calls_at_once"
_CAPABILITIES = "mabench_capabilities"
_UNITS = ("turn", "session")  # What one is told of a conversation at a time, by its ``unit``.
# What crosses of a query beside the prompt, of an answer and of a passage.
FIELDS = {
    "query": ("question", "search_query", "max_tokens"),
    "answer": (
        "text", "retrieved", "input_tokens", "output_tokens", "cost", "tokens_estimated",
        "dropped_tokens", "cut_off", "prompt",
    ),
    "passage": ("text", "score", "time"),
}  # fmt: skip
_LIKENESS = 0.8  # Of 1: ``timeout`` is not meant to be ``time``.
# Other names for the same field or method; names that are spelled nearly so are found without it.
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
    "maintain": ("consolidate", "compact", "reflect", "maintenance", "run_maintenance"),
}


# What holds the records of a page, and what says that there are more of them than it holds.
_ITEMS = ("passages", "results", "memories", "records", "items", "data")
_MORE = ("next", "next_page", "next_cursor", "has_more")
_TOTALS = ("total", "total_count", "count")


def flatten_pages(result: Any, most: int) -> tuple[list[Any], bool]:
    """Return the records in what ``list`` returned, and whether there are visibly more.

    It may be a sequence, what yields records or pages, or a mapping with records and with what
    says that there are more, such as ``{"results": [...], "next": ...}``. At most ``most`` are
    read. What is none of these is returned as the only record, for who reads it to refuse.
    """
    records: list[Any] = []
    last_says_more = False  # Whether the last page says that there are more.
    total = 0  # The largest number of records that any page says there are.
    is_single = isinstance(result, (str, bytes, Mapping)) or not isinstance(result, Iterable)
    for item in [result] if is_single else result:
        page_records = _records_of_page(item)
        last_says_more = False
        if page_records is None:
            records.append(item)
        else:
            records += page_records
            if isinstance(item, Mapping):
                last_says_more = any(map(item.get, _MORE))
                total = max([total, *_totals_of_page(item)])
        if len(records) > most:
            return records[:most], True
    return records, last_says_more or total > len(records)


def _totals_of_page(page: Mapping[Any, Any]) -> list[int]:
    """Return how many records there are in all, by each name under which a page says it."""
    return [page[name] for name in _TOTALS if isinstance(page.get(name), int)]


def _records_of_page(value: Any) -> list[Any] | None:
    """Return the records of a page; None for what is a record itself."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if not isinstance(value, Mapping):
        return None
    for name in _ITEMS:
        items: Any = value.get(name)
        if isinstance(items, list):
            return items
    return None


async def gather(result: Any, most: int) -> list[Any]:
    """Return what an async generator yields, ``most`` and one more at most."""
    gathered: list[Any] = []
    async for item in result:
        gathered.append(item)
        if len(gathered) > most:
            break
    return gathered


def parameters_of(thing: Any, name: str) -> dict[str, bool] | None:
    """Return the names that a method declares beside ``METHODS``, and whether each is required.

    For ``add(self, note, time, user=None)`` that is ``{"time": True, "user": False}``. ``**``
    declares nothing; None if nobody can tell.
    """
    method: Any = getattr(thing, name, None)
    try:
        listed = [*inspect.signature(method).parameters.values()]
    except (TypeError, ValueError):
        return None
    by_position = len(METHODS[name])  # These come first, whatever they are called.
    rest = [
        parameter
        for place, parameter in enumerate(listed)
        if place >= by_position or parameter.kind is parameter.KEYWORD_ONLY
    ]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        parameter.name: parameter.default is parameter.empty
        for parameter in rest
        if parameter.kind in by_name
    }


def fits(thing: Any, name: str) -> bool | None:
    """Return whether a method can be called as it will be; None if nobody can tell."""
    parameters = parameters_of(thing, name)
    if parameters is None:
        return None
    keywords = {key: None for key in parameters if key in KEYWORDS.get(name, ())}
    try:
        inspect.signature(getattr(thing, name)).bind(*METHODS[name], **keywords)
    except TypeError:
        return False
    return name != "delete" or bool(keywords)  # Else it would not know what to delete.


def can_be_called(thing: Any, name: str) -> bool:
    """Return whether there is such a method that, for all that is known, fits."""
    # Compiled code does not always say what it takes.
    return callable(getattr(thing, name, None)) and fits(thing, name) is not False


class Takes(NamedTuple):
    """What an agent or a memory takes."""

    # By method, those of its ``KEYWORDS`` that it declares, and is passed: whether each has no
    # default.
    fields: Mapping[str, Mapping[str, bool]] = {}
    methods: frozenset[str] = frozenset()  # The optional methods that it has, beside ``close``.
    unit: str = _UNITS[0]  # What it is told of a conversation at a time, ``turn`` or ``session``.
    misses: tuple[str, ...] = ()  # Sentences on names that mean nothing, but nearly do.
    promises: frozenset[str] = frozenset()  # Those of ``PROMISES`` that it makes.
    # How many calls of ``search`` or ``answer`` may be under way; None if it says nothing.
    calls_at_once: int | None = None

    @property
    def told(self) -> frozenset[str]:
        """The fields that it is passed with a piece of the history."""
        return frozenset(self.fields.get("add") or self.fields.get("memorize", {}))

    @property
    def asked(self) -> frozenset[str]:
        """The fields that it is passed with a question, beside those of its query."""
        return frozenset(self.fields.get("search") or self.fields.get("answer", {}))

    def chosen(self, method: str, given: Mapping[str, object]) -> dict[str, object]:
        """Return what a method is passed of ``given``: the fields that it takes and that are known.

        A field without a default is passed even if it is not known, as None.
        """
        chosen: dict[str, object] = {}
        for name, has_no_default in self.fields.get(method, {}).items():
            value = given.get(name)
            if has_no_default or value is not None:
                chosen[name] = value
        return chosen

    @classmethod
    def of(cls, thing: object) -> Takes:
        """Return what an agent or a memory takes.

        One that lives elsewhere has said it, and a ``RetrievalAgent`` takes what its memory takes.
        """
        takes_elsewhere = getattr(thing, "takes", None)
        if isinstance(takes_elsewhere, Takes):
            return takes_elsewhere
        own = [name for name in METHODS if callable(getattr(thing, name, None))]
        others = [name for name in dir(type(thing)) if callable(getattr(type(thing), name, None))]
        declared: dict[str, dict[str, bool]] = {}
        for name in own:
            parameters = parameters_of(thing, name)
            if parameters is not None:
                declared[name] = parameters
        called = {name for name in own if name not in EDITING or fits(thing, name)}
        takes = cls.of_methods(declared, called, getattr(thing, "unit", _UNITS[0]), others)
        capabilities = getattr(thing, _CAPABILITIES, None)
        if not isinstance(capabilities, Mapping):
            capabilities = {}
        promises = frozenset(name for name in PROMISES if capabilities.get(name))
        return takes._replace(promises=promises).with_calls_at_once(capabilities.get(AT_ONCE))

    def with_calls_at_once(self, declared: object) -> Takes:
        """Return the same with the declared number of calls that may be under way at a time.

        None declares nothing; anything but a whole number from 1 is a miss.
        """
        if isinstance(declared, int) and not isinstance(declared, bool) and declared >= 1:
            return self._replace(calls_at_once=declared)
        if declared is None:
            return self
        miss = f"{AT_ONCE} is {declared!r:.40}, which is no whole number from 1, and is ignored"
        return self._replace(misses=(*self.misses, miss))

    @classmethod
    def of_reply(
        cls, reply: Mapping[str, object], known: Collection[str] = (), session: str = "session"
    ) -> Takes:
        """Return what a program says in its handshake; ``session`` is its name of that field."""
        declared: dict[str, dict[str, bool]] = {}
        fields_by_method = reply.get("takes")
        if isinstance(fields_by_method, Mapping):
            for method, names in fields_by_method.items():
                if isinstance(names, list):
                    fields = ["session" if name == session else str(name) for name in names]
                    declared[str(method)] = dict.fromkeys(fields, False)
        methods = {*known, *_strings_in(reply.get("methods"))}
        if not {*declared.get("delete", ())} & {*KEYWORDS["delete"]}:
            methods -= {"delete"}  # It does not say what to delete by.
        takes = cls.of_methods(declared, methods, reply.get("unit", _UNITS[0]))
        promises = frozenset(_strings_in(reply.get("promises"))) & {*PROMISES}
        return takes._replace(promises=promises).with_calls_at_once(reply.get(AT_ONCE))

    @classmethod
    def of_methods(
        cls,
        declared: Mapping[str, Mapping[str, bool]],
        methods: Collection[str],
        unit: object = _UNITS[0],
        others: Collection[str] = (),
    ) -> Takes:
        """Return what something takes by the ``methods`` that can be called, and ``others``.

        ``declared`` has their parameters, and of each whether it has no default.
        """
        fields = {
            name: {key: needed for key, needed in names.items() if key in KEYWORDS.get(name, ())}
            for name, names in declared.items()
            if name in methods or name not in EDITING
        }
        return cls(
            {name: own for name, own in fields.items() if own},
            frozenset(methods) & {*OPTIONAL, *EDITING},
            str(unit) if unit in _UNITS else _UNITS[0],
            tuple(_misses_of(declared, methods, unit, others)),
        )


def meant_by(method: str, name: str, names: Collection[str] = ()) -> str | None:
    """Return which field of a method, but none of ``names``, a name is probably meant to be.

    ``timestamp`` is probably meant to be ``time``; None for a field itself, and for what is like
    none.
    """
    fields = KEYWORDS.get(method, ())
    if name in fields:
        return None
    candidates = [field for field in fields if field not in names]
    synonyms = [field for field in candidates if name.lower() in _ALSO_CALLED.get(field, ())]
    similar = get_close_matches(name.lower(), candidates, cutoff=_LIKENESS)
    matches = synonyms + similar
    return matches[0] if matches else None


def _strings_in(value: object) -> list[str]:
    """Return the items of a list of a program's reply as strings; none of what is no list."""
    return [*map(str, value)] if isinstance(value, list) else []


def call_of(name: str) -> str:
    """Return how a method is called without fields: ``add(text)``."""
    words = " or ".join(KEYWORDS[name]) if name == "delete" else ", ".join(METHODS[name])
    return f"{name}({words})"


def _misses_of(
    declared: Mapping[str, Mapping[str, bool]],
    methods: Collection[str],
    unit: object,
    others: Collection[str],
) -> Iterator[str]:
    """Yield a sentence on each name that means nothing, but nearly does.

    The names are those of parameters, of methods that are there, of ``others``, and of the unit.
    """
    for method, names in declared.items():
        meant = {name: meant_by(method, name, names) for name in names}
        for name, field in meant.items():
            if field:
                yield f"{method} takes `{name}`: name it `{field}` to be passed the {field}"
        if method in EDITING and method not in methods and not any(meant.values()):
            yield f"{method} is never called: it must be callable as {call_of(method)}"
    for name in EDITING:
        for other in _ALSO_CALLED[name]:
            if other in others and name not in {*methods, *declared}:
                yield f"there is a method `{other}`: name it `{name}` to have it called"
    if isinstance(unit, str) and unit not in _UNITS:
        yield f"unit is {unit!r}: make it {' or '.join(map(repr, _UNITS))}"
