"""The one way to a model: readers, judges, embedders and memories all send requests through it.

Retries happen here and not in a provider's package, because malformed and empty replies must be
retried, counted and paid for, too.

When a model's server dies in the middle of a run:

1. ``models/server/session.py`` (for a memory's calls, ``metering/proxied.py``) turns the exception
   of the HTTP client into a ``Failure`` that is ``silent``.
2. ``send_with_retries`` sends the request again, with growing waits. Where a connection is made, a
   tiny request shows whether the server is alive and only this request fails. After
   ``RetryPolicy.patience`` seconds without any answer it raises a ``ModelUnavailableError``.
3. The run stops (``runs/engine.py``; for a memory's calls, ``metering/meter.py`` stops it) and
   gives up all requests under way. No answer is stored for their questions, so a resumed run asks
   them again; what was paid for them is stored where a reply said so.
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

# Requests at a time, where no limit is given.
_IN_FLIGHT = 16
_PROBE_SECONDS = 10.0
# A server may refuse each of three optional parameters before it answers.
_PROBE_ATTEMPTS = 4
_DEFAULT_REMEDY = "check the key, address and model name"


class RequestGate:
    """Sends requests to one server, and sends them again while that may help.

    It belongs to one event loop. ``limit`` is the number of requests that may be in flight, or
    another gate to share its limit with. ``server`` names the server in errors.
    """

    def __init__(
        self,
        limit: int | RequestGate | None = None,
        retry: RetryPolicy | None = None,
        server: str = "the model server",
    ) -> None:
        self.retry = retry or RetryPolicy()
        self.limit: AdaptiveLimit
        if isinstance(limit, RequestGate):
            self.limit = limit.limit
        else:
            self.limit = AdaptiveLimit(limit or _IN_FLIGHT)
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
        """A message that the server does not answer; None while there is no problem."""
        return self._watch.describe(bool(self._under_way), self.retry.patience)

    def halt(self, grace: float | None) -> None:
        """Send nothing more; may be called from any thread.

        Requests that wait to be sent end at once. Those already sent may take ``grace`` more
        seconds for their replies; None: as long as they need.
        """
        self._under_way.halt(grace)

    async def send_with_retries(self, send: Send[_T], probe: Send[object]) -> _T:
        """Send a request until there is a reply, as often as that may help; return the reply.

        While the server answers no request at all, attempts are not counted. ``probe`` sends a
        tiny request, which shows whether it answers.

        Raises:
            ModelError: when there is no reply; it names the last failure, never the key.
            PromptTooLongError: when the server counts more tokens than the model's context holds.
            ModelUnavailableError: when the server refuses the key or the model, or has answered
                nothing for ``RetryPolicy.patience`` seconds.
            ModelStoppedError: when ``halt`` was called.
        """
        async with self._track_request() as request:
            while True:
                async with self.limit.slot() as admitted:
                    outcome = await self._send(send, request)
                    if not isinstance(outcome, Failure):
                        self.limit.succeeded()
                        return outcome
                    self._under_way.check()  # ``halt`` may have been called meanwhile.
                    wait = await self._next_wait(outcome, request, probe)
                    if outcome.pushed_back:
                        self.limit.pushed_back(admitted, wait)
                if not outcome.pushed_back:
                    await asyncio.sleep(wait)

    async def probe(self, send: Send[_T]) -> _T | Failure:
        """Send a tiny request, once; no reply within ten seconds is a failure."""
        outcome: _T | Failure = Failure("nothing was sent")
        async with self._track_request() as request:
            try:
                async with asyncio.timeout(_PROBE_SECONDS):
                    for _ in range(_PROBE_ATTEMPTS):
                        outcome = await self._send(send, request)
                        if not isinstance(outcome, Failure) or not outcome.adapted:
                            break
            except TimeoutError:
                return Failure("no reply to a tiny request", silent=True)
        return outcome

    @asynccontextmanager
    async def _track_request(self) -> AsyncIterator[RequestUnderWay]:
        """Yield a new request that ``halt`` ends."""
        self._under_way.check()
        self._watch.begin(bool(self._under_way))
        async with self._under_way.open() as request:
            yield request

    async def _send(self, send: Send[_T], request: RequestUnderWay) -> _T | Failure:
        """Send a request once, and note when it was sent and whether the server answered."""
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
        """Return the seconds to wait before the next attempt, or raise the final error."""
        if failure.adapted:
            return 0.0
        request.failures += 1
        retry = self.retry
        reason = redact(f"{self._server}: {failure.reason}")
        if failure.unavailable:
            raise ModelUnavailableError(f"{reason}; {failure.remedy or _DEFAULT_REMEDY}")
        if failure.excess:
            raise PromptTooLongError(reason, *failure.excess)
        if not failure.again:
            raise ModelError(reason)
        if failure.requested_wait > retry.longest_requested:
            raise ModelError(f"{reason} (the server asks to wait {failure.requested_wait:.0f} s)")
        exhausted = request.failures >= retry.attempts
        if failure.silent and (exhausted or self._measure_silence() >= retry.patience):
            # Attempts count only while the server answers other requests.
            answers_others = await self._answers_others(failure, request, reason, probe)
            exhausted = exhausted and answers_others
        if exhausted:
            raise ModelError(f"{reason} (asked {request.failures} times)")
        return max(failure.requested_wait, retry.wait(request.failures))

    async def _answers_others(
        self, failure: Failure, request: RequestUnderWay, reason: str, probe: Send[object]
    ) -> bool:
        """Return whether the server answers other requests, so that only this one fails.

        If only the probe was answered, the server may just have come back: the first time, return
        False, so that the request is sent once more.

        Raises:
            ModelUnavailableError: when the server has answered nothing for too long.
        """
        if self._watch.answered_at > request.sent_at:
            return True
        if not failure.unreached and await self._answers_probe(probe, request.sent_at):
            had_last_chance = request.had_last_chance
            request.had_last_chance = True
            return had_last_chance
        request.had_last_chance = False
        seconds = self._measure_silence()
        if seconds >= self.retry.patience:
            raise ModelUnavailableError(
                f"{reason}; the server has answered nothing for {seconds:.0f} s"
            )
        return False

    async def _answers_probe(self, probe: Send[object], sent_at: float) -> bool:
        """Return whether the server has answered anything since ``sent_at``, probing if need be."""
        called_at = time.monotonic()
        async with self._probing:  # Only one of many failing requests sends a probe.
            if self._watch.answered_at > sent_at:
                return True
            if self._watch.no_answer_at >= called_at:
                return False
            outcome = await self.probe(probe)
            if isinstance(outcome, Failure) and outcome.silent:
                self._watch.no_answer_at = time.monotonic()
                return False
            return True
