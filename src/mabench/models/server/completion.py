"""Reads a chat completion: the answer in it, or why there is none and whether to ask again.

Servers differ in the fields that they fill. A reply without an answer was paid for as well. What
the model chose to do (refuse, call a tool, only reason) it does again at temperature 0, so such a
request is not sent twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from mabench.models.failure import Failure
from mabench.models.server.requests import ModelRequest, Reply
from mabench.models.server_message import ServerMessage, find_message
from mabench.models.usage import Usage

_NO_MESSAGE = "the reply holds no message"
# Reasons why a reply ended (``finish_reason``), as several providers name them.
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "content_filtered", "safety", "recitation", "blocked"})
_CALLED_A_TOOL = frozenset({"tool_calls", "tool_use", "function_call"})
# Types of parts that hold the answer; "" is a part without a type.
_ANSWER_TYPES = frozenset({"", "text", "output_text"})
# Fields, and types of parts, that hold reasoning.
_REASONING = ("reasoning_content", "reasoning", "thinking")


class _ReplyMessage(NamedTuple):
    """The message of the first choice of a completion."""

    text: str = ""
    refusal: str = ""
    reasons: bool = False  # Whether it holds reasoning besides the answer.
    calls_a_tool: bool = False
    finish: str = ""  # Its ``finish_reason`` in lower case.


def read_completion(request: ModelRequest, content: Any) -> Reply | Failure:
    """Return the answer in the parsed JSON of a reply, or why it holds none."""
    message = _find_message(content)
    if message is None:
        server_message = ServerMessage()
        if isinstance(content, dict | list):
            server_message = find_message(content)
        reason = server_message.after(_NO_MESSAGE)
        if server_message.wants_payment:
            return Failure.unpaid(reason)
        return Failure(reason, usage=_read_usage(content))
    usage = _read_usage(content) or Usage.estimate(request.arguments, message.text)
    cut_off = message.finish in _CUT_OFF
    if message.text.strip():
        return Reply(message.text, usage, cut_off=cut_off)
    problem = _describe_problem(message, request.max_tokens)
    if problem is None:  # The same request may well get a better reply.
        return Failure("the reply is empty", usage=usage)
    return Failure(problem, again=request.temperature > 0 and not cut_off, usage=usage)


def _describe_problem(message: _ReplyMessage, max_tokens: int) -> str | None:
    """Return why a message holds no answer; None if it does not say."""
    if message.refusal:
        return ServerMessage(message.refusal).after("the model refused")
    if message.finish in _FILTERED:
        return f"the server filtered the reply ({message.finish})"
    if message.calls_a_tool or message.finish in _CALLED_A_TOOL:
        return "the model called a tool in place of an answer"
    if message.finish in _CUT_OFF:
        return f"the reply is empty: all {max_tokens} tokens went into reasoning"
    if message.reasons:
        return "the reply holds reasoning alone, and no answer"
    return None


def _find_message(content: object) -> _ReplyMessage | None:
    """Return the message of the first choice of a completion; None if there is none."""
    choices = content.get("choices") if isinstance(content, dict) else None
    if not isinstance(choices, list) or not choices:
        return None
    choice = choices[0]
    if not isinstance(choice, dict):
        return None
    message = choice.get("message")
    if not isinstance(message, dict):
        return None
    parts = list(_parts(message.get("content")))
    texts = [part.get("text") for part in parts if _type_of(part) in _ANSWER_TYPES]
    refusals = [message.get("refusal"), *(part.get("refusal") for part in parts)]
    refusal_texts = [text for text in refusals if isinstance(text, str) and text.strip()]
    has_reasoning_field = any(message.get(name) for name in _REASONING)
    has_reasoning_part = any(_type_of(part) in _REASONING for part in parts)
    return _ReplyMessage(
        text="".join(text for text in texts if isinstance(text, str)),
        refusal=refusal_texts[0] if refusal_texts else "",
        reasons=has_reasoning_field or has_reasoning_part,
        calls_a_tool=bool(message.get("tool_calls") or message.get("function_call")),
        finish=str(choice.get("finish_reason") or "").lower(),
    )


def _parts(content: object) -> Iterator[dict[str, Any]]:
    """Yield the parts of a message's content, which is a text, a part, or a list of either."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield {"text": part}
        elif isinstance(part, dict):
            yield part


def _type_of(part: dict[str, Any]) -> str:
    """Return the type of a part; empty if it has none."""
    kind = part.get("type")
    return "" if kind is None else str(kind)


def _read_usage(content: object) -> Usage | None:
    """Return the tokens that the server counted; None without a count or with an impossible one."""
    try:
        return Usage.read(content)
    except ValueError:
        return None
