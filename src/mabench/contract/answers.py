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

# Files in a traceback that are not the user's: of the interpreter, of installed packages, and ours.
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
_LARGEST_NUMBER = 10**15
_LONGEST_EXCERPT = 60  # Characters of a value that cannot be used, in an error.
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
        if not isinstance(result, Mapping):
            return cls()
        return cls(memories=_count(result.get("memories")), bytes=_count(result.get("bytes")))


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
    """Return what a memory found as passages: of strings, or of objects or mappings with a text.

    Raises:
        AgentError: when it is no such thing, or too many or too long passages.
    """
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
            part = passages_of(records[start : start + _MOST_PASSAGES])
            texts += [passage.text for passage in part]
        return cls(tuple(texts), is_cut)


def _time(value: object) -> datetime | None:
    """Return a time, or one as ISO 8601 text; None for what is neither, or has no time zone."""
    time = value
    if isinstance(value, str):
        with suppress(ValueError):
            time = datetime.fromisoformat(value)
    return time if isinstance(time, datetime) and time.tzinfo is not None else None


def _text_of(value: object, what: str, longest: int) -> str:
    """Return the text of an answer or a passage (``what``), of at most ``longest`` characters."""
    text = _field(value, "text")
    if not isinstance(text, str):
        kind = "a Passage" if what == "a passage" else "an Answer"
        raise AgentError(
            f"{what} is {_excerpt(value)}; "
            f"expected a str, {kind}, or an object or mapping with a str field 'text'"
        )
    return _plain_text(text, what, longest)


def _plain_text(text: str, what: str, longest: int) -> str:
    """Return a text as an ordinary string; an ``AgentError`` names ``what`` is too long."""
    plain = str.__str__(text)  # Of a class of strings, no method of its own is called.
    if len(plain) > longest:
        raise AgentError(f"{what} has {len(plain):,} characters, more than {longest:,}")
    return plain


# How the value of a field beside the text is read: each returns None for a value of another kind.


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    count = int(value)
    return count if 0 <= count <= _LARGEST_NUMBER else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return float(value)


def _amount(value: object) -> float | None:
    amount = _number(value)
    return amount if amount is not None and 0 <= amount <= _LARGEST_NUMBER else None


def _bool(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _prompt(value: object) -> str | None:
    return _plain_text(value, "prompt", _LONGEST_PASSAGES) if isinstance(value, str) else None


# By field, what reads its value, and how an error names what is expected.
_READERS = {
    "input_tokens": (_count, "a count"),
    "output_tokens": (_count, "a count"),
    "cost": (_amount, "a finite number of at least 0"),
    "tokens_estimated": (_bool, "a bool"),
    "dropped_tokens": (_count, "a count"),
    "cut_off": (_bool, "a bool"),
    "prompt": (_prompt, "a str"),
}
_SCORE_READER = (_number, "a finite number")


def _read(thing: object, name: str) -> Any:
    """Return the value of a field of an answer, or of a passage's score; None if it has none.

    Raises:
        AgentError: when it has a value of another kind.
    """
    value = _field(thing, name)
    if value is None:
        return None
    read, expected = _SCORE_READER if name == "score" else _READERS[name]
    checked = read(value)
    if checked is None:
        raise AgentError(f"{name} is {_excerpt(value)}; expected {expected} or None")
    return checked


def _field(value: object, name: str) -> object:
    """Return an entry of a mapping, or else an attribute; None if there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _excerpt(value: object) -> str:
    """Return the kind of a value and the beginning of its representation, without secrets."""
    if value is None:
        return "None"
    # An address says nothing, and is another one each time. The text is cut twice: first, since it
    # can be huge; to its length only without secrets, so that none is cut in half and so missed.
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value)[:_LONGEST_ERROR])
    return f"{type(value).__name__} {redact(text)[:_LONGEST_EXCERPT]}"


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
    """Return whether an error can be raised again without ending or hanging the run."""
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
    text = _said_by(original)
    return f"{kind}: {text}" if text else kind


def describe_in_a_line(error: BaseException) -> str:
    """Return an error in a line: its kind, if it is none of ours, and its text without secrets."""
    message = _said_by(error) if isinstance(error, MabenchError) else describe_error(error)
    return printable(redact(" ".join(redact(message).split())))[:_LONGEST_LINE]


def summarize_error(error: BaseException) -> str:
    """Return an error's kind and message in one line, and which line of the user's led to it."""
    summary = " ".join(redact(describe_error(error)).split())[:_LONGEST_MESSAGE]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not _NOT_THE_USERS.search(frame.filename):
            return f"{summary} ({Path(frame.filename).name}, line {frame.lineno})"
    return summary


def message_of(error: BaseException) -> str:
    """Return the message of an error in one line; its kind if it has none."""
    return " ".join(redact(_said_by(error)).split())[:_LONGEST_MESSAGE] or type(error).__name__
