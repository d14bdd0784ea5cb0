"""LongMemEval's hypotheses, and the same lines with the labels of its judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document, read_lines

SOURCE = "longmemeval"
# What the ids of questions hold that nothing in the history answers.
_UNANSWERABLE = "_abs"


def _recognizes(glimpse: Glimpse) -> bool:
    first = glimpse.first_line or glimpse.first_item
    return first is not None and first.keys() >= {"question_id", "hypothesis"}


def _read(path: Path) -> Iterator[GivenRun]:
    is_list = Glimpse(path).first_item is not None
    lines = read_document(path).items() if is_list else read_lines(path)
    yield GivenRun(name="", answers=tuple(map(_answer, lines)))


def _answer(line: Item) -> GivenAnswer:
    verdict = _verdict(line["autoeval_label"])
    question_id = line["question_id"].text()
    return GivenAnswer(
        place=str(line),
        text=line["hypothesis"].optional_text(),
        source=SOURCE,
        question_id=question_id,
        is_unanswerable=is_unanswerable(question_id),
        verdicts=(verdict,) if verdict else (),
        counted=verdict.value if verdict else None,
    )


def is_unanswerable(question_id: str) -> bool:
    """Return whether the right answer to a question of LongMemEval is that nothing is known."""
    return _UNANSWERABLE in question_id


def _verdict(label: Item) -> GivenVerdict | None:
    if label.value is None:
        return None
    judge = label["model"].optional_text() or "unknown"
    return GivenVerdict(judge=judge, value=float(label["label"].flag()))


FORMAT = ResultFormat(
    published="hypotheses, an object a line with `question_id` and `hypothesis`, judged or not",
    harness="LongMemEval's published code",
    recognizes=_recognizes,
    read=_read,
    identity="`question_id`",
    failed="missing: an exception while answering writes no line",
    verdicts="`autoeval_label.label` by `autoeval_label.model`",
)
