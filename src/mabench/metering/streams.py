"""The events of a streamed reply (server-sent events), passed on and read on the way.

The format: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import re
from typing import Any

from mabench.metering.usage import Usage, counted, parsed, texts

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")
# In JSON a quotation mark within a text is escaped, so that this is never part of one.
_NO_USAGE = re.compile(rb',\s?"usage":\s?null')
# What ends a stream: of completions, and of the responses API.
_DONE = b"[DONE]"
_ENDS = ("response.completed", "response.incomplete")
_LONGEST = 16 * 1024**2  # Bytes of an event; one that is longer is passed on unread.


class EventStream:
    """Passes on a streamed reply and notes what it took.

    Args:
        hides_usage: leave out what the client did not ask for: the event with the usage alone,
            and ``"usage": null`` in the others. Otherwise every byte passes as it came.

    Attributes:
        usage: what the reply took, once an event says so.
        text: what was generated, to be estimated where none does.
    """

    def __init__(self, hides_usage: bool) -> None:
        self.usage: Usage | None = None
        self.text: list[str] = []
        self._ended = self._erred = False
        self._hides = hides_usage
        self._rest = b""

    @property
    def complete(self) -> bool:
        """Whether the end was seen, and no error."""
        return self._ended and not self._erred

    def feed(self, content: bytes) -> bytes:
        """Return what is to be passed on of what has come, which may be nothing yet."""
        self._rest += content
        passed, start = [], 0
        for end in _END.finditer(self._rest):
            passed.append(self._event(self._rest[start : end.end()]))
            start = end.end()
        self._rest = self._rest[start:]
        if len(self._rest) > _LONGEST:
            passed.append(self.rest())
        return b"".join(passed) if self._hides else content

    def rest(self) -> bytes:
        """Return what has come since the last whole event; nothing where all was passed on."""
        rest, self._rest = self._rest, b""
        if rest:
            rest = self._event(rest)
        return rest if self._hides else b""

    def _event(self, event: bytes) -> bytes:
        """Read an event, and return what is passed on of it."""
        lines = _LINE.split(event)
        data = b"\n".join(line[5:].lstrip(b" ") for line in lines if line.startswith(b"data:"))
        self._ended = self._ended or data.strip() == _DONE
        content = parsed(data) if data else None
        if not isinstance(content, dict):
            return event
        usage = counted(content)
        self.usage = usage or self.usage
        self._note(content)
        if not self._hides:
            return event
        if usage and content.get("choices") == []:
            return b""
        return _NO_USAGE.sub(b"", event)

    def _note(self, content: dict[str, Any]) -> None:
        kind = content.get("type")
        self._erred = self._erred or kind == "error" or content.get("error") is not None
        self._ended = self._ended or kind in _ENDS
        if isinstance(kind, str):  # Of the responses API: only its deltas are new.
            if kind.endswith(".delta") and isinstance(content.get("delta"), str):
                self.text.append(content["delta"])
        else:
            self.text += texts(content.get("choices"))
