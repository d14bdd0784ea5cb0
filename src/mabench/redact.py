"""Keeping secrets out of what is stored or shown, and commands to terminals out of streams.

Take secrets out before a text is cut: half a key is no longer found.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TextIO, cast
from urllib.parse import quote, unquote

from mabench.printable import printable

# The last word of a variable's name says what it holds: KEYCLOAK_USER and TOKEN_LIMIT hold no
# secrets. Only words for which copy it is, or whose, may follow: API_KEY_2, SECRET_KEY_BASE.
_SECRET_NAME = re.compile(
    r"""(?ix)
    (?: (?:^|[^a-z])(?:api|access|auth|secret|private)?keys?
      | tokens? | secrets? | passw(?:or)?ds? | passphrase | credentials? | [^a-z](?:pwd|pass) )
    (?:\d+|[^a-z](?:\d+|base|old|new|prod|production|live|staging|dev|test))?$
    """
)
# Anybody may say an ordinary word, and who guesses passwords says it first.
_WORD = re.compile(r"[^\W\d_]?(?:[^\W\d_A-Z]{1,14}|[A-Z]{1,14})")
# Not max_tokens, which is a number of them.
_SECRET_SETTING = re.compile(r"(?:key|token|secret|passw(?:or)?d|credentials?)$", re.IGNORECASE)
_SHORTEST = 8
_SMALLEST_NUMBER = 100_000  # The command line reads password=123456 as a number.
_HIDDEN = "[secret]"
_RETURN = re.compile("\r\n?")

# How names of secrets end; ``key`` alone also stands in ordinary code.
_NAME = r"(?:(?:[-_]|api)key|token|secret|passw(?:or)?d|credentials?)(?![\w-])"
_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"'`&;,()\[\]{}]+)"""
# Each alternative begins with what is fixed, or repeats a bounded number of times: linear.
_SECRET_FORM = re.compile(
    rf"""(?ix)
    \b(?:sk|pk|hf|gsk|xai|ghp)[-_](?!hub_)[a-z0-9_\-*]{{8,}}+      # providers' keys, no HF_HUB_...
    | (?<=bearer\ )(?:[^\s"',;}}]|;(?=[^\s"',}}])){{8,}}+       # not a `;` that ends a clause
    | (?<=basic\ )[a-z0-9+/=]{{12,}}+
    | (?<=://)[^/?\#\s"'<>]*@                                    # user:password@ of a URL
    | {_NAME}["']?\s?=\s?(?P<assigned>{_VALUE})                   # also ?api_key=... of a URL
    | (?<=[?&])key=(?P<asked>[^\s"'`&\#<>]+)
    | (?<![\w-])--[\w-]{{0,40}}(?:key|token|secret|passw(?:or)?d|credentials?)["']?(?:=|,?[ \t]+)
      (?!-)(?P<option>{_VALUE})
    | {_NAME}["']\s?:\s?(?P<entry>"[^"\n]*"|'[^'\n]*')             # JSON and headers
    | (?:x-api-key|(?:set-)?cookie|authorization):\ ?(?P<header>[^\r\n"'{{}}]+)
    """
)

# Secrets that stand in no environment variable: of URLs, command lines and settings.
_noted: set[str] = set()


def redact(text: str) -> str:
    """Return ``text``, a message, a name or a command line, without secrets.

    Taken out are the values that ``redact_values`` takes out, a piece of one with which the
    text begins or ends, since whoever wrote it may have cut it, and whatever has the form of
    a secret: a provider's key, the password of a URL, ``token=...``, an ``Authorization`` header.
    """
    for value in _known_forms():
        text = _without_pieces(text.replace(value, _HIDDEN), value)
    return _SECRET_FORM.sub(_hide, text)


def redact_values(text: str) -> str:
    """Return ``text``, an answer or a reply, without the secrets whose values are known.

    These are the values of environment variables whose names end in a word for keys, tokens,
    secrets, passwords or credentials, and what ``note_secrets`` was shown. A value of fewer than
    8 characters, or of one word of up to 15 letters, is no secret.
    """
    if len(text) < _SHORTEST:
        return text
    for value in _known_forms():
        text = text.replace(value, _HIDDEN)
    return text


def note_secrets(text: str) -> None:
    """Note the secrets of a command line or a URL, which a server or a program may repeat."""
    for match in _SECRET_FORM.finditer(text):
        _note((_value_in(match) or match[0]).strip("\"'"))


def redact_streams() -> None:
    """Let standard output and error take secrets out of what this process prints from now on.

    Tracebacks, warnings and logs of libraries and agents come to standard error, too. Of standard
    output, which may carry data, only known values are taken out.
    """
    if not isinstance(sys.stderr, _ChangedStream):
        sys.stdout = redact_stream(sys.stdout, redact_values)
        sys.stderr = redact_stream(sys.stderr)


def redact_stream(stream: TextIO, change: Callable[[str], str] = redact) -> TextIO:
    """Return a stream that takes secrets out of what is written to it, and writes to another."""
    return cast(TextIO, _ChangedStream(stream, change))


def clean_streams() -> None:
    """Let what is printed from now on, by agents and libraries, reach the screen as text alone."""
    sys.stdout = cast(TextIO, _PrintableStream(sys.stdout))
    sys.stderr = cast(TextIO, _PrintableStream(sys.stderr))


class _ChangedStream:
    """A stream that is written to another one, changed."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self._stream = stream
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._stream.write(self._change(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


class _PrintableStream(_ChangedStream):
    """No terminal, since nothing obeys what is written; others write to the stream, too."""

    def __init__(self, stream: TextIO) -> None:
        # A return to the start of a line, as of progress bars, begins a new one.
        super().__init__(stream, lambda text: printable(_RETURN.sub("\n", text)))

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        pass


def redact_setting(name: str, value: object) -> str:
    """Return ``name=value`` as it may be shown: not the value of what is named like a key."""
    number = isinstance(value, int) and value >= _SMALLEST_NUMBER
    if (number or isinstance(value, str)) and _SECRET_SETTING.search(name):
        _note(str(value))
        return f"{name}={_HIDDEN}"
    note_secrets(str(value))
    return f"{name}={redact(str(value))}"


def _note(value: str) -> None:
    login = value.removesuffix("@")
    parts = [value]
    if login != value:
        if _WORD.fullmatch(login):
            return  # A user without a password.
        parts = [unquote(login), unquote(login.partition(":")[2]), login]
        parts.append(base64.b64encode(unquote(login).encode("utf-8", "replace")).decode())
    _noted.update(part for part in parts if len(part) >= _SHORTEST and part != _HIDDEN)


_is_of_secret = lru_cache(1024)(_SECRET_NAME.search)


def _known_forms() -> Sequence[str]:
    # The environment is read for each text, since an agent may set a key at any time.
    values = (
        value
        for name in filter(_is_of_secret, os.environ)
        if len(value := os.environ.get(name, "")) >= _SHORTEST and not _WORD.fullmatch(value)
    )
    return _forms_of(frozenset(_noted.union(values)))


@lru_cache(1)
def _forms_of(secrets: frozenset[str]) -> Sequence[str]:
    """Return secrets in the forms in which messages repeat them, the longest first."""
    forms: set[str] = set()
    for value in secrets:
        quoted = quote(value, safe="", errors="surrogatepass")
        forms |= {value, json.dumps(value)[1:-1], repr(value)[1:-1], quoted}
    return sorted(forms, key=len, reverse=True)


def _without_pieces(text: str, value: str) -> str:
    most = min(len(value) - 1, len(text))
    for length in range(most, _SHORTEST - 1, -1):
        if text.endswith(value[:length]):
            text = text[:-length] + _HIDDEN
            break
    for length in range(most, _SHORTEST - 1, -1):
        if text.startswith(value[-length:]):
            return _HIDDEN + text[length:]
    return text


def _value_in(match: re.Match[str]) -> str | None:
    return match[match.lastgroup] if match.lastgroup else None


def _hide(match: re.Match[str]) -> str:
    """Return what replaces a secret: its name and what stands around its value stay."""
    value = _value_in(match)
    if value is None:
        return _HIDDEN + "@" * match[0].endswith("@")
    quotes = value[0] if value[0] in "\"'" else ""
    start = match.start(match.lastgroup or 0) - match.start()
    return match[0][:start] + quotes + _HIDDEN + quotes
