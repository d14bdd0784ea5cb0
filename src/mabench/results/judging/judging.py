"""Having a language model judge the answers of a run."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent import futures
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mabench.errors import MabenchError
from mabench.families import JudgePrompt, Verdict
from mabench.models import (
    Estimate,
    ModelError,
    ModelStoppedError,
    ModelUnavailableError,
    ReadingModel,
    Reply,
    ReplyNotKeptError,
    estimate_calls,
    open_kept,
    open_model,
)
from mabench.progress import NoProgress, Progress
from mabench.redact import redact
from mabench.results.judging.cases import Docket, JudgingCase, open_docket
from mabench.results.records.judgments import Judgment, answer_hash
from mabench.results.records.lock import owned
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.results.summary import summarize
from mabench.specs import JudgeSpec
from mabench.tasks import RunInterrupt
from mabench.tasks.loops import run_to_end
from mabench.tasks.outages import telling_outages
from mabench.tasks.stopping import Stop
from mabench.text import estimate_tokens

# The published judge's verdicts are a word; the room is for models that think aloud.
_MAX_TOKENS = 1024
# How many replies to one prompt may be unreadable, each to a request that is a little warmer.
_ATTEMPTS = 3
_WARMER = 0.4
_COST = "it has cost as much as it may"
# How much of an unreadable reply an error repeats, in characters.
_EXCERPT = 120


class JudgingStoppedError(MabenchError):
    """The judge has cost as much as it may, or its server has stopped answering.

    What was judged is kept, and judging can resume.

    Attributes:
        spent: US dollars paid for replies in this sitting.
        by_cost: whether it has cost as much as it may, so that it takes a higher limit.
        not_kept: whether it lacks a reply that would have to be kept.
    """

    def __init__(self, message: str, spent: float, by_cost: bool, not_kept: bool) -> None:
        super().__init__(message)
        self.spent = spent
        self.by_cost = by_cost
        self.not_kept = not_kept


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
            key for the model, its price is unknown though its cost is limited, or another
            process is writing in the run folder.
        MissingPackageError: when the package that the model needs is not installed.
        ModelUnavailableError: when the model's server is not there, or refuses key or model.
        JudgingStoppedError: when ``spec.max_cost`` is reached before every answer is judged, or
            the server has stopped answering.
        RunInterrupt: when a signal stopped it.
    """
    folder = RunFolder(Path(run_folder))
    folder.record()  # Complain before a folder is made to be owned.
    with owned(folder.path):
        folder.repair()
        return _judge(folder, spec, progress or NoProgress())


def _judge(folder: RunFolder, spec: JudgeSpec, progress: Progress) -> Judging:
    docket = open_docket(folder, spec)
    model = open_model(spec.model)
    stop = Stop()
    if spec.max_cost is not None:
        model.limit_spending(spec.max_cost, lambda: stop.ask(_COST))
    if _all_kept(model, docket, spec):
        model.preflight_later()
    else:
        run_to_end(model.preflight())
    client = JudgeClient(folder, model, docket, progress, stop)
    try:
        stop.run(client.judge_all(spec), progress, "The same command resumes it.")
    except (asyncio.CancelledError, futures.CancelledError):
        stop.ask("its work was cancelled")
    finally:
        summary = summarize(folder)
        folder.write_summary(summary)
    if stop.by_signal:
        raise RunInterrupt(folder.path, stop.signal)
    left = len(docket.pending) - client.judged
    if left:
        reason, by_cost = stop.reason, stop.reason == _COST
        if by_cost:
            reason = f"${model.spent:.4f} spent of ${spec.max_cost or 0:.4f}"
        raise JudgingStoppedError(
            f"judging stopped: {reason}; {left} of {len(docket.cases)} answers have no verdict yet",
            model.spent,
            by_cost,
            stop.not_kept,
        )
    return Judging(Run(folder.path, summary, folder), client.failures, model.spent)


def _all_kept(model: ReadingModel, docket: Docket, spec: JudgeSpec) -> bool:
    """Whether the cache holds a reply to every prompt that is still to be asked."""
    return all(
        model.keeps(docket.prompts.ask_judge(case.family, prompt), *_limits(docket, case, spec))
        for case in docket.pending
        for prompt in case.rubric.prompts_for(case.input)
    )


def _limits(docket: Docket, case: JudgingCase, spec: JudgeSpec) -> tuple[int, float]:
    """Return how long a reply about an answer may be, and with which temperature it is asked."""
    settings = docket.prompts.judge_settings(case.family)
    usual = spec.model.temperature if settings.temperature is None else settings.temperature
    return settings.tokens or _MAX_TOKENS, usual


def estimate_judging(run_folder: str | Path, spec: JudgeSpec) -> list[Estimate]:
    """Return what judging would take, by source, for the answers without this judge's verdict.

    No request is sent; one readable reply to each prompt is assumed.

    Raises:
        DataError, UsageError: as ``judge``.
    """
    docket, cache = open_docket(RunFolder(Path(run_folder)), spec), open_kept(spec.model)
    tokens: dict[str, list[list[int]]] = {case.sample.source: [] for case in docket.cases}
    limits, kept = Counter[str](), Counter[str]()
    for case in docket.pending:
        source, settings = case.sample.source, _limits(docket, case, spec)
        prompts = case.rubric.prompts_for(case.input)
        every = [docket.prompts.ask_judge(case.family, prompt) for prompt in prompts]
        texts = [text for text in every if not (cache and cache.keeps(text, *settings))]
        tokens[source].append([estimate_tokens(text) for text in texts])
        limits[source] += settings[0] * len(texts)
        kept[source] += len(every) - len(texts)
    estimates = []
    for source, answers in tokens.items():
        calls = sum(map(len, answers))
        estimate = estimate_calls(spec.model, source, calls, sum(map(sum, answers)), limits[source])
        estimates.append(estimate._replace(answers=len(answers), kept=kept[source]))
    return estimates


class JudgeClient:
    """A judge's model with its prompts, which judges the pending answers of a run.

    Attributes:
        judged: how many answers have a verdict, or a stated failure, now.
        failures: how many of them have no verdict.
    """

    def __init__(
        self,
        folder: RunFolder,
        model: ReadingModel,
        docket: Docket,
        progress: Progress,
        stop: Stop,
    ) -> None:
        self.judged = 0
        self.failures = 0
        self._folder = folder
        self._model = model
        self._docket = docket
        self._progress = progress
        self._stop = stop

    async def judge_all(self, spec: JudgeSpec) -> None:
        """Judge every pending answer, some at a time, until judging is to stop.

        A judge that replies to nothing stops it; other failures are recorded.
        """
        pending, cases = self._docket.pending, len(self._docket.cases)
        done = cases - len(pending)
        self._progress.start("answers", cases, done, title="answers judged")
        told = f"{cases} answers take a judge; {done} have its verdict already."
        self._progress.note("answers", told)
        waiting = iter(pending)

        async def judge_in_turn() -> None:
            for case in waiting:
                place = f"{case.sample.source}, row {case.sample.row}"
                what = f"the verdict on question {case.sample.question_index}, {place}"
                try:
                    with self._stop.waiting_for(what):
                        judgment = await self._judgment(case, spec)
                    self._store(judgment)
                except ModelStoppedError:
                    return
                except ReplyNotKeptError as error:
                    self._stop.not_kept = True
                    self._stop.ask(f"{place}, question {case.sample.question_index}: {error}")
                    return
                except ModelUnavailableError as error:
                    self._stop.ask(str(error))
                    return

        try:
            with self._stop.halting(self._model):
                async with (
                    telling_outages(self._model, self._progress, "answers"),
                    asyncio.TaskGroup() as tasks,
                ):
                    for _ in range(min(spec.model.requests_in_flight, len(pending))):
                        tasks.create_task(judge_in_turn())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await self._model.close()

    async def _judgment(self, case: JudgingCase, spec: JudgeSpec) -> Judgment:
        """Return the verdict on an answer, or why there is none."""
        judge, answer = case.judge, answer_hash(case.input.prediction)
        judgment = Judgment(
            *case.sample.key, case.sample.source, judge.model, judge.prompts, answer
        )
        verdict: dict[str, int] = {}
        first_replies: list[str] = []
        rubric, error = case.rubric, None
        prompts = rubric.prompts_for(case.input)
        try:
            for prompt in prompts:
                replies = await self._replies(prompt, case, spec)
                first_replies.append(replies[0].text)
                verdict |= _reading(prompt, replies[-1].text)
        except (ModelStoppedError, ModelUnavailableError):
            raise
        except ModelError as failure:
            error = redact(str(failure))
        if rubric.official and first_replies and len(first_replies) == len(prompts):
            judgment = replace(judgment, official=rubric.official(first_replies))
        if not verdict and not error:
            error = "the row holds nothing to judge by: no key points"
        if error:
            return replace(judgment, error=error)
        if rubric.published:
            judgment = replace(judgment, official=rubric.published(verdict))
        return replace(judgment, verdict=verdict, value=rubric.value(verdict))

    async def _replies(
        self, prompt: JudgePrompt, case: JudgingCase, spec: JudgeSpec
    ) -> list[Reply]:
        """Return the replies to a prompt, of which the last alone can be read, if any can."""
        text = self._docket.prompts.ask_judge(case.family, prompt)
        tokens, usual = _limits(self._docket, case, spec)
        replies: list[Reply] = []
        for attempt in range(_ATTEMPTS):
            reply = await self._model.reply(
                text,
                tokens,
                temperature=max(usual, _WARMER * attempt),  # Temperature 0 would repeat itself.
                attempt=attempt,
            )
            replies.append(reply)
            if prompt.read(reply.text) is not None:
                break
        return replies

    def _store(self, judgment: Judgment) -> None:
        self._folder.append_judgment(judgment)
        self.judged += 1
        self._progress.advance("answers", f"${self._model.spent:.2f}" if self._model.spent else "")
        if judgment.error:
            self.failures += 1
            place = f"row {judgment.row}, question {judgment.question_index}"
            self._progress.say(f"{judgment.source}, {place}: {judgment.error}")


def _reading(prompt: JudgePrompt, reply: str) -> Verdict:
    """Return what the last of the replies to a prompt says."""
    reading = prompt.read(reply)
    if reading is None:
        excerpt = " ".join(redact(reply).split())[:_EXCERPT]
        raise ModelError(
            f"{prompt.role}: no verdict in {_ATTEMPTS} replies, the last being {excerpt!r}"
        )
    return reading
