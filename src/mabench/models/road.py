"""The one road to a model: requests of readers, judges, embeddings and memories all take it.

Retries are done here and not in a provider's package, because malformed and empty replies must be
retried, counted and paid for, too.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from mabench.models.spec import Failure, ModelError, ModelStoppedError, ModelUnavailableError
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

_T = TypeVar("_T")
# Sends a request once.
Send = Callable[[], Awaitable[_T | Failure]]

_IN_FLIGHT = 16
_PROBE_SECONDS = 10.0
_ADAPTATIONS = 4  # A server can refuse each of three optional parameters once.
_SLOW = 30.0  # Seconds after which a reply that is still awaited is worth a word.
_FAILING = 5.0  # The same where requests fail.
_CHECK = "check the key, address and model name"


class _AdaptiveLimit:
    """Admits at most ``current`` requests at a time, of any event loops, from 1 to ``highest``.

    Additive increase, multiplicative decrease, as in TCP's congestion avoidance (Chiu and Jain,
    1989): a server that pushes back halves the limit, and every round of successes adds one.
    """

    def __init__(self, highest: int) -> None:
        self.highest = highest
        self.current = highest
        self._in_flight = 0
        self._successes = 0
        self._open_at = 0.0
        self._shrunk_at = 0.0
        self._lock = threading.Lock()
        self._waiting: deque[Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a free slot and hold it; yields when the request was admitted."""
        turn: Future[None] = Future()
        with self._lock:
            self._waiting.append(turn)
            self._admit()
        try:
            await asyncio.wrap_future(turn)
        except asyncio.CancelledError:
            if not turn.cancel():  # It was admitted at this instant.
                self._leave()
            raise
        try:
            while (wait := self._open_at - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            yield time.monotonic()
        finally:
            self._leave()

    def succeeded(self) -> None:
        """Grow by one after as many successes as the limit admits at a time."""
        with self._lock:
            self._successes += 1
            if self._successes >= self.current and self.current < self.highest:
                self.current += 1
                self._successes = 0
                self._admit()

    def pushed_back(self, admitted: float, wait: float) -> None:
        """Halve the limit and admit nothing for ``wait`` seconds: the server demands less.

        Requests that were under way when the limit shrank do not shrink it again.
        """
        now = time.monotonic()
        with self._lock:
            self._open_at = max(self._open_at, now + wait)
            if admitted >= self._shrunk_at:
                self.current = max(1, self.current // 2)
                self._successes = 0
                self._shrunk_at = now

    def _leave(self) -> None:
        with self._lock:
            self._in_flight -= 1
            self._admit()

    def _admit(self) -> None:  # The lock is held.
        while self._waiting and self._in_flight < self.current:
            turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                self._in_flight += 1
                turn.set_result(None)


@dataclass(eq=False, slots=True)
class _Request:
    deadline: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))
    at_server: bool = False
    sent_at: float = 0.0
    failures: int = 0
    had_last_chance: bool = False  # It was sent once more after the server had answered a probe.


class Road:
    """Carries requests to one server, again as long as that may help; one event loop uses it.

    Its ``limit`` is how many it carries at a time, or the road with which it shares that.
    ``failing`` says why the latest request got no answer.
    """

    def __init__(
        self,
        limit: int | Road | None = None,
        retry: RetryPolicy | None = None,
        server: str = "the model server",
    ) -> None:
        self.retry = retry or RetryPolicy()
        self.failing = ""
        self.limit: _AdaptiveLimit = (
            limit.limit if isinstance(limit, Road) else _AdaptiveLimit(limit or _IN_FLIGHT)
        )
        self._server = server
        self._open: set[_Request] = set()
        self._halted = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._silent_since = self._answered_at = self._no_answer_at = float("-inf")
        self._probing = asyncio.Lock()

    @property
    def outage(self) -> str | None:
        """In words, that the server does not answer; None while there is no cause for concern."""
        seconds = self._silence()
        if self.failing and seconds >= _FAILING:
            return (
                f"the model server has not answered for {seconds:.0f} s, retrying ({self.failing})"
            )
        if seconds >= _SLOW:
            return f"the model server has sent no reply for {seconds:.0f} s, waiting"
        return None

    def halt(self, grace: float | None) -> None:
        """Send nothing more, from any thread; requests that wait end at once.

        Those that are with the server have ``grace`` seconds; with None, as long as they take.
        """
        self._halted = True
        if self._loop is not None:
            with suppress(RuntimeError):  # The loop has ended, and every request with it.
                self._loop.call_soon_threadsafe(self._expire, self._loop, grace)

    async def send_with_retries(self, send: Send[_T], probe: Send[object]) -> _T:
        """Return the reply to a request, after as many attempts as may help.

        While the server answers no request at all, attempts are not counted; ``probe`` sends
        something tiny, which shows whether it does.

        Raises:
            ModelError: when there is none, naming the last failure; never the key.
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
                    self._check()  # It may have been halted while it was with the server.
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
    async def _opened(self) -> AsyncIterator[_Request]:
        self._check()
        self._loop = asyncio.get_running_loop()
        if not self._open and not self.failing:
            self._silent_since = time.monotonic()
        request = _Request()
        try:
            async with request.deadline:
                self._open.add(request)
                yield request
        except TimeoutError as error:
            if not request.deadline.expired():
                raise
            raise ModelStoppedError from error
        finally:
            self._open.discard(request)

    def _check(self) -> None:
        if self._halted:
            raise ModelStoppedError

    def _expire(self, loop: asyncio.AbstractEventLoop, grace: float | None) -> None:
        for request in self._open:
            if request.deadline.expired() or (request.at_server and grace is None):
                continue
            request.deadline.reschedule(loop.time() + (grace or 0.0 if request.at_server else 0.0))

    async def _send(self, send: Send[_T], request: _Request) -> _T | Failure:
        self._check()
        request.sent_at, request.at_server = time.monotonic(), True
        try:
            outcome = await send()
        finally:
            request.at_server = False
        if isinstance(outcome, Failure) and outcome.silent:
            self.failing = redact(outcome.reason)
        else:
            self._silent_since = self._answered_at = time.monotonic()
            self.failing = ""
        return outcome

    def _silence(self) -> float:  # Seconds in which nothing that is awaited was answered.
        return time.monotonic() - self._silent_since if self._open or self.failing else 0.0

    async def _next_wait(self, failure: Failure, request: _Request, probe: Send[object]) -> float:
        if failure.adapted:
            return 0.0
        request.failures += 1
        reason, retry = redact(f"{self._server}: {failure.reason}"), self.retry
        if failure.unavailable:
            raise ModelUnavailableError(f"{reason}; {failure.remedy or _CHECK}")
        if not failure.again:
            raise ModelError(reason)
        if failure.requested_wait > retry.longest_requested:
            raise ModelError(f"{reason} (the server asks to wait {failure.requested_wait:.0f} s)")
        exhausted = request.failures >= retry.attempts
        if failure.silent and (exhausted or self._silence() >= retry.patience):
            exhausted = await self._is_own_fault(failure, request, reason, probe) and exhausted
        if exhausted:
            raise ModelError(f"{reason} (asked {request.failures} times)")
        return max(failure.requested_wait, retry.wait(request.failures))

    async def _is_own_fault(
        self, failure: Failure, request: _Request, reason: str, probe: Send[object]
    ) -> bool:
        """Return whether the server answers others; if only now, the request is sent once more."""
        if self._answered_at > request.sent_at:
            return True
        if not failure.unreached and await self._answers(probe, request.sent_at):
            first, request.had_last_chance = not request.had_last_chance, True
            return not first
        request.had_last_chance = False
        seconds = self._silence()
        if seconds >= self.retry.patience:
            raise ModelUnavailableError(
                f"{reason}; the server has answered nothing for {seconds:.0f} s"
            )
        return False

    async def _answers(self, probe: Send[object], sent_at: float) -> bool:
        wanted = time.monotonic()
        async with self._probing:  # Of many requests that want to know, one asks.
            if self._answered_at > sent_at:
                return True
            if self._no_answer_at >= wanted:
                return False
            outcome = await self.probe(probe)
            if isinstance(outcome, Failure) and outcome.silent:
                self._no_answer_at = time.monotonic()
                return False
            return True
