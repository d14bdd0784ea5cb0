"""Asks a judge about one answer, until its replies can be read.

It must never read a verdict where a reply leaves one open: what cannot be read is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mabench.families import JudgePrompt
from mabench.models import ModelError, ModelStoppedError, ModelUnavailableError, ReadingModel, Reply
from mabench.redact import redact

# How many replies to one prompt may be unreadable. The temperature of each further request is at
# least this much higher than that of the one before.
ATTEMPTS = 3
_WARMER = 0.4
_EXCERPT = 120  # How many characters of an unreadable reply an error repeats.


class JudgeRequest(NamedTuple):
    """A request to a judge about one answer."""

    prompt: JudgePrompt  # What is asked for, with a function that reads replies.
    text: str  # The prompt with its slots filled.
    tokens: int  # How long a reply may be.
    temperature: float
    asked_before: int = 0  # How many times the same was asked; each time is cached on its own.

    def is_cached(self, model: ReadingModel) -> bool:
        """Return whether the first reply to it is cached."""
        attempt = _attempt_number(self.asked_before, 0)
        return model.is_cached(self.text, self.tokens, self.temperature, attempt)


@dataclass(slots=True)
class JudgeReplies:
    """What a judge replied to the requests about one answer."""

    verdict: dict[str, int] = field(default_factory=dict)  # Of all replies; empty without one.
    first: list[str] = field(default_factory=list)  # The first reply to each request.
    last: list[str] = field(default_factory=list)  # The last one, without secrets.
    replies: list[Reply] = field(default_factory=list)  # All of them, in the order they came in.
    error: str | None = None  # Why there is no verdict.

    @property
    def words(self) -> str | None:
        """The judge's own words: its last replies, one after the other; None without any."""
        return "\n\n".join(self.last) or None


async def ask_judge(model: ReadingModel, requests: Sequence[JudgeRequest]) -> JudgeReplies:
    """Ask a judge about one answer, one request after the other, and return what it replied.

    The first reply that cannot be read, or request that fails, ends this. Raises
    ``ModelStoppedError`` and ``ModelUnavailableError``; other failures are the ``error``.
    """
    result = JudgeReplies()
    try:
        for request in requests:
            replies = await _reply_until_readable(model, request)
            last_text = replies[-1].text
            result.replies += replies
            result.first.append(replies[0].text)
            result.last.append(redact(last_text))
            verdict = request.prompt.read(last_text)
            if verdict is None:
                excerpt = " ".join(result.last[-1].split())[:_EXCERPT]
                raise ModelError(
                    f"{request.prompt.role}: no verdict in {ATTEMPTS} replies, the last being "
                    f"{excerpt!r}"
                )
            result.verdict |= verdict
    except (ModelStoppedError, ModelUnavailableError):
        raise
    except ModelError as failure:
        result.error = redact(str(failure))
    if not result.verdict and not result.error:  # There was no request.
        result.error = "the row has no key points to judge by"
    return result


async def _reply_until_readable(model: ReadingModel, request: JudgeRequest) -> list[Reply]:
    """Send a request until a reply can be read, or as often as it may be, and return the replies.

    Only the last one may be readable.
    """
    replies: list[Reply] = []
    for attempt in range(ATTEMPTS):
        reply = await model.reply(
            request.text,
            request.tokens,
            temperature=max(request.temperature, _WARMER * attempt),  # 0 would repeat itself.
            attempt=_attempt_number(request.asked_before, attempt),
        )
        replies.append(reply)
        if request.prompt.read(reply.text) is not None:
            break
    return replies


def _attempt_number(asked_before: int, attempt: int) -> int:
    """Return the number by which the reply to an attempt is cached, apart from all others."""
    return asked_before * ATTEMPTS + attempt
