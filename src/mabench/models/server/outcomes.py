"""Reads what a model's server replied: JSON, or the failure of a request without any."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mabench.models.failure import INVALID_REQUEST, Failure
from mabench.models.server.long_prompts import read_excess
from mabench.models.server_message import is_web_page, parse_error_body
from mabench.redact import redact

if TYPE_CHECKING:
    from aiohttp import ClientResponse

_MESSAGE_LENGTH = 300
# Characters of a reply that is not JSON, to show in an error.
_EXCERPT = 100
# How a stream of server-sent events begins.
_EVENTS = b"data:"


def describe_redirection(url: str, location: str) -> Failure:
    """Return the failure of a redirected request; no other server may get prompts and key."""
    import httpx2  # Which few servers need, and takes long to load.

    here = httpx2.URL(url)
    server = f"{here.scheme}://{here.host}"
    try:
        there = here.join(location)
        reason = f"{server} redirects to {there}, and redirects are not followed"
    except (httpx2.InvalidURL, ValueError):
        reason = f"{server} redirects to an invalid address"
    return Failure(redact(reason)[:_MESSAGE_LENGTH], again=False, unavailable=True)


def describe_refusal(reply: ClientResponse, body: bytes) -> Failure:
    """Return the failure of a request that the server answered with an error status."""
    message = parse_error_body(body)
    reason = message.after(f"HTTP {reply.status}")
    if message.wants_payment:
        return Failure.unpaid(reason)
    failure = Failure.of_status(reason, reply.status, reply.headers)
    if excess := read_excess(body):
        return failure._replace(excess=excess)
    if reply.status in INVALID_REQUEST:
        return failure._replace(server_message=message)
    return failure


def parse_reply(body: bytes) -> Any:
    """Return the JSON of a successful reply, or the ``Failure`` of one that holds none."""
    if is_web_page(body):
        reason = "the server sent a web page, such as one to sign in, in place of a reply"
        return Failure(reason, again=False)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        if body.lstrip().startswith(_EVENTS) or b"\n" + _EVENTS in body:
            reason = "the server sent a stream of events, which was not asked for"
            return Failure(reason, again=False)
    excerpt = parse_error_body(body[:_EXCERPT])
    return Failure(excerpt.after("the reply is not JSON"))
