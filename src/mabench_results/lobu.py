"""lobu's reports of LongMemEval questions, and the files of verdicts that judges give on them.

A report holds several systems and trials. A file of verdicts names systems and questions, and
trials by their order alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.errors import DataError
from mabench.formats import Claim, GivenAnswer, GivenRun, GivenVerdict, Glimpse, Item, ResultFormat
from mabench_results.documents import read_document
from mabench_results.longmemeval import SOURCE, is_unanswerable

# Files of this name hold a judge's verdict where others hold the run's own substring match.
_REGRADED = ".regraded."


def _recognizes(glimpse: Glimpse) -> bool:
    document = glimpse.document
    return isinstance(document, dict) and isinstance(document.get("systems"), list)


def _read(path: Path) -> Iterator[GivenRun]:
    """Yield a run for each trial of each system; a file of verdicts names its judge."""
    document = read_document(path)
    judge = document["judgeModel"].optional_text()
    for system in document["systems"].items():
        name = system["systemId"].text()
        for number, trial in enumerate(system["trials"].items(), start=1):
            run_name = f"{name}, trial {number}"
            if judge is not None:
                yield _run_of_verdicts(run_name, trial, judge)
            else:
                yield _run_of_answers(run_name, trial, is_regraded=_REGRADED in path.name)


def _run_of_answers(name: str, trial: Item, *, is_regraded: bool) -> GivenRun:
    summary = trial["summary"]
    claim = Claim(
        what="answerAccuracy",
        value=summary["answerAccuracy"].number(),
        questions=summary["questionCount"].optional_whole_number(),
    )
    questions = trial["questions"].items()
    answers = tuple(_answer(question, is_regraded=is_regraded) for question in questions)
    return GivenRun(name=name, answers=answers, claims=(claim,))


def _answer(question: Item, *, is_regraded: bool) -> GivenAnswer:
    correct = question["score"]["answerCorrect"].number()
    text = question["answer"].optional_text()
    return GivenAnswer(
        place=str(question),
        text=text or None,
        failure=None if text else "no answer",
        source=SOURCE,
        history=question["scenarioId"].text(),
        question_id=question["questionId"].text(),
        question=question["prompt"].text(),
        golds=question["expectedAnswers"].golds(),
        question_type=question["category"].optional_text(),
        is_unanswerable=is_unanswerable(question["questionId"].text()),
        verdicts=(GivenVerdict(value=correct),) if is_regraded else (),
        counted=correct,
    )


def _run_of_verdicts(name: str, trial: Item, judge: str) -> GivenRun:
    """Return the verdicts on a trial whose answers are in another file, by ``verdict_key``."""
    verdicts: dict[str, GivenVerdict] = {}
    for question in trial["questions"].items():
        key = f"{question['scenarioId'].text()}\t{question['questionId'].text()}"
        if key in verdicts:
            raise DataError(f"{question}: a second verdict on {key!r}; remove one of them")
        verdicts[key] = GivenVerdict(judge=judge, value=question["verdict"].optional_number())
    return GivenRun(name=name, answers=(), verdicts_elsewhere=verdicts)


FORMAT = ResultFormat(
    published="a report, an object with `systems`, and files of verdicts with `judgeModel`",
    harness="lobu's agent-memory-benchmark",
    recognizes=_recognizes,
    read=_read,
    identity="`questionId`, LongMemEval's; verdicts by system, order of trials and `scenarioId`",
    failed="an empty answer",
    verdicts="`verdict` by `judgeModel`; `score.answerCorrect` is a substring match, or a verdict "
    "in `*.regraded.json`",
)
