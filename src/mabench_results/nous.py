"""nous's lines of MemoryAgentBench: an answer a line, with an official and a judged verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.formats import GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_lines

_FIELDS = {"instance_id", "qa_pair_id", "answer", "golds"}


def _recognizes(glimpse: Glimpse) -> bool:
    first = glimpse.first_line
    return first is not None and first.keys() >= _FIELDS


def _read(path: Path) -> Iterator[GivenRun]:
    yield GivenRun(name="", answers=tuple(_answer(line) for line in read_lines(path)))


def _answer(line: Item) -> GivenAnswer:
    error = line["error"].optional_text()
    correct = line["correct"]
    counted = None if correct.value is None else float(correct.flag())
    return GivenAnswer(
        place=line.file,
        text=None if error else line["answer"].optional_text(),
        failure=error,
        source=line["source"].text(),
        history=line["instance_id"].optional_text(),
        question_id=line["qa_pair_id"].text(),
        prompt=line["prompt"].optional_text(),
        golds=line["golds"].golds(),
        verdicts=_verdicts(line),
        counted=counted,
    )


def _verdicts(line: Item) -> tuple[GivenVerdict, ...]:
    judged = line["judge_correct"]
    if judged.value is None:
        return ()
    judge = line["judge_model"].optional_text() or "unknown"
    return (GivenVerdict(judge=judge, value=float(judged.flag())),)


FORMAT = ResultFormat(
    published="results.jsonl with `instance_id` and `golds`",
    harness="nous-memoryAgentBench",
    recognizes=_recognizes,
    read=_read,
    identity="`source` and `qa_pair_id`; where rows share ids, the golds and `prompt`",
    failed="`error` is set, or `answer` is null",
    verdicts="`judge_correct` by `judge_model`; `correct` is the file's own metric",
)
