"""What a server of models says in its own words when it refuses a request.

Servers put their message in many places: ``error``, ``detail`` or ``message``, as a text, an object
or a list, or in plain text. Nothing else here depends on which of them it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from mabench.redact import redact

# Characters of a message.
_LONGEST = 300
# How many messages of a list of faults are repeated.
_MOST_MESSAGES = 3
_DEEPEST = 6
# Where a message may be, the most telling places first.
_PLACES = ("error", "errors", "detail", "details", "message", "msg", "error_description")
_PARAMETERS = ("param", "parameter", "field")
_CODES = ("code", "type", "status")
# Codes by which providers say that an account has to be topped up, which no waiting mends.
_UNPAID = re.compile(r"insufficient.?(quota|funds|balance|credit)|billing|payment|out.of.credit")
_MARKUP = re.compile(r"\s*<(!doctype|html|head|body|\?xml)", re.IGNORECASE)


class ServerWords(NamedTuple):
    """A server's own message about a request that it refuses."""

    message: str = ""  # One line, without secrets; empty if the server says nothing.
    parameters: tuple[str, ...] = ()  # The parameters of the request that it names as such.
    codes: tuple[str, ...] = ()  # Such as ``insufficient_quota``, in small letters.

    @property
    def wants_payment(self) -> bool:
        """Whether the account is empty, so that no further request can succeed."""
        return any(code == "402" or _UNPAID.search(code) for code in self.codes)

    def after(self, reason: str) -> str:
        """Return a reason of our own, followed by the server's message if there is one."""
        return f"{reason}: {self.message}" if self.message else reason


def read_words(body: bytes) -> ServerWords:
    """Return what the body of an error says; of a web page, only that it is one."""
    if is_web_page(body):
        return ServerWords("it sent a web page")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = body.decode("utf-8", "replace")
    return words_in(content)


def words_in(content: object) -> ServerWords:
    """Return what parsed JSON says."""
    objects = list(_objects(content))
    parameters = [part[name] for part in objects for name in _PARAMETERS if name in part]
    parameters += [place[-1] for part in objects if isinstance(place := part.get("loc"), list)][:1]
    codes = [part[name] for part in objects for name in _CODES if name in part]
    return ServerWords(
        _in_one_line(_message(content)),
        tuple(name for name in parameters if isinstance(name, str)),
        tuple(str(code).lower() for code in codes if isinstance(code, str | int)),
    )


def is_web_page(body: bytes) -> bool:
    """Return whether a body is HTML or XML, as of a page to sign in."""
    return _MARKUP.match(body[:1000].decode("utf-8", "replace")) is not None


def _objects(content: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects in which a message and what belongs to it may be."""
    if depth > _DEEPEST:
        return
    if isinstance(content, list):
        for part in content[:_MOST_MESSAGES]:
            yield from _objects(part, depth + 1)
    elif isinstance(content, dict):
        yield content
        for name in _PLACES:
            yield from _objects(content.get(name), depth + 1)


def _message(content: object, depth: int = 0) -> str:
    if depth > _DEEPEST:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        messages = (_message(part, depth + 1) for part in content[:_MOST_MESSAGES])
        return "; ".join(message for message in messages if message)
    if not isinstance(content, dict):
        return ""
    if isinstance(place := content.get("loc"), list) and isinstance(content.get("msg"), str):
        return f"{'.'.join(map(str, place))}: {content['msg']}"
    found = [message for name in _PLACES if (message := _message(content.get(name), depth + 1))]
    if isinstance(content.get("error"), str):  # Often a title, with the message beside it.
        return ": ".join(dict.fromkeys(found))
    return found[0] if found else ""


def _in_one_line(message: str) -> str:
    line = " ".join(redact(message).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
