"""From questions with golds to the content of a row in the official schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from mabench.data.schema import Metadata, RowContent
from mabench.errors import UsageError
from mabench_synthetic.language.english import sentence


class QAPair(NamedTuple):
    """A question, its acceptable answers, and the statements of the history that it rests on."""

    question: str
    answers: tuple[str, ...]
    rests_on: tuple[str, ...] = ()


def distinct(pairs: Iterable[QAPair], count: int) -> list[QAPair]:
    """Return the first ``count`` pairs with different questions.

    Raises:
        UsageError: when there are fewer.
    """
    by_question: dict[str, QAPair] = {}
    for pair in pairs:
        if len(by_question) == count:
            break
        by_question.setdefault(pair.question, pair)
    if len(by_question) < count:
        raise UsageError(
            f"so short a row holds only {len(by_question)} different questions, not {count}; ask "
            "for that many at most, or for more tokens"
        )
    return list(by_question.values())


def row_content(
    source: str,
    context: str,
    pairs: Sequence[QAPair],
    *,
    id_stem: str = "",
    first_id: int = 0,
    **metadata: Any,
) -> RowContent:
    """Put ``pairs`` over ``context`` into a row; ids are ``<id_stem or source>_no<i>``."""
    evidence = None
    if any(pair.rests_on for pair in pairs):
        evidence = [[_quote(context, text) for text in pair.rests_on] for pair in pairs]
    ids = [f"{id_stem or source}_no{first_id + i}" for i in range(len(pairs))]
    return RowContent(
        context=context,
        questions=[pair.question for pair in pairs],
        answers=[list(pair.answers) for pair in pairs],
        metadata=cast(Metadata, {"source": source, "qa_pair_ids": ids, **metadata}),
        evidence=evidence,
    )


def _quote(context: str, statement: str) -> str:
    """Return a statement as it stands in the context, where it may begin a sentence."""
    return next(text for text in (statement, sentence(statement)) if text in context)
