"""Lets a language model judge the answers of a run, and stores its verdicts in the run's folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mabench.models import Call, CallLog, CallPhase, ReadingModel, current_log
from mabench.printable import printable
from mabench.progress import NoProgress, Progress
from mabench.redact import redact
from mabench.results.judging.asking import ask_judge
from mabench.results.judging.calibration.kept import KeptCalibrations
from mabench.results.judging.calibration.requirement import Requirement
from mabench.results.judging.cases import JudgingCase, open_cases
from mabench.results.judging.sitting import Sitting
from mabench.results.records.lines import CallRecord, Judgment
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.specs import JudgeSpec
from mabench.tasks.interrupt import RunInterrupt


class Judging(NamedTuple):
    """What judging a run came to."""

    run: Run
    failures: int  # How many answers the judge gave no verdict on.
    spent: float  # US dollars paid for its replies; 0 when prices are unknown.


def judge(
    run_folder: str | Path,
    spec: JudgeSpec,
    progress: Progress | None = None,
    requirement: Requirement | None = None,
) -> Judging:
    """Add a judge's verdicts to a run; answers that it has judged before are left alone.

    Args:
        run_folder: the run, which keeps the calibration that was required.
        spec: the judge.
        progress: is told how it goes.
        requirement: what the judge must have shown before.

    Raises:
        DataError: when the run or its data set cannot be read, or the data set is another.
        UsageError: when nothing takes a judge, ``spec`` is wrong, the run is in use, or the judge
            has not shown what is required.
        MissingPackageError: when the package that the model needs is not installed.
        ModelUnavailableError: when the model's server is not there, or refuses key or model.
        JudgingStoppedError: when ``spec.max_cost`` is reached too early, or the server is gone.
        RunInterrupt: when a signal stopped it.
    """
    folder = RunFolder(Path(run_folder))
    folder.record()  # Raises if there is no run, before owning would make a folder.
    with folder.own():
        folder.repair()
        if requirement is not None:
            requirement.check(folder, spec)
            KeptCalibrations.of(folder.path).keep(folder.path, requirement.calibration)
        return _judge(folder, spec, progress or NoProgress())


def _judge(folder: RunFolder, spec: JudgeSpec, progress: Progress) -> Judging:
    """Judge the answers of a run whose folder is owned, and write its summary anew.

    The summary is written also if judging stops. Raises as ``judge``.
    """
    cases = open_cases(folder, spec)
    pending = [case for case in cases if case.pending]
    sitting = Sitting.open(spec, progress)
    sitting.check_server(request for case in pending for request in case.requests)
    client = _JudgeClient(folder, sitting.model)
    try:
        sitting.judge_all(pending, client.judge, _name, done=len(cases) - len(pending))
    finally:
        run = Run.summarize(folder)
    if sitting.stop.by_signal:
        raise RunInterrupt(folder.path, sitting.stop.signal)
    sitting.check_complete(len(pending), len(cases))
    return Judging(run, sitting.failures, sitting.model.spent)


def _name(case: JudgingCase) -> str:
    """Return what names an answer in messages."""
    sample = case.sample
    place = printable(redact(f"{sample.source}, row {sample.row}"))
    return f"{place}, question {sample.question_index}"


@dataclass
class _JudgeClient:
    """A judge's model, which judges answers of a run and stores its verdicts there."""

    folder: RunFolder
    model: ReadingModel

    async def judge(self, case: JudgingCase) -> str | None:
        """Judge an answer and store the judgment; return why it has no verdict, None if it has."""
        sample = case.sample

        def store_call(call: Call) -> None:
            place = {"split": sample.split, "row": sample.row, "source": sample.source}
            self.folder.append_call(CallRecord.of(call, **place))

        # The calls of the model in this task are stored with the question that they are about.
        current_log.set(CallLog(store_call, CallPhase("judging", sample.question_index), "judge"))
        judgment = await self._judge(case)
        self.folder.append_judgment(judgment)
        return judgment.error

    async def _judge(self, case: JudgingCase) -> Judgment:
        """Ask the judge about an answer, and return its judgment.

        The official score is by the published reading of the first replies, or by the published
        score of the verdict, where a rubric has either.
        """
        sample, rubric = case.sample, case.rubric
        result = await ask_judge(self.model, case.requests)
        judgment = Judgment(
            *sample.key,
            source=sample.source,
            model=case.judge.model,
            prompts=case.judge.prompts,
            answer=sample.answer_hash,
        )
        if result.replies:
            judgment = replace(judgment, words=result.words, requests=len(result.replies))
        has_all_replies = bool(result.first) and len(result.first) == len(case.requests)
        if rubric.official and has_all_replies:
            judgment = replace(judgment, official=rubric.official(result.first))
        if result.error:
            return replace(judgment, error=result.error)
        if rubric.published:
            judgment = replace(judgment, official=rubric.published(result.verdict))
        return replace(judgment, verdict=result.verdict, value=rubric.value(result.verdict))
