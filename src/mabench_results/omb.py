"""The agent-memory-benchmark (``omb``): one file a run, plain or compressed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.locomo_questions import SOURCE as LOCOMO
from mabench_results.locomo_questions import read_own_id
from mabench_results.longmemeval import SOURCE as LONGMEMEVAL
from mabench_results.longmemeval import is_unanswerable

_FIELDS = {"memory_provider", "total_queries", "accuracy", "results"}
# LoCoMo's categories by the names that this harness gives them. They are not LoCoMo's own names:
# its file calls number 1 multi-hop, which is ``single-hop`` here.
_CATEGORIES = {
    "single-hop": "multi-hop",
    "temporal": "temporal",
    "multi-hop": "open-domain",
    "open-domain": "single-hop",
}


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and document.keys() >= _FIELDS


def _read(path: Path) -> Iterator[GivenRun]:
    document = read_document(path)
    judge = document["judge_llm"].optional_text() or "unknown"
    dataset = document["dataset"].text().lower()
    answers = tuple(_answer(item, dataset, judge) for item in document["results"].items())
    claim = Claim(
        what="accuracy",
        value=document["accuracy"].number(),
        questions=document["total_queries"].whole_number(),
    )
    name = document["memory_provider"].text()
    yield GivenRun(name=name, answers=answers, claims=(claim,))


def _answer(item: Item, dataset: str, judge: str) -> GivenAnswer:
    query_id, correct = item["query_id"].text(), float(item["correct"].flag())
    own_id = read_own_id(query_id)
    if own_id:
        source = LOCOMO
    elif "longmemeval" in dataset:
        source = LONGMEMEVAL
    else:
        source = dataset
    text = item["answer"].optional_text()
    words = item["judge_reason"].optional_text()
    return GivenAnswer(
        place=str(item),
        text=text or None,
        failure=None if text else "no answer",
        source=source,
        question_id=own_id or query_id,
        history=own_id.rpartition("_q")[0] if own_id else None,
        question=item["query"].text(),
        golds=item["gold_answers"].golds(),
        question_type=_question_type(item["meta"], is_locomo=own_id is not None),
        is_unanswerable=source == LONGMEMEVAL and is_unanswerable(query_id),
        verdicts=(GivenVerdict(judge=judge, value=correct, words=words),),
        counted=correct,
    )


def _question_type(meta: Item, *, is_locomo: bool) -> str | None:
    """Return the type of a question, of LoCoMo the category by its own name."""
    if meta.value is None:
        return None
    if is_locomo:
        category = meta["category"]
        if category.value not in _CATEGORIES:
            raise category.fault(f"one of {', '.join(_CATEGORIES)}")
        return _CATEGORIES[category.value]
    return meta["question_type"].optional_text()


FORMAT = ResultFormat(
    published="<split>.json or .json.gz, an object with `memory_provider` and `results`",
    harness="agent-memory-benchmark (omb)",
    recognizes=_recognizes,
    read=_read,
    identity="`query_id`: for LoCoMo `<sample_id>_q<question>`, else the benchmark's own id",
    failed="an empty answer",
    verdicts="`correct` with `judge_reason`, by `judge_llm`; an unreadable reply counts as correct",
)
