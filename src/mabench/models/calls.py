"""What calls of models take and cost, or would, and who is told as they begin and end."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple, Self

from mabench.errors import UsageError
from mabench.specs import ModelSpec
from mabench.text import count_tokens
from mabench.userfile import read_tables

# No request and no reply is so long; beyond it a count is an error of the server.
_MOST_TOKENS = 10**8
_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
# Where requests and replies hold what is made of tokens.
_TEXTS = frozenset(
    {"messages", "input", "prompt", "instructions", "tools", "functions", "content", "text"}
    | {"choices", "message", "delta", "output", "arguments", "name", "description", "parameters"}
    | {"function", "tool_calls", "refusal", "reasoning_content", "properties"}
)
_DEEPEST = 30
_MILLION = 1_000_000
_HIGHEST = 1e9  # Dollars; what is added up must not overflow.


class Usage(NamedTuple):
    """Tokens of one call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0  # Of the input, those that the server had kept.
    estimated: bool = False  # Input and output are our own count, since the server gives none.

    @classmethod
    def read(cls, reply: object) -> Usage | None:
        """Return what a reply, or an event of a stream, says it took; None if it is mute.

        Chat completions, completions and embeddings say so in ``usage``; of responses, the last
        event of a stream holds the whole one. Raises a ``ValueError`` for what nobody can count.
        """
        if not isinstance(reply, dict):
            return None
        usage = reply.get("usage")
        if not usage:
            return cls.read(reply.get("response"))
        if not isinstance(usage, dict):
            raise _wrong_count(usage)
        taken, given = (
            next((usage[name] for name in names if usage.get(name) is not None), None)
            for names in (_INPUT, _OUTPUT)
        )
        if taken is None or (given is None and reply.get("choices")):
            return None
        taken, given = _count(taken), _count(given or 0)
        cached = 0
        for details in map(usage.get, _DETAILS):
            if isinstance(details, dict):
                with suppress(ValueError):
                    cached = min(_count(details.get("cached_tokens") or 0), taken)
        return cls(taken, given, cached)

    @classmethod
    def estimate(cls, request: object, reply: str) -> Usage:
        """Return about what a call took whose server does not say."""
        tokens = count_tokens("\n".join(find_texts(request)))
        inputs = request.get("input") if isinstance(request, dict) else None
        return cls(tokens + _count_ids(inputs), count_tokens(reply), estimated=True)

    @property
    def is_possible(self) -> bool:
        """Whether it holds counts that a server can have sent; those of a file may be anything."""
        counts: tuple[object, ...] = self[:3]
        return all(isinstance(count, int) and 0 <= count <= _MOST_TOKENS for count in counts)


class Price(NamedTuple):
    """What a model's tokens cost, in US dollars for a million."""

    input: float
    output: float
    window: int | None = None  # The context window in tokens, where it is known.
    cached_input: float | None = None  # Of input that the server had kept; None for ``input``.

    def cost(self, usage: Usage) -> float:
        """Return what tokens cost, in US dollars."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = (usage.input_tokens - usage.cached_tokens) * self.input
        output = usage.output_tokens * self.output
        return (fresh + usage.cached_tokens * cached + output) / _MILLION

    @classmethod
    def of(cls, model: str, prices: Mapping[str, Price]) -> Price | None:
        """Return the price of a model, with or without its provider in front; None if not clear."""
        name = model.rpartition("/")[2]
        exact = prices.get(model) or prices.get(name)
        if exact or model != name:
            return exact
        alike = {price for key, price in prices.items() if key.rpartition("/")[2] == name}
        return alike.pop() if len(alike) == 1 else None


def load_prices(path: Path | None = None) -> Mapping[str, Price]:
    """Return the prices of a TOML file by model; those that mabench ships when None."""
    file = path or Path(__file__).with_name("prices.toml")
    tables = read_tables(file, "give one with a table for each model", "prices")
    return {model: _read_price(table, f"{file}: [{model}]") for model, table in tables.items()}


class Estimate(NamedTuple):
    """What the calls for one source would take."""

    source: str
    calls: int  # Requests to the model; 0 without one.
    input_tokens: int
    output_tokens: int  # Of all replies, if each used its whole budget.
    cost: float | None  # US dollars; None when prices are unknown.
    hours: float  # At two seconds a reply.
    answers: int | None = None  # How many would be judged; None if none are.
    chunks: int | None = None  # About how many would be memorized; None if none are.
    chunk_tokens: int | None = None  # Of the longest chunk.
    done: int = 0  # How many questions are answered already, and are not in it.
    kept: int = 0  # How many requests of a judge have cached replies, and are not in it.

    @classmethod
    def of_calls(cls, model: ModelSpec, source: str, calls: int, taken: int, given: int) -> Self:
        """Return what calls with so many tokens would take; raises as ``load_prices`` does."""
        price = Price.of(model.name, load_prices(model.prices))
        cost = price.cost(Usage(taken, given)) if price else None
        hours = calls * model.seconds_a_reply / model.requests_in_flight / 3600
        return cls(source, calls, taken, given, cost, hours)


class CallPhase(NamedTuple):
    """When a call was made, as far as the row is concerned."""

    # Late once the row was done; judging long after.
    name: Literal["preflight", "memorizing", "answering", "late", "judging"]
    question: int | None = None  # The index of the one under way; None for none, or for several.


Caller = Literal["memory", "reader", "judge"]


class Call(NamedTuple):
    """One call that went out to a model's server; None means what is not known."""

    name: str  # The same when it begins and when it has ended; no other call has it.
    phase: CallPhase
    path: str  # Such as ``chat/completions``.
    model: str | None
    by: Caller
    again: bool = False  # The same call had failed before.
    ended: bool = False  # What follows is not known before.
    status: int | None = None
    error: str | None = None  # Why there was no whole or usable reply, in words.
    usage: Usage | None = None
    cost: float | None = None  # US dollars.
    seconds: float = 0.0  # From the call to the end of the reply.
    kept: bool = False  # A kept reply answered it: nothing went out, and it costs nothing.
    reply: str | None = None  # The name under which its reply is kept.

    @property
    def failed(self) -> bool:
        """Whether the call has ended without the whole of a good reply."""
        return self.error is not None or (self.status or 200) >= 400


class CallLog:
    """Tells of the calls of one piece of work, when each begins and when it has ended."""

    def __init__(
        self, tell: Callable[[Call], object], phase: CallPhase, by: Caller = "reader"
    ) -> None:
        self.phase = phase
        # US dollars for replies to our own readers and judges; None if no price is known.
        self.paid: float | None = None
        self.wasted = 0.0  # The part for those of no use.
        self._by = by
        self._tell = tell
        self._name = secrets.token_hex(6)
        self._calls = 0
        self._failed: set[int] = set()

    def begin(
        self, path: str, model: str | None, request: Hashable, by: Caller | None = None
    ) -> Callable[..., None]:
        """Tell that a call begins; return what tells that it has ended, and its outcome.

        Within the work of one another may call, as a memory does before its reader.
        """
        mark, began = hash(request), monotonic()
        call = self._next(path, model)._replace(again=mark in self._failed, by=by or self._by)
        self._tell(call)

        def end(**outcome: Any) -> None:
            ended = call._replace(ended=True, seconds=monotonic() - began, **outcome)
            (self._failed.add if ended.failed else self._failed.discard)(mark)
            self._tell(ended)

        return end

    def replay(self, path: str, model: str | None, **outcome: Any) -> None:
        """Tell of a call that a kept reply has answered, with its ``usage`` and ``reply``."""
        self._tell(self._next(path, model)._replace(ended=True, cost=0.0, kept=True, **outcome))

    def pay(self, dollars: float, wasted: bool = False) -> None:
        """Add what a reply cost."""
        self.paid = (self.paid or 0.0) + dollars
        if wasted:
            self.wasted += dollars

    def _next(self, path: str, model: str | None) -> Call:
        self._calls += 1
        return Call(f"{self._name}-{self._calls}", self.phase, path, model, self._by)


# Of the requests that are made now, and in tasks begun now; None if nobody asks.
current_log: ContextVar[CallLog | None] = ContextVar("current_log", default=None)


def find_texts(content: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts that a request or a reply is made of, without roles and settings."""
    if depth > _DEEPEST:
        return
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from find_texts(part, depth + 1)
    elif isinstance(content, dict):
        for name, part in content.items():
            if name in _TEXTS:
                yield from find_texts(part, depth + 1)


def parse_object(content: bytes | bytearray) -> dict[str, Any] | None:
    """Return the object that JSON holds; None if it is none."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _count_ids(inputs: object) -> int:  # Texts to be embedded may come as numbers of tokens.
    if not isinstance(inputs, list):
        return 0
    return sum(isinstance(item, int) or _count_ids(item) for item in inputs)


def _count(tokens: object) -> int:
    number = isinstance(tokens, int | float) and not isinstance(tokens, bool)
    if not number or not 0 <= tokens <= _MOST_TOKENS or tokens != int(tokens):  # type: ignore[operator,call-overload]
        raise _wrong_count(tokens)
    return int(tokens)  # type: ignore[call-overload,no-any-return]


def _wrong_count(tokens: object) -> ValueError:
    return ValueError(f"the server counts {str(tokens)[:40]!r} tokens, which cannot be")


def _read_price(table: object, place: str) -> Price:
    if not isinstance(table, dict):
        raise UsageError(f"{place} must be a table with input and output")
    window, cached = table.get("window"), table.get("cached_input")
    if not (_is_price(table.get("input")) and _is_price(table.get("output"))):
        raise UsageError(f"{place}: input and output must be numbers from 0")
    if window is not None and (not isinstance(window, int) or window < 1):
        raise UsageError(f"{place}: window must be a whole number of tokens")
    if cached is not None and not _is_price(cached):
        raise UsageError(f"{place}: cached_input must be a number from 0")
    cached = None if cached is None else float(cached)
    return Price(float(table["input"]), float(table["output"]), window, cached)


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _HIGHEST
