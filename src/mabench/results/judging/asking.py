"""Asking a judge about one answer, until its replies can be read.

It must never read a verdict where a reply leaves one open: what cannot be read is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mabench.families import JudgePrompt
from mabench.models import ModelError, ModelStoppedError, ModelUnavailableError, ReadingModel, Reply
from mabench.redact import redact

# How many replies to one prompt may be unreadable, each to a request that is a little warmer.
ATTEMPTS = 3
_WARMER = 0.4
# How much of an unreadable reply an error repeats, in characters.
_EXCERPT = 120


class JudgeRequest(NamedTuple):
    """A request to a judge about one answer."""

    prompt: JudgePrompt  # Reads replies.
    text: str  # The prompt with its slots filled.
    tokens: int  # How long a reply may be.
    temperature: float
    asked_before: int = 0  # How many times the same was asked; each time is cached on its own.

    def is_cached(self, model: ReadingModel) -> bool:
        """Return whether the first reply to it is cached."""
        attempt = self.asked_before * ATTEMPTS
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
    """Ask a judge about one answer, one request after the other.

    Raises ``ModelStoppedError`` and ``ModelUnavailableError``; other failures are the ``error``.
    """
    said = JudgeReplies()
    try:
        for request in requests:
            replies = await _reply_until_readable(model, request)
            said.replies += replies
            said.first.append(replies[0].text)
            said.last.append(redact(replies[-1].text))
            reading = request.prompt.read(replies[-1].text)
            if reading is None:
                excerpt = " ".join(said.last[-1].split())[:_EXCERPT]
                raise ModelError(
                    f"{request.prompt.role}: no verdict in {ATTEMPTS} replies, the last being "
                    f"{excerpt!r}"
                )
            said.verdict |= reading
    except (ModelStoppedError, ModelUnavailableError):
        raise
    except ModelError as failure:
        said.error = redact(str(failure))
    if not said.verdict and not said.error:
        said.error = "the row has no key points to judge by"
    return said


async def _reply_until_readable(model: ReadingModel, request: JudgeRequest) -> list[Reply]:
    """Return the replies to a request. Only the last one can be read, if any."""
    replies: list[Reply] = []
    for attempt in range(ATTEMPTS):
        reply = await model.reply(
            request.text,
            request.tokens,
            temperature=max(request.temperature, _WARMER * attempt),  # 0 would repeat itself.
            attempt=request.asked_before * ATTEMPTS + attempt,
        )
        replies.append(reply)
        if request.prompt.read(reply.text) is not None:
            break
    return replies
