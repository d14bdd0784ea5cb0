"""Reads the message of a model's server that refuses a request.

Servers put their message in many places: ``error``, ``detail`` or ``message``, as a text, an object
or a list, or as plain text. Only this module knows these places. The message is redacted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from mabench.redact import redact

# Characters to which a message is cut.
_LONGEST_TEXT = 300
# How many messages of a list of errors are used.
_MOST_MESSAGES = 3
# Deeper nesting is not searched.
_DEEPEST = 6
# Fields that may hold the message, the most informative first.
_PLACES = ("error", "errors", "detail", "details", "message", "msg", "error_description")
# Fields that may name a parameter or an error code.
_PARAMETERS = ("param", "parameter", "field")
_CODES = ("code", "type", "status")
# Error codes for an account without credit; waiting does not help.
_UNPAID = re.compile(r"insufficient.?(quota|funds|balance|credit)|billing|payment|out.of.credit")
_MARKUP = re.compile(r"\s*<(!doctype|html|head|body|\?xml)", re.IGNORECASE)


class ServerMessage(NamedTuple):
    """A server's own message about a request that it refuses."""

    text: str = ""  # One line, without secrets; empty if the server says nothing.
    parameters: tuple[str, ...] = ()  # Parameters of the request that its fields name.
    codes: tuple[str, ...] = ()  # Error codes in lower case, such as ``insufficient_quota``.

    @property
    def wants_payment(self) -> bool:
        """Whether the account is empty, so that no further request can succeed."""
        return any(code == "402" or _UNPAID.search(code) for code in self.codes)

    def after(self, reason: str) -> str:
        """Return ``reason``, followed by the server's message if there is one."""
        return f"{reason}: {self.text}" if self.text else reason


def parse_error_body(body: bytes) -> ServerMessage:
    """Return the message in the body of an error reply; a web page is only named as such."""
    if is_web_page(body):
        return ServerMessage("it sent a web page")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = body.decode("utf-8", "replace")
    return find_message(content)


def find_message(content: object) -> ServerMessage:
    """Return the message in parsed JSON, with the parameters and codes beside it."""
    objects = list(_find_objects(content))
    parameters = [part[name] for part in objects for name in _PARAMETERS if name in part]
    # FastAPI and others give the path to a parameter as a list, ``loc``: its end is the name.
    paths = [part["loc"] for part in objects if isinstance(part.get("loc"), list)]
    if paths and paths[0]:
        parameters.append(paths[0][-1])
    codes = [part[name] for part in objects for name in _CODES if name in part]
    return ServerMessage(
        text=_in_one_line(_find_text(content)),
        parameters=tuple(name for name in parameters if isinstance(name, str)),
        codes=tuple(str(code).lower() for code in codes if isinstance(code, str | int)),
    )


def is_web_page(body: bytes) -> bool:
    """Return whether a body is HTML or XML, such as a sign-in page."""
    return _MARKUP.match(body[:1000].decode("utf-8", "replace")) is not None


def _find_objects(content: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects that may hold the message, a parameter or a code."""
    if depth > _DEEPEST:
        return
    if isinstance(content, list):
        for part in content[:_MOST_MESSAGES]:
            yield from _find_objects(part, depth + 1)
    elif isinstance(content, dict):
        yield content
        for name in _PLACES:
            yield from _find_objects(content.get(name), depth + 1)


def _find_text(content: object, depth: int = 0) -> str:
    """Return the most informative message in parsed JSON; empty if there is none."""
    if depth > _DEEPEST:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        messages = [_find_text(part, depth + 1) for part in content[:_MOST_MESSAGES]]
        return "; ".join(message for message in messages if message)
    if not isinstance(content, dict):
        return ""
    path = content.get("loc")
    if isinstance(path, list) and path and isinstance(content.get("msg"), str):
        return f"{'.'.join(map(str, path))}: {content['msg']}"
    messages = [_find_text(content.get(name), depth + 1) for name in _PLACES]
    distinct = dict.fromkeys(message for message in messages if message)
    if isinstance(content.get("error"), str):  # Often a title; the message is in another field.
        return ": ".join(distinct)
    return next(iter(distinct), "")


def _in_one_line(message: str) -> str:
    line = " ".join(redact(message).split())
    return line if len(line) <= _LONGEST_TEXT else f"{line[: _LONGEST_TEXT - 1]}…"
