"""How retrieved passages are stored: by the chunk they repeat, else by their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mabench.agents import Passage
from mabench.dataset import Question
from mabench.runs.evidence import Evidence


class Retrieved:
    """Writes down passages against the chunks that the agent was told.

    Chunks can be made again from the data and the protocol, so a passage that repeats one is
    stored as its index; a run over thousands of questions stays small that way.
    """

    def __init__(self, told: Sequence[str], evidence: Evidence) -> None:
        self._evidence = evidence
        self._index = {chunk: index for index, chunk in enumerate(told)}

    def records(self, passages: Iterable[str | Passage]) -> list[dict[str, Any]]:
        """Return a record for each passage: ``chunk`` or ``text``, and ``score`` when known."""
        return [self._record(passage) for passage in passages]

    def evidence_recall(
        self, question: Question, passages: Iterable[str | Passage]
    ) -> float | None:
        """Return whether the passages hold evidence, as ``Evidence.recall`` does."""
        return self._evidence.recall(question.question_index, passages)

    def _record(self, passage: str | Passage) -> dict[str, Any]:
        text, score = (passage, None) if isinstance(passage, str) else (passage.text, passage.score)
        index = self._index.get(text)
        record: dict[str, Any] = {"text": text} if index is None else {"chunk": index}
        return record if score is None else {**record, "score": score}
