"""The one way to a model: readers, judges, embedders and memories all send requests through it.

Retries are done here and not in a provider's package, because malformed and empty replies must be
retried, counted and paid for, too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from mabench.models.errors import ModelError, ModelUnavailableError, PromptTooLongError
from mabench.models.failure import Failure
from mabench.models.outages import AnswerWatch
from mabench.models.pacing import AdaptiveLimit
from mabench.models.stopping import RequestsUnderWay, RequestUnderWay
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

_T = TypeVar("_T")
# Sends a request once.
Send = Callable[[], Awaitable[_T | Failure]]

_IN_FLIGHT = 16
_PROBE_SECONDS = 10.0
# A server can refuse each of three optional parameters once.
_ADAPTATIONS = 4
_CHECK = "check the key, address and model name"


class RequestGate:
    """Sends requests to one server, and sends them again while that may help.

    One event loop uses it. ``limit`` is how many requests may be under way at a time, or another
    gate whose limit this one shares.
    """

    def __init__(
        self,
        limit: int | RequestGate | None = None,
        retry: RetryPolicy | None = None,
        server: str = "the model server",
    ) -> None:
        self.retry = retry or RetryPolicy()
        self.limit: AdaptiveLimit = (
            limit.limit if isinstance(limit, RequestGate) else AdaptiveLimit(limit or _IN_FLIGHT)
        )
        self._server = server
        self._under_way = RequestsUnderWay()
        self._watch = AnswerWatch()
        self._probing = asyncio.Lock()

    @property
    def failing(self) -> str:
        """Why the latest request got no answer; empty if it got one."""
        return self._watch.failing

    @property
    def outage(self) -> str | None:
        """In words, that the server does not answer; None while there is no cause for concern."""
        return self._watch.describe(bool(self._under_way))

    def halt(self, grace: float | None) -> None:
        """Send nothing more, from any thread; requests that wait end at once.

        Those that are with the server have ``grace`` seconds; with None, as long as they take.
        """
        self._under_way.halt(grace)

    async def send_with_retries(self, send: Send[_T], probe: Send[object]) -> _T:
        """Return the reply to a request, after as many attempts as may help.

        While the server answers no request at all, attempts are not counted; ``probe`` sends
        something tiny, which shows whether it does.

        Raises:
            ModelError: when there is none, naming the last failure; never the key.
            PromptTooLongError: when the server counts more tokens than the model's context holds.
            ModelUnavailableError: when the server knows neither us nor the model, or has answered
                nothing for longer than we wait.
            ModelStoppedError: when requests were halted.
        """
        async with self._opened() as request:
            while True:
                async with self.limit.slot() as admitted:
                    outcome = await self._send(send, request)
                    if not isinstance(outcome, Failure):
                        self.limit.succeeded()
                        return outcome
                    self._under_way.check()  # It may have been halted while it was with the server.
                    wait = await self._next_wait(outcome, request, probe)
                    if outcome.pushed_back:
                        self.limit.pushed_back(admitted, wait)
                if not outcome.pushed_back:
                    await asyncio.sleep(wait)

    async def probe(self, send: Send[_T]) -> _T | Failure:
        """Send something tiny, once; a server that has not replied after ten seconds is slow."""
        outcome: _T | Failure = Failure("nothing was sent")
        async with self._opened() as request:
            try:
                async with asyncio.timeout(_PROBE_SECONDS):
                    for _ in range(_ADAPTATIONS):
                        outcome = await self._send(send, request)
                        if not isinstance(outcome, Failure) or not outcome.adapted:
                            break
            except TimeoutError:
                return Failure("no reply to a tiny request", silent=True)
        return outcome

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[RequestUnderWay]:
        self._under_way.check()
        self._watch.begin(bool(self._under_way))
        async with self._under_way.open() as request:
            yield request

    async def _send(self, send: Send[_T], request: RequestUnderWay) -> _T | Failure:
        self._under_way.check()
        request.sent_at, request.at_server = time.monotonic(), True
        try:
            outcome = await send()
        finally:
            request.at_server = False
        if isinstance(outcome, Failure) and outcome.silent:
            self._watch.failing = redact(outcome.reason)
        else:
            self._watch.answered()
        return outcome

    def _measure_silence(self) -> float:
        return self._watch.measure_silence(bool(self._under_way))

    async def _next_wait(
        self, failure: Failure, request: RequestUnderWay, probe: Send[object]
    ) -> float:
        if failure.adapted:
            return 0.0
        request.failures += 1
        reason, retry = redact(f"{self._server}: {failure.reason}"), self.retry
        if failure.unavailable:
            raise ModelUnavailableError(f"{reason}; {failure.remedy or _CHECK}")
        if failure.excess:
            raise PromptTooLongError(reason, *failure.excess)
        if not failure.again:
            raise ModelError(reason)
        if failure.requested_wait > retry.longest_requested:
            raise ModelError(f"{reason} (the server asks to wait {failure.requested_wait:.0f} s)")
        exhausted = request.failures >= retry.attempts
        if failure.silent and (exhausted or self._measure_silence() >= retry.patience):
            exhausted = await self._is_own_fault(failure, request, reason, probe) and exhausted
        if exhausted:
            raise ModelError(f"{reason} (asked {request.failures} times)")
        return max(failure.requested_wait, retry.wait(request.failures))

    async def _is_own_fault(
        self, failure: Failure, request: RequestUnderWay, reason: str, probe: Send[object]
    ) -> bool:
        """Return whether the server answers others; if only now, the request is sent once more."""
        if self._watch.answered_at > request.sent_at:
            return True
        if not failure.unreached and await self._answers(probe, request.sent_at):
            first, request.had_last_chance = not request.had_last_chance, True
            return not first
        request.had_last_chance = False
        seconds = self._measure_silence()
        if seconds >= self.retry.patience:
            raise ModelUnavailableError(
                f"{reason}; the server has answered nothing for {seconds:.0f} s"
            )
        return False

    async def _answers(self, probe: Send[object], sent_at: float) -> bool:
        wanted = time.monotonic()
        async with self._probing:  # Of many requests that want to know, one asks.
            if self._watch.answered_at > sent_at:
                return True
            if self._watch.no_answer_at >= wanted:
                return False
            outcome = await self.probe(probe)
            if isinstance(outcome, Failure) and outcome.silent:
                self._watch.no_answer_at = time.monotonic()
                return False
            return True
