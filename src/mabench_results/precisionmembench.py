"""PrecisionMemBench's reports: what each provider retrieved; they hold no answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import Claim, GivenAnswer, GivenRun, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document

_FIELDS = {"provider", "retrieval", "cases"}


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and document.keys() >= _FIELDS


def _read(path: Path) -> Iterator[GivenRun]:
    document = read_document(path)
    retrieval = document["retrieval"]
    claim = Claim(
        what="passRate",
        value=retrieval["passRate"].number(),
        questions=retrieval["totalCases"].optional_whole_number(),
    )
    yield GivenRun(
        name=document["provider"].text(),
        answers=tuple(map(_case, document["cases"].items())),
        claims=(claim,),
        has_no_answers=True,
    )


def _case(item: Item) -> GivenAnswer:
    turn = item["turnIndex"].optional_whole_number()
    case_id = item["caseId"].text()
    return GivenAnswer(
        place=str(item),
        text=None,
        question_id=case_id if turn is None else f"{case_id}, turn {turn}",
        question_type=item["category"].optional_text(),
        counted=float(item["passed"].flag()),
    )


FORMAT = ResultFormat(
    published="retrieval-report-<provider>.json",
    harness="PrecisionMemBench",
    recognizes=_recognizes,
    read=_read,
    identity="`caseId`, with `turnIndex` in sessions",
    failed="missing: a case whose adapter failed is left out",
    verdicts="`passed`, by the benchmark's own rule; no answers",
)
