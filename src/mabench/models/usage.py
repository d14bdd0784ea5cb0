"""The token counts of a call, from the server's own count or estimated from the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from mabench.text import count_tokens

# A higher count is an error of the server.
_MOST_TOKENS = 10**8
# Fields of ``usage``: OpenAI's two protocols use different names.
_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
# Fields of requests and replies whose texts take tokens.
_TEXTS = frozenset(
    {"messages", "input", "prompt", "instructions", "tools", "functions", "content", "text"}
    | {"choices", "message", "delta", "output", "arguments", "name", "description", "parameters"}
    | {"function", "tool_calls", "refusal", "reasoning_content", "properties"}
)
# Deeper nesting is not searched.
_DEEPEST = 30


class Usage(NamedTuple):
    """The token counts of one call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0  # The part of the input that was in the server's cache.
    estimated: bool = False  # They are our own estimate, since the server gave no count.

    @classmethod
    def read(cls, reply: object) -> Usage | None:
        """Return the counts in a reply, or in an event of a stream; None if it has none.

        Chat completions, completions and embeddings have a field ``usage``. In the responses API,
        the last event of a stream holds the whole reply as ``response``.

        Raises:
            ValueError: when a count is not possible, such as a negative one.
        """
        if not isinstance(reply, dict):
            return None
        usage = reply.get("usage")
        if not usage:
            return cls.read(reply.get("response"))
        if not isinstance(usage, dict):
            raise _wrong_count(usage)
        input_count = _first_value(usage, _INPUT)
        output_count = _first_value(usage, _OUTPUT)
        # Only embeddings have no output.
        if input_count is None or (output_count is None and reply.get("choices")):
            return None
        input_tokens = _check_count(input_count)
        output_tokens = _check_count(output_count or 0)
        cached = 0
        for name in _DETAILS:
            details = usage.get(name)
            if isinstance(details, dict):
                with suppress(ValueError):
                    cached = min(_check_count(details.get("cached_tokens") or 0), input_tokens)
        return cls(input_tokens, output_tokens, cached)

    @classmethod
    def estimate(cls, request: object, reply: str) -> Usage:
        """Estimate the counts of a call from its texts, for a server that gives none."""
        tokens = count_tokens("\n".join(find_texts(request)))
        inputs = request.get("input") if isinstance(request, dict) else None
        return cls(tokens + _count_ids(inputs), count_tokens(reply), estimated=True)

    @property
    def is_possible(self) -> bool:
        """Whether the counts are valid; those read from a file may be anything."""
        counts: tuple[object, ...] = (self.input_tokens, self.output_tokens, self.cached_tokens)
        return all(isinstance(count, int) and 0 <= count <= _MOST_TOKENS for count in counts)


def find_texts(content: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts of a request or a reply that take tokens, without roles and settings."""
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


def _first_value(usage: dict[str, Any], names: Iterable[str]) -> object:
    """Return the value of the first of these fields that is set; None if none is."""
    for name in names:
        if usage.get(name) is not None:
            return usage[name]
    return None


def _count_ids(inputs: object) -> int:
    """Return the number of token ids in the input of an embedding request.

    Such requests may hold token ids in place of texts: a list of them, or a list for each text.
    """
    if not isinstance(inputs, list):
        return 0
    count = 0
    for item in inputs:
        if isinstance(item, int):
            count += 1
        else:
            count += _count_ids(item)
    return count


def _check_count(tokens: object) -> int:
    """Return a count as an integer, or raise a ``ValueError`` if it is not possible."""
    is_number = isinstance(tokens, int | float) and not isinstance(tokens, bool)
    if not is_number or not 0 <= tokens <= _MOST_TOKENS or tokens != int(tokens):  # type: ignore[operator,call-overload]
        raise _wrong_count(tokens)
    return int(tokens)  # type: ignore[call-overload,no-any-return]


def _wrong_count(tokens: object) -> ValueError:
    return ValueError(f"the server counts {str(tokens)[:40]!r} tokens, which cannot be")
