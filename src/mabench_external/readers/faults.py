"""What the readers of published files share: fields with their types, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mabench.data.records import EXPECTED, TEXT, Problem, Record, describe
from mabench.json_text import has_surrogates
from mabench_external.readers.turns import Turn

T = TypeVar("T")

# Fields of one reason that are named with their counts; of more, a few names alone.
_MOST_NAMED = 8
_FEW_NAMED = 4
_NAMES: Mapping[type, str] = {
    str: "a string",
    list: "a list",
    dict: "an object",
    int: "a whole number",
}


class FieldError(ValueError):
    """A field of an object is not what its format says; ``problem`` names it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def field_of(record: Record, holder: Mapping[str, Any], place: str, kind: type[T]) -> T:
    """Return the field of ``holder`` that the last part of ``place`` names.

    Args:
        record: the object of the file, for the error.
        holder: the part of it that has the field.
        place: where the field stands in the object, such as ``qa[3].question``.
        kind: the type that it must have.

    Raises:
        FieldError: when it is missing or of another type.
    """
    name = place.rpartition(".")[2]
    return of_type(record, holder.get(name), place, kind, there=name in holder)


def of_type(record: Record, value: Any, place: str, kind: type[T], *, there: bool = True) -> T:
    """Return ``value`` if it is of the type ``kind``; raises as ``field_of`` does.

    ``place`` is empty where the whole object is meant.
    """
    if isinstance(value, kind) and not isinstance(value, bool):
        if isinstance(value, str) and has_surrogates(value):
            raise FieldError(record.error(place, describe(value), EXPECTED["string_unicode"]))
        return value
    found = describe(value) if there else "nothing"
    expected = f"{_NAMES[kind]}; copy or download the file again"
    raise FieldError(record.error(place or None, found, expected))


def answer_text(record: Record, holder: Mapping[str, Any], place: str) -> str:
    """Return a gold as text; one that is a number is its text. Raises as ``field_of`` does."""
    value = holder.get(place.rpartition(".")[2])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise FieldError(record.error(place, describe(value), "a string or a number"))
    return _not_blank(record, field_of(record, holder, place, str), place)


def question_text(record: Record, holder: Mapping[str, Any], place: str) -> str:
    """Return the question in a field, which is not blank. Raises as ``field_of`` does."""
    return _not_blank(record, field_of(record, holder, place, str), place)


def _not_blank(record: Record, text: str, place: str) -> str:
    if not text.strip():
        raise FieldError(record.error(place, describe(text), TEXT))
    return text


def left_out(
    record: Record, counts: Mapping[str, int], kept: Mapping[str, str], otherwise: str
) -> Iterator[Problem]:
    """Yield warnings that count what of an object is no part of its row, one for each reason.

    Args:
        record: the object.
        counts: how often each field, or other thing, was left out.
        kept: what a row has in their place, by the name of the field.
        otherwise: what it has in place of all other fields.
    """
    reasons: dict[str, dict[str, int]] = {}
    for name, count in counts.items():
        if count:
            reasons.setdefault(kept.get(name, otherwise), {})[name] = count
    for reason, names in reasons.items():
        listed = ", ".join(f"{count} {name}" for name, count in names.items())
        if len(names) > _MOST_NAMED:
            first = ", ".join([*names][:_FEW_NAMED])
            listed = f"{sum(names.values())} fields of {len(names)} names ({first}, ...)"
        yield record.warning(None, f"{listed}, left out", reason)


def check_turns(record: Record, turns: Sequence[Turn]) -> Iterator[Problem]:
    """Yield a warning where several turns have one id, so that evidence means the last of them.

    Raises:
        FieldError: when there is no turn at all.
    """
    if not turns:
        expected = "at least one turn; copy or download the file again"
        raise FieldError(record.error(None, "a history in which nothing is said", expected))
    twice = [name for name, count in Counter(turn["id"] for turn in turns).items() if count > 1]
    if twice:
        found = (
            f"{describe(twice[0])} and {len(twice) - 1} more" if twice[1:] else describe(twice[0])
        )
        yield record.warning(None, f"turns with the same id: {found}", "every id once")


def row_of(
    record: Record,
    split: str,
    read: Callable[[Record], tuple[dict[str, object], list[Problem]]],
) -> Iterator[Record | Problem]:
    """Yield the row that ``read`` makes of a record, after what is wrong with it.

    Args:
        record: the record.
        split: the split of the row.
        read: returns the content of the row and what was left out; raises a ``FieldError``.
    """
    try:
        content, problems = read(record)
    except FieldError as error:
        yield error.problem
        return
    yield from problems
    yield record._replace(split=split, content=content)
