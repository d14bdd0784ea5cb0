"""How many tokens a call takes, as the server counts them or as we do from its texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from mabench.text import count_tokens

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
