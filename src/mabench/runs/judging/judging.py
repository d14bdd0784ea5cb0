"""Asking a language model for its verdict on the answers of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from mabench.data import Dataset, Row
from mabench.errors import DataError, UsageError
from mabench.families import JudgingInput, family_of, load_prompts
from mabench.loading import load
from mabench.models import Model
from mabench.runs.engine.loops import run_to_end
from mabench.runs.judging.client import Case, JudgeClient, judgment_of
from mabench.runs.records.judgments import Judgment, by_judge
from mabench.runs.records.sample import Key, Sample, key_of
from mabench.runs.records.store import RunFolder
from mabench.runs.results.run import Run
from mabench.runs.results.summary import summarize


class JudgeWatch(Protocol):
    """Told how judging goes, to show it."""

    def judging_started(self, answers: int, judged: int) -> None:
        """So many answers are to be judged, some of which this judge has judged before."""

    def answer_judged(self, judgment: Judgment) -> None:
        """A verdict, or the lack of one, is stored."""


def judge(
    path: str | Path,
    model: Model,
    *,
    data: str | None = None,
    prompts: str | Path | None = None,
    concurrency: int = 8,
    watch: JudgeWatch | None = None,
) -> Run:
    """Add a judge's verdicts to a run; answers that it has judged before are left alone.

    Args:
        path: the run folder.
        model: the judge; it is closed at the end.
        data: the run's data set, if it is no longer where the run found it.
        prompts: a TOML file of prompts that replace ours; the roles begin with ``judge``.
        concurrency: how many answers are judged at a time.
        watch: told how it goes.

    Raises:
        DataError: when the run or its data set cannot be read, or the data set is another.
        UsageError: when no answer of the run takes a judge, or the prompts are wrong.
    """
    folder = RunFolder(Path(path))
    folder.repair()
    wording = load_prompts(Path(prompts) if prompts else None)
    cases = _cases(folder, load(data or _location(folder), offline=True))
    court = JudgeClient(model, wording)
    pending = _pending(folder, court, cases)
    if watch:
        watch.judging_started(len(cases), len(cases) - len(pending))

    def written(judgment: Judgment) -> None:
        folder.append_judgment(judgment)
        if watch:
            watch.answer_judged(judgment)

    try:
        run_to_end(_judge_all(court, pending, concurrency, written))
    finally:
        folder.write_summary(summarize(folder))
    return Run(folder.path)


def _location(folder: RunFolder) -> str:
    location: str | None = folder.settings()["data"]["location"]
    if location is None:
        raise UsageError(f"{folder.path}: the run's data came from memory; name it with --data")
    return location


def _cases(folder: RunFolder, dataset: Dataset) -> list[Case]:
    """Return every answer that takes a judge, with what the data set holds about it."""
    settings = folder.settings()
    recorded = settings["data"]["fingerprint"]
    if dataset.fingerprint != recorded:
        raise DataError(
            f"{dataset.name}: not the data of {folder.path} (fingerprint {dataset.fingerprint[:12]}"
            f", the run's is {recorded[:12]}); name the right data with --data"
        )
    sources = [name for name in settings["questions"] if family_of(name).judge]
    if not sources:
        raise UsageError(f"{folder.path}: no source of this run takes a judge")
    samples = {sample.key: sample for sample in folder.samples()}
    return [case for row in dataset.rows(sources) for case in _cases_of(row, samples)]


def _cases_of(row: Row, samples: Mapping[Key, Sample]) -> Iterator[Case]:
    family = family_of(row.source)
    for question in row.flatten():
        sample = samples.get(key_of(question))
        if sample is None or sample.prediction is None or family.judge is None:
            continue  # Not answered: there is nothing to judge, and it counts as wrong.
        judged = JudgingInput(
            question.question,
            question.answers,
            sample.prediction,
            question.question_id,
            question.question_type,
            row.metadata.keypoints or (),
        )
        yield Case(sample, judged, family.name, family.judge)


def _pending(folder: RunFolder, court: JudgeClient, cases: Sequence[Case]) -> list[Case]:
    """Return the answers on which this judge has given no verdict yet."""
    known = by_judge(folder.judgments(), (case.sample for case in cases))
    given = {
        (judge, key)
        for judges in known.values()
        for judge, verdicts in judges.items()
        for key, judgment in verdicts.items()
        if judgment.error is None
    }
    return [case for case in cases if (court.name(case), case.sample.key) not in given]


async def _judge_all(
    court: JudgeClient, cases: Sequence[Case], concurrency: int, written: Callable[[Judgment], None]
) -> None:
    places = asyncio.Semaphore(concurrency)

    async def one(case: Case) -> None:
        async with places:
            written(await judgment_of(court, case))

    try:
        async with asyncio.TaskGroup() as tasks:
            for case in cases:
                tasks.create_task(one(case))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    finally:
        await court.model.close()
