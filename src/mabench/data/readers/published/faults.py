"""What the readers of published files share: fields with their types, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from mabench.data.problems import Problem, shown
from mabench.data.records import Record

T = TypeVar("T")

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
    """Return ``value`` if it is of the type ``kind``; raises as ``field_of`` does."""
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    found = shown(value) if there else "nothing"
    expected = f"{_NAMES[kind]}; copy or download the file again"
    raise FieldError(record.error(place, found, expected))


def answer_text(record: Record, value: Any, place: str) -> str:
    """Return a gold as text; one that is a number is its text. Raises as ``field_of`` does."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return of_type(record, value, place, str)


def left_out(record: Record, counts: Mapping[str, int], why: str) -> Iterator[Problem]:
    """Yield a warning that counts what of an object is no part of its row, if anything."""
    known = [f"{count} {name}" for name, count in counts.items() if count]
    if known:
        yield record.warning(None, f"{', '.join(known)}, left out", why)


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
