"""What agents and memories return, brought into one form and checked; and what they raise.

What an agent raises is a failure of its call, whatever it is, and never one of ours. Raised again,
``SystemExit``, ``StopIteration`` or a cancellation would end the run, or hang it.
"""

from __future__ import annotations

import math
import re
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from mabench.contract.interfaces import Answer, Passage
from mabench.contract.methods import flatten_pages
from mabench.errors import MabenchError
from mabench.printable import printable
from mabench.redact import redact

# Files in a traceback: of the interpreter, of installed packages, and ours.
_NOT_THE_USERS = re.compile(r"^<|[/\\](?:python3[.]\d+|site-packages|src[/\\]mabench)[/\\]")
# Generous limits, beyond which a call has failed; what comes from other processes has limits of
# its own, in bytes.
_LONGEST_ANSWER = 1_000_000  # Characters.
_MOST_PASSAGES = 10_000  # For one question.
_MOST_RECORDS = 1_000_000  # Of a memory that lists what it holds; of more, these are read.
_LONGEST_PASSAGES = 10_000_000  # Characters of all of them, or of a prompt.
_LONGEST_ERROR = 100_000  # Characters that are read of an error; fewer are kept.
_LONGEST_LINE = 300  # Characters of an error in a line.
_LONGEST_MESSAGE = 200  # The same within a message.
# No count or amount that means anything is larger, and a run folder keeps none that is.
_MOST = 10**15
_T = TypeVar("_T")


class AgentError(MabenchError):
    """An agent, a memory or a reader returned something that cannot be used."""


class Stats(NamedTuple):
    """How many memories a memory holds and how many bytes they take; None if unknown."""

    memories: int | None = None
    bytes: int | None = None

    @classmethod
    def of(cls, result: object) -> Stats:
        """Return what ``stats()`` returned; what is no count is taken for unknown."""
        told = result if isinstance(result, Mapping) else {}
        return cls(*(_count(told.get(name)) for name in cls._fields))


def answer_of(result: object) -> Answer:
    """Return an answer from a string or what has fields of one, or raise an ``AgentError``."""
    if isinstance(result, str):
        return Answer(_plain_text(result, "the answer", _LONGEST_ANSWER))
    return Answer(
        _text_of(result, "the answer", _LONGEST_ANSWER),
        passages_of(_field(result, "retrieved") or ()),
        **{name: _read(result, name) for name in _READERS},
    )


def passages_of(result: object) -> list[Passage]:
    """Return what a memory found as passages, or raise an ``AgentError`` if it is no such thing."""
    if isinstance(result, str | bytes | Mapping) or not isinstance(result, Iterable):
        raise AgentError(f"passages are {_excerpt(result)}; expected a sequence of str or Passage")
    passages, characters = [], 0
    for item in result:
        if isinstance(item, str):
            passages.append(Passage(_plain_text(item, "a passage", _LONGEST_PASSAGES)))
        else:
            text = _text_of(item, "a passage", _LONGEST_PASSAGES)
            passages.append(Passage(text, _read(item, "score"), _time(_field(item, "time"))))
        characters += len(passages[-1].text)
        if len(passages) > _MOST_PASSAGES:
            raise AgentError(f"there are more than {_MOST_PASSAGES:,} passages")
        if characters > _LONGEST_PASSAGES:
            raise AgentError(f"the passages have more than {_LONGEST_PASSAGES:,} characters")
    return passages


class Listing(NamedTuple):
    """The texts that a memory holds, as it listed them."""

    texts: tuple[str, ...]
    is_cut: bool = False  # Whether it visibly has more: another page, or more than are read.

    @classmethod
    def of(cls, result: object) -> Listing:
        """Return what ``list`` returned: passages, pages of them, or what yields either.

        Raises:
            AgentError: when it is no such thing.
        """
        records, is_cut = flatten_pages(result, _MOST_RECORDS)
        if len(records) == 1 and records[0] is result:  # It is neither a list nor a page.
            passages_of(result)
        texts: list[str] = []
        for start in range(0, len(records), _MOST_PASSAGES):
            texts += (one.text for one in passages_of(records[start : start + _MOST_PASSAGES]))
        return cls(tuple(texts), is_cut)


def _time(value: object) -> datetime | None:
    """Return a time, or one as ISO 8601 text; None for what is neither, or has no time zone."""
    with suppress(ValueError):
        value = datetime.fromisoformat(value) if isinstance(value, str) else value
    return value if isinstance(value, datetime) and value.tzinfo is not None else None


def _text_of(value: object, what: str, longest: int) -> str:
    text = _field(value, "text")
    if not isinstance(text, str):
        kind = "a Passage" if what == "a passage" else "an Answer"
        raise AgentError(
            f"{what} is {_excerpt(value)}; "
            f"expected a str, {kind}, or an object or mapping with a str field 'text'"
        )
    return _plain_text(text, what, longest)


def _plain_text(text: str, what: str, longest: int) -> str:
    plain = str.__str__(text)  # Of a class of strings, no method of its own is called.
    if len(plain) > longest:
        raise AgentError(f"{what} has {len(plain):,} characters, more than {longest:,}")
    return plain


# How a field beside the text is read: each returns None for what is no such thing.


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    count = int(value)
    return count if 0 <= count <= _MOST else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return float(value)


def _amount(value: object) -> float | None:
    amount = _number(value)
    return amount if amount is not None and 0 <= amount <= _MOST else None


def _bool(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _prompt(value: object) -> str | None:
    return _plain_text(value, "prompt", _LONGEST_PASSAGES) if isinstance(value, str) else None


_READERS = {
    "input_tokens": (_count, "a count"),
    "output_tokens": (_count, "a count"),
    "cost": (_amount, "a finite number of at least 0"),
    "tokens_estimated": (_bool, "a bool"),
    "dropped_tokens": (_count, "a count"),
    "cut_off": (_bool, "a bool"),
    "prompt": (_prompt, "a str"),
}
_SCORE = (_number, "a finite number")


def _read(thing: object, name: str) -> Any:
    value = _field(thing, name)
    if value is None:
        return None
    read, expected = _READERS.get(name, _SCORE)
    if (checked := read(value)) is None:
        raise AgentError(f"{name} is {_excerpt(value)}; expected {expected} or None")
    return checked


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _excerpt(value: object) -> str:
    if value is None:
        return "None"
    # An address says nothing, and is another one each time.
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value)[:_LONGEST_ERROR])
    return f"{type(value).__name__} {redact(text)[:60]}"


class AgentRaisedError(Exception):
    """An agent raised what is no ordinary exception: the ``original``."""

    def __init__(self, original: BaseException) -> None:
        super().__init__(describe_error(original))
        self.original = original


class CallOutcome(NamedTuple, Generic[_T]):
    """What a call of an agent came to: a value, or what it raised, and how long it took itself."""

    value: _T | None = None
    error: BaseException | None = None
    seconds: float = 0.0

    @classmethod
    def of(cls, call: Callable[[], _T]) -> CallOutcome[_T]:
        """Call a function of an agent and return what it came to; a user's Ctrl-C passes."""
        start = time.perf_counter()
        try:
            return CallOutcome(call(), seconds=time.perf_counter() - start)
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            return CallOutcome(error=error)

    def result(self) -> _T:
        """Return the value, or raise what was raised as an ordinary exception."""
        if self.error is None:
            return self.value  # type: ignore[return-value]  # there is one
        if _is_ordinary(self.error):
            raise self.error
        raise AgentRaisedError(self.error) from self.error


def _is_ordinary(error: BaseException) -> bool:
    kind = type(error)
    if issubclass(kind, StopIteration | StopAsyncIteration) or not issubclass(kind, Exception):
        return False
    try:
        return error.__class__ is kind  # Much of Python asks an error for its class.
    except BaseException:
        return False


def attempt(call: Callable[[], _T]) -> _T:
    """Return what a function of an agent returns; raise ordinary exceptions alone."""
    return CallOutcome.of(call).result()


def is_ctrl_c(error: BaseException) -> bool:
    """Whether an error may come from the user: Ctrl-C in a main thread that does not handle it."""
    return (
        issubclass(type(error), KeyboardInterrupt)
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


def _said_by(error: BaseException) -> str:
    """Return the text of an error, cut where it is too long; one whose text raises has none."""
    try:
        return str.__str__(str(error))[:_LONGEST_ERROR]
    except BaseException as second:
        return f"(its text raises {type(second).__name__})"


def describe_error(error: BaseException) -> str:
    """Return the kind of an error and its text, where it has one."""
    original = error.original if type(error) is AgentRaisedError else error
    try:
        kind = f"{type(original).__name__}"[:_LONGEST_ERROR]
    except BaseException:
        kind = "an exception without a name"
    return f"{kind}: {text}" if (text := _said_by(original)) else kind


def describe_in_a_line(error: BaseException) -> str:
    """Return an error in a line: its kind, if it is none of ours, and its text without secrets."""
    message = _said_by(error) if isinstance(error, MabenchError) else describe_error(error)
    return printable(redact(" ".join(redact(message).split())))[:_LONGEST_LINE]


def summarize_error(error: BaseException) -> str:
    """Return an error's kind and message in one line, and which line of the user's led to it."""
    said = " ".join(redact(describe_error(error)).split())[:_LONGEST_MESSAGE]
    frames = reversed(traceback.extract_tb(error.__traceback__))
    own = (frame for frame in frames if not _NOT_THE_USERS.search(frame.filename))
    return said + next((f" ({Path(one.filename).name}, line {one.lineno})" for one in own), "")


def message_of(error: BaseException) -> str:
    """Return the message of an error in one line; its kind if it has none."""
    return " ".join(redact(_said_by(error)).split())[:_LONGEST_MESSAGE] or type(error).__name__
