"""What agents and memories return, brought into one form and checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import NamedTuple

from mabench.contract.interfaces import Answer, Passage
from mabench.errors import MabenchError

_EXPECTED = "expected a str, an Answer, or an object or mapping with a str field 'text'"


class AgentError(MabenchError):
    """An agent, a memory or a reader returned something that cannot be used."""


class Stats(NamedTuple):
    """How many memories a memory holds and how many bytes they take; None where unknown."""

    memories: int | None = None
    bytes: int | None = None


def answer_of(result: object) -> Answer:
    """Return what an agent answered as an :class:`Answer`.

    Accepts a string, an ``Answer``, and any mapping or object with the fields of one, of which
    only ``text`` is required.

    Raises:
        AgentError: for anything else, saying what was returned and what is expected.
    """
    if isinstance(result, str):
        return Answer(str(result))
    return Answer(
        text=_text_of(result, "the answer"),
        retrieved=passages_of(_field(result, "retrieved") or ()),
        input_tokens=_count(result, "input_tokens"),
        output_tokens=_count(result, "output_tokens"),
        cost=_amount(result, "cost"),
        tokens_estimated=_flag(result, "tokens_estimated"),
        dropped_tokens=_count(result, "dropped_tokens"),
    )


def passages_of(result: object) -> list[Passage]:
    """Return what a memory found, or an agent says that it found, as passages.

    Each may be a string, a ``Passage``, or a mapping or an object with a ``text``.

    Raises:
        AgentError: when ``result`` is no sequence of such things.
    """
    if isinstance(result, str | bytes | Mapping) or not isinstance(result, Iterable):
        raise AgentError(f"passages are {_shown(result)}; expected a sequence of str or Passage")
    return [_passage_of(item) for item in result]


def stats_of(result: object) -> Stats:
    """Return what ``stats()`` returned as a :class:`Stats`.

    The figures are for diagnosis alone, so what is no count is taken for unknown.
    """
    if not isinstance(result, Mapping):
        return Stats()
    return Stats(*(_whole(result.get(name)) for name in Stats._fields))


def _passage_of(item: object) -> Passage:
    if isinstance(item, str):
        return Passage(str(item))
    return Passage(_text_of(item, "a passage"), _number(item, "score"))


def _text_of(value: object, what: str) -> str:
    text = _field(value, "text")
    if not isinstance(text, str):
        raise AgentError(f"{what} is {_shown(value)}; {_EXPECTED}")
    return str(text)


def _count(result: object, name: str) -> int | None:
    value = _field(result, name)
    if value is None:
        return None
    count = _whole(value)
    if count is None:
        raise AgentError(f"{name} of the answer is {_shown(value)}; expected a count or None")
    return count


def _whole(value: object) -> int | None:
    """Return a whole number of at least 0; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        return None
    return int(value)


def _flag(result: object, name: str) -> bool | None:
    value = _field(result, name)
    if value is not None and not isinstance(value, bool):
        raise AgentError(f"{name} of the answer is {_shown(value)}; expected a bool or None")
    return value


def _amount(result: object, name: str) -> float | None:
    value = _number(result, name)
    if value is not None and value < 0:
        raise AgentError(f"{name} of the answer is {value}; expected no less than 0")
    return value


def _number(result: object, name: str) -> float | None:
    value = _field(result, name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise AgentError(f"{name} is {_shown(value)}; expected a finite number or None")
    return float(value)


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _shown(value: object) -> str:
    """Show a value in a message: its type, and its start when that helps."""
    if value is None:
        return "None"
    return f"{type(value).__name__} {repr(value)[:60]}"
