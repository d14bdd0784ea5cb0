"""Having a language model judge the answers of a run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from mabench.errors import MabenchError, UsageError
from mabench.models import Estimate, ReadingModel, estimate_calls, open_model
from mabench.progress import NoProgress, Progress
from mabench.runs.engine.calls import run_to_end
from mabench.runs.judging.cases import Docket, JudgeSpec, open_docket
from mabench.runs.judging.verdicts import MAX_TOKENS, CostReachedError, JudgeClient
from mabench.runs.records.judgments import Judgment
from mabench.runs.records.store import RunFolder
from mabench.runs.results.run import Run
from mabench.runs.results.summary import summarize
from mabench.text import estimate_tokens


class JudgingStoppedError(MabenchError):
    """The judge has cost as much as it may; what was judged is kept, and judging can resume."""


class Judging(NamedTuple):
    """What came of having a run judged.

    Attributes:
        run: the run, with the verdicts.
        failures: how many answers the judge gave no verdict on.
        spent: US dollars paid for its replies; 0 when prices are unknown.
    """

    run: Run
    failures: int
    spent: float


def judge(run_folder: str | Path, spec: JudgeSpec, progress: Progress | None = None) -> Judging:
    """Add a judge's verdicts to a run; answers that it has judged before are left alone.

    Args:
        run_folder: the run.
        spec: the judge.
        progress: told how far judging is.

    Raises:
        DataError: when the run or its data set cannot be read, or the data set is another.
        UsageError: when no answer of the run takes a judge, the prompts are wrong, there is no
            key for the model, or its price is unknown though its cost is limited.
        MissingPackageError: when the package that the model needs is not installed.
        ModelUnavailableError: when the model's server refuses all requests.
        JudgingStoppedError: when ``spec.max_cost`` is reached before every answer is judged.
    """
    folder = RunFolder(Path(run_folder))
    folder.repair()
    docket = open_docket(folder, spec)
    model = open_model(spec.model)
    if spec.max_cost is not None and model.price is None:
        raise UsageError(
            f"the price of {spec.model.name} is unknown, so its cost cannot be limited; name a "
            "file with it as `prices`",
            parameter="max_cost",
        )
    sitting = _Sitting(folder, model, docket, progress or NoProgress())
    try:
        run_to_end(sitting.judge_all(spec))
    finally:
        folder.write_summary(summarize(folder))
    left = len(docket.pending) - sitting.judged
    if left:
        raise JudgingStoppedError(
            f"judging stopped: ${model.spent:.4f} spent of ${spec.max_cost or 0:.4f}; "
            f"{left} of {len(docket.cases)} answers have no verdict yet"
        )
    return Judging(Run(folder.path), sitting.failures, model.spent)


def estimate_judging(run_folder: str | Path, spec: JudgeSpec) -> list[Estimate]:
    """Return what judging would take, by source, for the answers without this judge's verdict.

    No request is sent; one readable reply to each prompt is assumed.

    Raises:
        DataError, UsageError: as ``judge``.
    """
    docket = open_docket(RunFolder(Path(run_folder)), spec)
    tokens: dict[str, list[list[int]]] = {case.sample.source: [] for case in docket.cases}
    for case in docket.pending:
        prompts = case.rubric.prompts_for(case.input)
        texts = [docket.prompts.ask_judge(case.family, prompt) for prompt in prompts]
        tokens[case.sample.source].append([estimate_tokens(text) for text in texts])
    estimates = []
    for source, answers in tokens.items():
        calls = sum(map(len, answers))
        estimate = estimate_calls(
            spec.model, source, calls, sum(map(sum, answers)), calls * MAX_TOKENS
        )
        estimates.append(estimate._replace(answers=len(answers)))
    return estimates


class _Sitting:
    """Judges the pending answers and stores each verdict as it comes.

    Attributes:
        judged: how many answers have a verdict, or a stated failure, now.
        failures: how many of them have no verdict.
    """

    def __init__(
        self, folder: RunFolder, model: ReadingModel, docket: Docket, progress: Progress
    ) -> None:
        self.judged = 0
        self.failures = 0
        self._folder = folder
        self._model = model
        self._docket = docket
        self._progress = progress

    async def judge_all(self, spec: JudgeSpec) -> None:
        """Judge every pending answer, some at a time, until the money is spent."""
        pending, cases = self._docket.pending, len(self._docket.cases)
        done = cases - len(pending)
        self._progress.start("answers", cases, done, title="answers judged")
        self._progress.say(f"{cases} answers take a judge; {done} have its verdict already.")
        client = JudgeClient(spec.model, self._model, self._docket.prompts, spec.max_cost)
        waiting = iter(pending)

        async def judge_in_turn() -> None:
            for case in waiting:
                try:
                    self._store(await client.judgment(case))
                except CostReachedError:
                    return

        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(spec.model.requests_in_flight, len(pending))):
                    tasks.create_task(judge_in_turn())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await self._model.close()

    def _store(self, judgment: Judgment) -> None:
        self._folder.append_judgment(judgment)
        self.judged += 1
        self._progress.advance("answers", f"${self._model.spent:.2f}" if self._model.spent else "")
        if judgment.error:
            self.failures += 1
            place = f"row {judgment.row}, question {judgment.question_index}"
            self._progress.say(f"{judgment.source}, {place}: {judgment.error}")
