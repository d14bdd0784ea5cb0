"""Redacts secrets whose values are known: those of the environment, and those noted before."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote

from mabench.redact.names import may_be_secret, names_secret
from mabench.redact.shapes import HIDDEN, is_word, take_out

# Characters of the shortest piece of a secret that is hidden, and of the shortest secret.
SHORTEST_PIECE = 8
_SHORTEST = 6
_LONGEST_PATH = 4096
# Secrets from URLs, command lines and settings, which are in no environment variable.
_noted: set[str] = set()


def note(value: str) -> None:
    """Note a secret, since a server or program may repeat it. The login of a URL ends in ``@``."""
    _noted.update(_parts_of(value))


def note_all(value: object) -> None:
    """Note a secret, or all within a mapping or a list of secrets."""
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, str | bytes) or not isinstance(value, Iterable):
        note(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))
        return
    for part in value:
        note_all(part)


def redact_values(text: str, *, pieces: bool = False) -> str:
    """Return an answer or a reply without the secrets whose values are known.

    These are the values of environment variables whose names say that they are secret, passwords in
    the URLs of other variables, and secrets that were noted. Short or ordinary words are kept. With
    ``pieces``, parts of secrets at the ends of the text are removed, too.
    """
    if len(text) < _SHORTEST:
        return text
    for value in _known_forms():
        text = text.replace(value, HIDDEN)
        if pieces:
            text = _without_pieces(text, value)
    return text


def _parts_of(value: str) -> Iterator[str]:
    """Yield the parts of a secret that may be repeated, but no ordinary words."""
    parts = [value, unquote(value)]
    if value.endswith("@"):
        written = value[:-1]
        login = unquote(written)
        user, colon, password = login.partition(":")
        if not colon and is_word(user):
            return  # A user without a password.
        _, _, written_password = written.partition(":")
        in_base64 = base64.b64encode(login.encode("utf-8", "replace")).decode()
        parts = [login, password, written, written_password, in_base64]
    yield from filter(_is_worth_hiding, parts)


def _is_worth_hiding(value: str) -> bool:
    """Return whether a value is too long or too odd to be an ordinary word."""
    if len(value) < SHORTEST_PIECE:
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        return mixed and len(value) >= _SHORTEST
    return value != HIDDEN and not is_word(value)


@lru_cache(4096)
def _secrets_of_variable(name: str, value: str) -> frozenset[str]:
    """Return the secrets in an environment variable.

    These are its whole value if its name says that it is secret, and the password of a URL in it.
    """
    if not value:
        return frozenset()
    is_secret = names_secret(name) and may_be_secret(name, value) and not _is_file(value)
    if not (is_secret or "://" in value):
        return frozenset()
    _, secrets = take_out(value)
    # If it contains a password, errors may repeat the whole value.
    has_password = any(not secret.endswith("@") or ":" in secret for secret in secrets)
    if is_secret or has_password:
        secrets.append(value)
    return frozenset(part for secret in secrets for part in _parts_of(secret))


def _is_file(value: str) -> bool:
    """Return whether a value names a file that holds the secret."""
    if not value.startswith(("/", "~")) or len(value) > _LONGEST_PATH:
        return False
    try:
        return Path(value).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False


def _known_forms() -> Sequence[str]:
    """Return all known secrets in the forms in which messages repeat them."""
    # The environment is read each time, because an agent may set a key at any time.
    secrets = (_secrets_of_variable(name, value) for name, value in list(os.environ.items()))
    return _forms_of(frozenset(_noted.union(*secrets)))


@lru_cache(1)
def _forms_of(secrets: frozenset[str]) -> Sequence[str]:
    """Return secrets in the forms in which messages repeat them, the longest first."""
    forms: set[str] = set()
    for value in secrets:
        quoted = quote(value, safe="", errors="surrogatepass")
        forms |= {value, json.dumps(value)[1:-1], repr(value)[1:-1], quoted}
    return sorted(forms, key=len, reverse=True)


def _without_pieces(text: str, value: str) -> str:
    """Hide the parts of a secret that are left at the ends of a text that was cut.

    The text may end with the beginning of the secret, or begin with its end.
    """
    longest = min(len(value) - 1, len(text))
    for length in range(longest, SHORTEST_PIECE - 1, -1):
        if text.endswith(value[:length]):
            text = text[:-length] + HIDDEN
            break
    for length in range(longest, SHORTEST_PIECE - 1, -1):
        if text.startswith(value[-length:]):
            return HIDDEN + text[length:]
    return text
