"""Having a language model judge the answers of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent import futures
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mabench.errors import MabenchError
from mabench.models import (
    Call,
    CallLog,
    CallPhase,
    ModelError,
    ModelStoppedError,
    ModelUnavailableError,
    ReadingModel,
    ReplyNotKeptError,
    current_log,
)
from mabench.printable import printable, write_count
from mabench.progress import NoProgress, Progress
from mabench.redact import redact
from mabench.results.judging.cases import JudgeRequest, JudgingCase, open_cases
from mabench.results.records.lines import CallRecord, Judgment
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.specs import JudgeSpec
from mabench.tasks.interrupt import RunInterrupt
from mabench.tasks.loops import run_to_end
from mabench.tasks.stopping import Stop

# How many replies to one prompt may be unreadable, each to a request that is a little warmer.
_ATTEMPTS = 3
_WARMER = 0.4
_COST = "the cost limit is reached"
# How much of an unreadable reply an error repeats, in characters.
_EXCERPT = 120


class JudgingStoppedError(MabenchError):
    """The judge has cost as much as it may, or its server has stopped answering.

    What was judged is kept, and judging can resume: ``by_cost`` with a higher limit.
    """

    def __init__(self, message: str, spent: float, by_cost: bool, not_kept: bool) -> None:
        super().__init__(message)
        self.spent = spent  # US dollars paid for replies in this sitting.
        self.by_cost = by_cost
        self.not_kept = not_kept  # It lacks a reply that would have to be kept.


class Judging(NamedTuple):
    """What judging a run came to."""

    run: Run
    failures: int  # How many answers the judge gave no verdict on.
    spent: float  # US dollars paid for its replies; 0 when prices are unknown.


def judge(run_folder: str | Path, spec: JudgeSpec, progress: Progress | None = None) -> Judging:
    """Add a judge's verdicts to a run; answers that it has judged before are left alone.

    Raises:
        DataError: when the run or its data set cannot be read, or the data set is another.
        UsageError: when nothing takes a judge, or ``spec`` is wrong, or the run is in use.
        MissingPackageError: when the package that the model needs is not installed.
        ModelUnavailableError: when the model's server is not there, or refuses key or model.
        JudgingStoppedError: when ``spec.max_cost`` is reached too early, or the server is gone.
        RunInterrupt: when a signal stopped it.
    """
    folder = RunFolder(Path(run_folder))
    folder.record()  # Complain before a folder is made to be owned.
    with folder.own():
        folder.repair()
        return _judge(folder, spec, progress or NoProgress())


def _judge(folder: RunFolder, spec: JudgeSpec, progress: Progress) -> Judging:
    cases = open_cases(folder, spec)
    pending = [case for case in cases if case.pending]
    model = ReadingModel.open(spec.model)
    stop = Stop()
    if spec.max_cost is not None:
        model.limit_spending(spec.max_cost, lambda: stop.ask(_COST))
    requests = (request for case in pending for request in case.requests)
    if all(model.is_cached(ask.text, ask.tokens, ask.temperature) for ask in requests):
        model.preflight_due = True
    else:
        run_to_end(model.preflight())
    client = _JudgeClient(folder, model, progress, stop)
    try:
        judging = client.judge_all(cases, spec.model.concurrent_requests)
        stop.run(judging, progress, "The same command resumes it.")
    except (asyncio.CancelledError, futures.CancelledError):
        stop.ask("its work was cancelled")
    finally:
        run = Run.summarize(folder)
    if stop.by_signal:
        raise RunInterrupt(folder.path, stop.signal)
    if left := len(pending) - client.judged:
        by_cost = stop.reason == _COST
        spent = f"${model.spent:.4f} spent of ${spec.max_cost or 0:.4f}"
        reason = spent if by_cost else stop.reason
        raise JudgingStoppedError(
            f"judging stopped: {reason}; still without a verdict: {left} of "
            f"{write_count(len(cases), 'answer')}",
            model.spent,
            by_cost,
            stop.not_kept,
        )
    return Judging(run, client.failures, model.spent)


@dataclass
class _JudgeClient:
    """A judge's model with its prompts, which judges the pending answers of a run."""

    folder: RunFolder
    model: ReadingModel
    progress: Progress
    stop: Stop
    judged: int = 0  # How many answers have a verdict, or a stated failure, now.
    failures: int = 0  # How many of them have no verdict.

    async def judge_all(self, cases: Sequence[JudgingCase], at_a_time: int) -> None:
        """Judge every pending answer, some at a time, until judging is to stop.

        A judge that replies to nothing stops it; other failures are recorded.
        """
        pending = [case for case in cases if case.pending]
        done, waiting = len(cases) - len(pending), iter(pending)
        self.progress.start("answers", len(cases), done, title="answers judged")
        said = f"{write_count(len(cases), 'answer')} to judge; {done} judged already."
        self.progress.note("answers", said)

        async def judge_in_turn() -> None:
            for case in waiting:
                place = printable(redact(f"{case.sample.source}, row {case.sample.row}"))
                question = f"{place}, question {case.sample.question_index}"
                what = f"the verdict on question {case.sample.question_index}, {place}"
                try:
                    with self.stop.waiting_for(what):
                        judgment = await self._judge(case)
                except ModelStoppedError:
                    return
                except ReplyNotKeptError as error:
                    self.stop.not_kept = True
                    self.stop.ask(f"{question}: {error}")
                    return
                except ModelUnavailableError as error:
                    self.stop.ask(str(error))
                    return
                self.folder.append_judgment(judgment)
                self.judged += 1
                spent = f"${self.model.spent:.2f}" if self.model.spent else ""
                self.progress.advance("answers", spent)
                if judgment.error:
                    self.failures += 1
                    self.progress.say(f"{question}: {judgment.error}")

        try:
            async with (
                self.stop.supervise(self.progress, "answers", self.model),
                asyncio.TaskGroup() as tasks,
            ):
                for _ in range(min(at_a_time, len(pending))):
                    tasks.create_task(judge_in_turn())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await self.model.close()

    async def _judge(self, case: JudgingCase) -> Judgment:
        judge, sample, rubric = case.judge, case.sample, case.rubric

        def note(call: Call) -> None:
            place = {"split": sample.split, "row": sample.row, "source": sample.source}
            self.folder.append_call(CallRecord.of(call, **place))

        current_log.set(CallLog(note, CallPhase("judging", sample.question_index), "judge"))
        judged = sample.source, judge.model, judge.prompts, sample.answer_hash
        judgment = Judgment(*sample.key, *judged)
        verdict: dict[str, int] = {}
        first_replies: list[str] = []
        last_replies: list[str] = []
        requests = 0
        error = None
        try:
            for request in case.requests:
                replies = await self._replies(request)
                first_replies.append(replies[0])
                last_replies.append(redact(replies[-1]))
                requests += len(replies)
                reading = request.prompt.read(replies[-1])
                if reading is None:
                    excerpt = " ".join(redact(replies[-1]).split())[:_EXCERPT]
                    raise ModelError(
                        f"{request.prompt.role}: no verdict in {_ATTEMPTS} replies, the last being "
                        f"{excerpt!r}"
                    )
                verdict |= reading
        except (ModelStoppedError, ModelUnavailableError):
            raise
        except ModelError as failure:
            error = redact(str(failure))
        if last_replies:
            words = "\n\n".join(last_replies)
            judgment = replace(judgment, words=words, requests=requests)
        if rubric.official and first_replies and len(first_replies) == len(case.requests):
            judgment = replace(judgment, official=rubric.official(first_replies))
        if not verdict and not error:
            error = "the row has no key points to judge by"
        if error:
            return replace(judgment, error=error)
        if rubric.published:
            judgment = replace(judgment, official=rubric.published(verdict))
        return replace(judgment, verdict=verdict, value=rubric.value(verdict))

    async def _replies(self, request: JudgeRequest) -> list[str]:
        """Return the replies to a request. Only the last one can be parsed, if any."""
        replies: list[str] = []
        for attempt in range(_ATTEMPTS):
            temperature = max(request.temperature, _WARMER * attempt)  # 0 would repeat itself.
            reply = await self.model.reply(
                request.text, request.tokens, temperature=temperature, attempt=attempt
            )
            replies.append(reply.text)
            if request.prompt.read(reply.text) is not None:
                break
        return replies
