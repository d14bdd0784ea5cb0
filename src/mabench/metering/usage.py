"""The tokens that a call took, as the server counts them, or by our estimate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

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
    """Tokens of one call.

    Attributes:
        input, output: tokens of the request and of the reply.
        cached: how many of the input the server had kept.
        estimated: whether input and output are our own count, since the server gives none.
    """

    input: int
    output: int
    cached: int = 0
    estimated: bool = False


def counted(reply: object) -> Usage | None:
    """Return the tokens that a reply, or an event of a stream, says it took; None where it is mute.

    Chat completions, completions and embeddings say so in ``usage``; of responses, the last event
    of a stream holds the whole response.
    """
    if not isinstance(reply, dict):
        return None
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        inner = reply.get("response")
        return counted(inner) if isinstance(inner, dict) else None
    taken, given = _first(usage, _INPUT), _first(usage, _OUTPUT)
    if taken is None:
        return None
    named = (usage.get(name) for name in _DETAILS)
    details = next((one for one in named if isinstance(one, dict)), {})
    return Usage(taken, given or 0, min(_count(details.get("cached_tokens")) or 0, taken))


def estimated(request: object, reply: str) -> Usage:
    """Return about what a call took whose server does not say."""
    shown = count_tokens("\n".join(texts(request)))
    given = request.get("input") if isinstance(request, dict) else None
    return Usage(shown + _ids(given), count_tokens(reply), estimated=True)


def texts(content: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts that a request or a reply is made of, without roles and settings."""
    if depth > _DEEPEST:
        return
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from texts(part, depth + 1)
    elif isinstance(content, dict):
        for name, part in content.items():
            if name in _TEXTS:
                yield from texts(part, depth + 1)


def parsed(content: bytes | bytearray) -> Any:
    """Return what JSON holds; None where it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _ids(given: object) -> int:
    """Return how many tokens there are where texts to be embedded come as numbers of tokens."""
    if not isinstance(given, list):
        return 0
    return sum(isinstance(one, int) or _ids(one) for one in given)


def _first(usage: dict[str, Any], names: tuple[str, ...]) -> int | None:
    return next((count for name in names if (count := _count(usage.get(name))) is not None), None)


def _count(tokens: object) -> int | None:
    if isinstance(tokens, bool) or not isinstance(tokens, int | float):
        return None
    return int(tokens) if 0 <= tokens <= _MOST_TOKENS else None
