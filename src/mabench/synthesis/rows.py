"""From questions with golds to the content of a row in the official schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mabench.data.schema import Metadata, RowContent
from mabench.errors import UsageError


class Item(NamedTuple):
    """A question and its acceptable answers."""

    question: str
    answers: tuple[str, ...]


def different(items: Iterable[Item], count: int) -> list[Item]:
    """Return the first ``count`` items with different questions.

    Raises:
        UsageError: when there are fewer.
    """
    found: dict[str, Item] = {}
    for item in items:
        if len(found) == count:
            break
        found.setdefault(item.question, item)
    if len(found) < count:
        raise UsageError(
            f"so short a row holds only {len(found)} different questions, not {count}; ask for "
            "fewer questions or more tokens"
        )
    return list(found.values())


def row_content(
    source: str,
    context: str,
    items: Sequence[Item],
    *,
    id_stem: str = "",
    first_id: int = 0,
    **metadata: Any,
) -> RowContent:
    """Put ``items`` over ``context`` into a row; ids are ``<id_stem or source>_no<i>``."""
    ids = [f"{id_stem or source}_no{first_id + i}" for i in range(len(items))]
    return RowContent(
        context=context,
        questions=[item.question for item in items],
        answers=[list(item.answers) for item in items],
        metadata=Metadata(source=source, qa_pair_ids=ids, **metadata),
    )
