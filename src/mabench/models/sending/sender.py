"""Sending requests to a model until they are answered, as far as that may help.

All requests share a limit, a view of whether the server answers at all, and one switch that ends
them. Retries are done here and not in a provider's package, because malformed and empty replies
must be retried, counted and paid for, too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mabench.models.sending.completion import Failure
from mabench.models.sending.halting import Halt, OpenRequest
from mabench.models.sending.outage import Outage
from mabench.models.sending.pacing import AdaptiveLimit
from mabench.models.spec import ModelError, ModelRequest, ModelUnavailableError, Reply
from mabench.redact import redact
from mabench.specs.model import RetryPolicy

_PROBE_SECONDS = 10.0
_ADAPTATIONS = 7  # A server can refuse each optional parameter once, and redirect three times.


class Transport(Protocol):
    """Sends one request to a model, once.

    Attributes:
        name: the model's name on the server.
        base_url: the server; None for the provider's own.
    """

    name: str
    base_url: str | None

    async def send(self, request: ModelRequest) -> Reply | Failure:
        """Return what came of a request."""

    async def close(self) -> None:
        """Give connections back; they are opened again when they are needed."""


class Books(Protocol):
    """Where requests and what they cost are written down."""

    def begin(self, request: ModelRequest, again: bool) -> Callable[[Reply | Failure, float], None]:
        """Note that a request is sent; return what notes its outcome, after so many seconds."""

    def pay(self, reply: Reply, wasted: bool) -> None:
        """Note a reply that was paid for, and whether it was of no use."""


@dataclass(slots=True)
class _Tries:
    """How often a request has failed.

    Attributes:
        failures: so often.
        sent: how often it was sent.
        sent_at: when it was sent last.
        last_chance: whether it was sent once more after the server had answered something tiny.
    """

    failures: int = 0
    sent: int = 0
    sent_at: float = 0.0
    last_chance: bool = False


class Sender:
    """Sends requests of one model.

    Args:
        transport: sends one request once.
        limit: how many requests may be in flight.
        retry: how often and how slowly failed requests are sent again.
        probe: a tiny request, which shows whether the server answers at all.
        books: told of each reply that was paid for, and of each request.

    Attributes:
        halt: ends requests early.
        outage: since when the server has answered nothing.
    """

    def __init__(
        self,
        transport: Transport,
        limit: AdaptiveLimit,
        retry: RetryPolicy,
        probe: ModelRequest,
        books: Books,
    ) -> None:
        self.halt = Halt()
        self.outage = Outage()
        self._transport = transport
        self._limit = limit
        self._retry = retry
        self._probe = probe
        self._books = books
        self._probing = asyncio.Lock()
        self._no_answer_at = float("-inf")

    async def reply(self, request: ModelRequest) -> Reply:
        """Return the model's reply, after as many attempts as may help.

        While the server answers no request at all, attempts are not counted.

        Raises:
            ModelError: when there is none, naming the last failure; never the key.
            ModelUnavailableError: when the server knows neither us nor the model, or has answered
                nothing for longer than we wait.
            ModelStoppedError: when requests were halted.
        """
        async with self.halt.request() as flight:
            with self.outage.awaited():
                return await self._attempts(request, flight)

    async def probe(self) -> Reply | Failure:
        """Send the tiny request, once; a parameter that is refused is put otherwise.

        A server that has not replied after ten seconds counts as one that is slow.

        Raises:
            ModelStoppedError: when requests were halted.
        """
        outcome: Reply | Failure = Failure("nothing was sent")
        async with self.halt.request() as flight:
            try:
                async with asyncio.timeout(_PROBE_SECONDS):
                    for _ in range(_ADAPTATIONS):
                        outcome = await self._send(self._probe, flight, wasted=True)
                        if isinstance(outcome, Reply) or not outcome.adapted:
                            break
            except TimeoutError:
                return Failure("no reply to a tiny request", silent=True)
        return outcome

    async def _attempts(self, request: ModelRequest, flight: OpenRequest) -> Reply:
        tries = _Tries()
        while True:
            self.halt.check()
            async with self._limit.slot() as admitted:
                tries.sent_at = time.monotonic()
                tries.sent += 1
                outcome = await self._send(request, flight, again=tries.sent > 1)
                if isinstance(outcome, Reply):
                    self._limit.succeeded()
                    return outcome
                self.halt.check()  # It may have been halted while it was with the server.
                tries.failures += not outcome.adapted
                wait = await self._next_wait(outcome, tries)
                if outcome.pushed_back:
                    self._limit.pushed_back(admitted, wait)
            if not outcome.pushed_back:
                await asyncio.sleep(wait)

    async def _send(
        self, request: ModelRequest, flight: OpenRequest, wasted: bool = False, again: bool = False
    ) -> Reply | Failure:
        """Send once; what came back is paid for before anything else happens."""
        self.halt.check()
        began, end = time.monotonic(), self._books.begin(request, again)
        outcome: Reply | Failure = Failure("it was given up")
        try:
            with flight.sending():
                outcome = await self._transport.send(request)
            if isinstance(outcome, Reply):
                self._books.pay(outcome, wasted)
            elif outcome.paid:
                self._books.pay(outcome.paid, True)
        finally:
            end(outcome, time.monotonic() - began)
        if isinstance(outcome, Failure) and outcome.silent:
            self.outage.failed(redact(outcome.reason))
        else:
            self.outage.answered()
        return outcome

    async def _next_wait(self, failure: Failure, tries: _Tries) -> float:
        """Return how long to wait before the next attempt; raise when it is no use."""
        if failure.adapted:
            return 0.0
        server = f" at {self._transport.base_url}" if self._transport.base_url else ""
        reason = redact(f"{self._transport.name}{server}: {failure.reason}")
        if failure.unavailable:
            raise ModelUnavailableError(f"{reason}; look at key, address and name of the model")
        if not failure.again:
            raise ModelError(reason)
        requested = failure.requested_wait or 0.0
        if requested > self._retry.longest_requested:
            raise ModelError(f"{reason} (the server asks to wait {requested:.0f} s)")
        exhausted = tries.failures >= self._retry.attempts
        if failure.silent and (exhausted or self.outage.seconds() >= self._retry.patience):
            exhausted = await self._own_fault(failure, tries, reason) and exhausted
        if exhausted:
            raise ModelError(f"{reason} (asked {tries.failures} times)")
        return max(requested, self._retry.wait(tries.failures))

    async def _own_fault(self, failure: Failure, tries: _Tries, reason: str) -> bool:
        """Whether the server answers other requests, so that the failure is this request's own.

        Where it answers a tiny one only now, it may have been away until now, and the request is
        sent once more.

        Raises:
            ModelUnavailableError: when it has answered nothing for too long.
        """
        if self.outage.answered_since(tries.sent_at):
            return True
        if not failure.unreached and await self._answers_probe(tries.sent_at):
            first, tries.last_chance = not tries.last_chance, True
            return not first
        tries.last_chance = False
        seconds = self.outage.seconds()
        if seconds >= self._retry.patience:
            raise ModelUnavailableError(
                f"{reason}; the server has answered nothing for {seconds:.0f} s"
            )
        return False

    async def _answers_probe(self, sent_at: float) -> bool:
        """Ask the server something tiny; where many requests want to know, one of them asks."""
        wanted = time.monotonic()
        async with self._probing:
            if self.outage.answered_since(sent_at):
                return True
            if self._no_answer_at >= wanted:
                return False
            outcome = await self.probe()
            if isinstance(outcome, Failure) and outcome.silent:
                self._no_answer_at = time.monotonic()
                return False
            return True
