"""From questions with golds to the content of a row in the official schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mabench.dataset.schema import Metadata, RowContent


class Item(NamedTuple):
    """A question and its acceptable answers."""

    question: str
    answers: tuple[str, ...]


def row_content(
    source: str, context: str, items: Sequence[Item], *, id_stem: str = "", **metadata: Any
) -> RowContent:
    """Put ``items`` over ``context`` into a row; ids are ``<id_stem or source>_no<i>``."""
    ids = [f"{id_stem or source}_no{i}" for i in range(len(items))]
    return RowContent(
        context=context,
        questions=[item.question for item in items],
        answers=[list(item.answers) for item in items],
        metadata=Metadata(source=source, qa_pair_ids=ids, **metadata),
    )
