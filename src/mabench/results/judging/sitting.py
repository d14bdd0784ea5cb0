"""A sitting of a judge: many answers, some at a time, until all are judged or it is to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from typing import Self, TypeVar

from mabench.errors import MabenchError
from mabench.models import (
    ModelStoppedError,
    ModelUnavailableError,
    ReadingModel,
    ReplyNotKeptError,
)
from mabench.printable import write_count
from mabench.progress import Progress
from mabench.results.judging.asking import JudgeRequest
from mabench.specs import JudgeSpec
from mabench.tasks.loops import run_to_end
from mabench.tasks.stopping import Stop

_COST = "the cost limit is reached"  # The reason why a sitting stops.

CaseT = TypeVar("CaseT")


class JudgingStoppedError(MabenchError):
    """The judge has cost as much as it may, or its server has stopped answering.

    What was judged is kept, and judging can resume; with a higher limit if the cost stopped it.
    """

    def __init__(self, message: str, *, spent: float, by_cost: bool, not_kept: bool) -> None:
        """Make the error.

        Args:
            message: what stopped it, in words.
            spent: US dollars paid for replies in this sitting.
            by_cost: whether the limit of the cost stopped it.
            not_kept: whether it may use cached replies only, and one that it needs is not cached.
        """
        super().__init__(message)
        self.spent = spent
        self.by_cost = by_cost
        self.not_kept = not_kept


@dataclass
class Sitting:
    """A judge's model, how many answers it has judged, and what stops it."""

    spec: JudgeSpec
    model: ReadingModel
    progress: Progress  # Is told how it goes.
    stop: Stop = field(default_factory=Stop)
    judged: int = 0  # How many answers have a verdict, or a stated failure, since it began.
    failures: int = 0  # How many of them have no verdict.

    @classmethod
    def open(cls, spec: JudgeSpec, progress: Progress) -> Self:
        """Return a sitting with the judge's model, within its limit of cost.

        Raises what ``ReadingModel.open`` and ``limit_spending`` raise.
        """
        sitting = cls(spec, ReadingModel.open(spec.model), progress)
        if spec.max_cost is not None:
            sitting.model.limit_spending(spec.max_cost, lambda: sitting.stop.ask(_COST))
        return sitting

    def check_server(self, requests: Iterable[JudgeRequest]) -> None:
        """Check that the model's server is there, unless all replies are cached.

        Raises ``ModelUnavailableError`` if it is not. With all replies cached, this is checked at
        the first request that must be sent after all.
        """
        model = self.model
        if all(request.is_cached(model) for request in requests):
            model.preflight_due = True
        else:
            run_to_end(model.preflight())

    def judge_all(
        self,
        pending: Sequence[CaseT],
        judge: Callable[[CaseT], Awaitable[str | None]],
        name: Callable[[CaseT], str],
        done: int = 0,
    ) -> None:
        """Judge every pending answer, some at a time, until judging is to stop.

        A judge that replies to nothing stops it; other failures are reported.

        Args:
            pending: the answers.
            judge: judges one and returns why it has no verdict; None if it has one.
            name: names one in messages.
            done: how many were judged before.
        """
        judging = self._judge_all(pending, judge, name, done)
        try:
            self.stop.run(judging, self.progress, "The same command resumes it.")
        except (asyncio.CancelledError, futures.CancelledError):
            self.stop.ask("its work was cancelled")

    def check_complete(self, pending: int, total: int) -> None:
        """Raise ``JudgingStoppedError`` if it stopped before all pending answers were judged.

        ``total`` is how many answers there are, with those judged before; the message names it.
        """
        left = pending - self.judged
        if left == 0:
            return
        by_cost = self.stop.reason == _COST
        spent = f"${self.model.spent:.4f} spent of ${self.spec.max_cost or 0:.4f}"
        reason = spent if by_cost else self.stop.reason
        raise JudgingStoppedError(
            f"judging stopped: {reason}; still without a verdict: {left} of "
            f"{write_count(total, 'answer')}",
            spent=self.model.spent,
            by_cost=by_cost,
            not_kept=self.stop.not_kept,
        )

    async def _judge_all(
        self,
        pending: Sequence[CaseT],
        judge: Callable[[CaseT], Awaitable[str | None]],
        name: Callable[[CaseT], str],
        done: int,
    ) -> None:
        """Do the work of ``judge_all``: several tasks judge one answer after the other."""
        total = done + len(pending)
        self.progress.start("answers", total, done, title="answers judged")
        message = f"{write_count(total, 'answer')} to judge; {done} judged already."
        self.progress.note("answers", message)
        waiting = iter(pending)  # All tasks take the next answer from it.

        async def judge_in_turn() -> None:
            """Judge one waiting answer after the other, until none is left or judging stops."""
            for case in waiting:
                try:
                    with self.stop.waiting_for(f"the verdict on {name(case)}"):
                        error = await judge(case)
                except ModelStoppedError:
                    return
                except ReplyNotKeptError as failure:
                    self.stop.not_kept = True
                    self.stop.ask(f"{name(case)}: {failure}")
                    return
                except ModelUnavailableError as failure:
                    self.stop.ask(str(failure))
                    return
                self._count(name(case), error)

        try:
            async with (
                self.stop.supervise(self.progress, "answers", self.model),
                asyncio.TaskGroup() as tasks,
            ):
                for _ in range(min(self.spec.model.concurrent_requests, len(pending))):
                    tasks.create_task(judge_in_turn())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            await self.model.close()

    def _count(self, answer: str, error: str | None) -> None:
        """Count an answer that was judged, and report why it has no verdict if it has none."""
        self.judged += 1
        spent = f"${self.model.spent:.2f}" if self.model.spent else ""
        self.progress.advance("answers", spent)
        if error:
            self.failures += 1
            self.progress.say(f"{answer}: {error}")
