"""What comes of a request that a server of models answers: JSON, or why there is none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx2

from mabench.models.failure import Failure
from mabench.models.server.long_prompts import read_excess
from mabench.models.server_words import ServerWords, is_web_page, read_words
from mabench.redact import redact

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_MESSAGE_LENGTH = 300
# Characters of a reply that is not JSON, in an error.
_EXCERPT = 100
# How a stream of server-sent events begins.
_EVENTS = b"data:"


def describe_redirection(url: str, location: str) -> Failure:
    """Return the failure of a request that is redirected: elsewhere nobody gets prompts and key."""
    here = httpx2.URL(url)
    named = f"{here.scheme}://{here.host}"
    try:
        there = here.join(location)
        reason = f"{named} redirects to {there}, and redirects are not followed"
    except (httpx2.InvalidURL, ValueError):
        reason = f"{named} redirects to an invalid address"
    return Failure(redact(reason)[:_MESSAGE_LENGTH], again=False, unavailable=True)


def describe_refusal(reply: ClientResponse, body: bytes) -> Failure:
    """Return the failure of a request to which a server replied with the status of an error."""
    words = read_words(body)
    reason = words.after(f"HTTP {reply.status}")
    if words.wants_payment:
        return Failure.unpaid(reason)
    failure = Failure.of_status(reason, reply.status, reply.headers)
    if excess := read_excess(body):
        return failure._replace(excess=excess)
    return failure._replace(words=words) if reply.status in (400, 422) else failure


def parse_reply(body: bytes) -> Any:
    """Return the JSON of a reply with status 200, or the ``Failure`` of one that holds none."""
    if is_web_page(body):
        reason = "the server sent a web page, such as one to sign in, in place of a reply"
        return Failure(reason, again=False)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        if body.lstrip().startswith(_EVENTS) or b"\n" + _EVENTS in body:
            reason = "the server sent a stream of events, which was not asked for"
            return Failure(reason, again=False)
    return Failure(ServerWords(read_words(body[:_EXCERPT]).message).after("the reply is not JSON"))
