"""Redacts command lines: of this program, and of the programs of agents and servers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from mabench.pasteable import quote_word
from mabench.redact.known import note
from mabench.redact.names import may_be_secret, names_secret
from mabench.redact.shapes import HIDDEN
from mabench.redact.texts import is_url, note_secrets, redact, redact_url

# The prefixes of agents whose names are command lines.
_PREFIX = re.compile(r"(stdio:|mcp:)(\s*)")
_OPTION = re.compile(r"--?(?P<name>[A-Za-z][\w-]*)(?P<equals>=?)")
# NAME=VALUE before a program, in a setting or after an option.
_ASSIGNED = re.compile(r"([A-Za-z_][\w.-]*)=")
# A header: its name is followed by a space, unlike in ``module:Class``, or it is an option's value.
_HEADER = re.compile(r"([A-Za-z][\w-]*):\s+(?=\S)")
_HEADER_OF_OPTION = re.compile(r"([A-Za-z][\w-]*):\s*(?=\S)")
_WITH_SETTINGS = re.compile(r"([^\[\]=\s]+)\[([^\[\]]+)\]")
_PORT = re.compile(r"\d{1,5}(?::\d{1,5})?")
_PASSWORD, _USER, _SHELL = "-p", ("u", "user"), "-c"
_HEADER_OPTIONS = ("H", "header")
# Matches -pSECRET, but not -port.
_JOINED_PASSWORD = re.compile(r"-p(?![a-z-]+$)(.+)", re.DOTALL)
# Stands for ``[secret]`` while a word is quoted: a shell would quote the brackets.
_UNQUOTED = "@@hidden@@"


def redact_command(words: Iterable[str]) -> str:
    """Return a command line without secrets. It can be pasted after they are filled in again."""
    return " ".join(_quote(word) for word in redact_words([*words]))


def redact_agent(name: str) -> str:
    """Return the name of an agent without the secrets in its URL or command line."""
    prefix = _PREFIX.match(name)
    if prefix:
        return prefix[0] + redact_line(name[prefix.end() :])
    return _redact_word(name)


def redact_line(line: str) -> str:
    """Return a command line, given as one text, or a URL without secrets."""
    if is_url(line):
        return redact_url(line)
    try:
        words = shlex.split(line)
    except ValueError:  # It is not a valid command line.
        note_secrets(line)
        return redact(line)
    safe = redact_words(words)
    return line if safe == words else " ".join(map(_quote, safe))


def redact_words(words: Sequence[str]) -> list[str]:
    """Return the words of a command line without secrets, and note the secrets."""
    safe: list[str] = []
    before = ""  # The option before the word, whose value the word may be.
    for word in words:
        if before == _SHELL:
            safe.append(_redact_nested(word))
            before = ""
            continue
        option = _OPTION.fullmatch(word)
        # After an option for a secret, what looks like a short option may be the secret.
        is_option = word.startswith("--") or (option is not None and not _says_secret(before))
        redacted = None
        if before and not is_option:
            redacted = _redact_value(before, word)
        safe.append(redacted or _redact_word(word))
        may_have_value = option is not None and not option["equals"]
        before = word if may_have_value else ""
    return safe


def _says_secret(option: str) -> bool:
    """Return whether the value of an option is a secret, by the option's name."""
    return option == _PASSWORD or (bool(option) and names_secret(option.lstrip("-")))


def _redact_value(option: str, value: str) -> str | None:
    """Return the value of an option without a secret; None if the option does not say so."""
    name = option.lstrip("-")
    if option == _PASSWORD:
        return value if _PORT.fullmatch(value) else _hide(value)
    if name in _USER and ":" in value and not is_url(value):
        user, _, password = value.partition(":")
        return f"{user}:{_hide(password)}"
    header = _HEADER_OF_OPTION.match(value) if name in _HEADER_OPTIONS else None
    if header and names_secret(header[1]):
        return header[0] + _hide(value[header.end() :])
    if names_secret(name) and may_be_secret(name, value):
        return _hide(value)
    return None


def _redact_word(word: str) -> str:
    """Return a word without secrets: an agent, an option, a setting, a header or a URL."""
    if _PREFIX.match(word):
        return redact_agent(word)
    option, assigned = _OPTION.match(word), _ASSIGNED.match(word)
    if option and option["equals"]:
        shown = word[: option.start("equals")]
        return _redact_assigned(shown, option["name"], word[option.end() :])
    if assigned:
        return _redact_assigned(assigned[1], assigned[1], word[assigned.end() :])
    settings = _WITH_SETTINGS.fullmatch(word)
    if settings:
        inner = ",".join(_redact_word(part) for part in settings[2].split(","))
        return f"{settings[1]}[{inner}]"
    if is_url(word):
        return redact_url(word)
    header = _HEADER.match(word)
    if header and names_secret(header[1]):
        return header[0] + _hide(word[header.end() :])
    joined = _JOINED_PASSWORD.fullmatch(word)
    if joined and not _PORT.fullmatch(joined[1]):
        return _PASSWORD + _hide(joined[1])
    if any(map(str.isspace, word)):
        return _redact_nested(word)
    note_secrets(word)
    return redact(word)


def _redact_assigned(shown: str, name: str, value: str) -> str:
    """Return ``shown=value`` without a secret; ``name`` is what is shown, without hyphens."""
    if names_secret(name) and may_be_secret(name, value):
        return f"{shown}={_hide(value)}"
    return f"{shown}={_redact_word(value)}"


def _redact_nested(word: str) -> str:
    """Return a word that may itself be a command line, as after ``sh -c``, without secrets."""
    try:
        words = shlex.split(word)
    except ValueError:
        words = []
    safe = redact_words(words) if len(words) > 1 else words
    if safe != words:
        return " ".join(map(_quote, safe))
    note_secrets(word)
    return redact(word)


def _hide(value: str) -> str:
    """Note a secret, and return what is shown in its place."""
    note(value)
    return HIDDEN


def _quote(word: str) -> str:
    """Quote a word for a shell, but not what stands for a secret."""
    return quote_word(word.replace(HIDDEN, _UNQUOTED)).replace(_UNQUOTED, HIDDEN)
