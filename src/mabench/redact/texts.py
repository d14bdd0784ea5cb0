"""Redacts texts, settings and URLs, before they are stored or shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mabench.redact.known import note, note_all, redact_values
from mabench.redact.names import may_be_secret, names_secret
from mabench.redact.shapes import HIDDEN, take_out

_URL = re.compile(r"[A-Za-z][\w+.-]*://")
_SERVER = re.compile(r"[\w.-]*(?:\[[^\]]*\])?(?::\d*)?(?=[/?#]|$)")
_LOGIN = re.compile(r"[^?#]*@")


def redact(text: str) -> str:
    """Return a message, a name or a command line without secrets.

    It removes the values that ``redact_values`` removes, parts of them at the ends of the text
    (which may have been cut), and everything with the form of a secret: a provider's key, the
    password of a URL, ``token=...``, an ``Authorization`` header.
    """
    without_secrets, _ = take_out(redact_values(text, pieces=True))
    return without_secrets


def note_secrets(text: str) -> None:
    """Note the secrets in a command line or a URL, since a server or program may repeat them."""
    _, secrets = take_out(text)
    for secret in secrets:
        note(secret)


def redact_setting(name: str, value: object) -> str:
    """Return ``name=value`` of a setting without secrets."""
    shown = value
    if value is not None and not isinstance(value, bool) and names_secret(name):
        if isinstance(value, Mapping) or may_be_secret(name, str(value)):
            note_all(value)
            shown = HIDDEN
    elif is_url(str(value)):
        shown = redact_url(str(value))
    else:
        note_secrets(str(value))
        shown = redact(str(value))
    return f"{name}={shown}"


def is_url(text: str) -> bool:
    """Return whether a whole text is a URL."""
    return _URL.match(text) is not None and not any(map(str.isspace, text))


def redact_url(url: str) -> str:
    """Return a URL without its user, the values in its query, and its fragment.

    All of these are noted as secrets: a service may use any of them as a key.
    """
    scheme, separator, rest = url.partition("://") if is_url(url) else ("", "", url)
    server = _SERVER.match(rest)
    if not server or not server[0]:  # A user precedes the server.
        login = _LOGIN.match(rest)
        if login:
            note(login[0])
            rest = f"{HIDDEN}@{rest[login.end() :]}"
    before_fragment, hash_sign, fragment = rest.partition("#")
    place, question_mark, query = before_fragment.partition("?")
    safe_query = "".join(_hide_part(part) for part in re.split("([&;])", query))
    safe_fragment = ""
    if fragment:
        note(fragment)
        safe_fragment = HIDDEN
    return redact(
        f"{scheme}{separator}{place}{question_mark}{safe_query}{hash_sign}{safe_fragment}"
    )


def _hide_part(part: str) -> str:
    """Return a parameter of a query without its value, and note the value."""
    name, equals, value = part.partition("=")
    if part in ("", "&", ";", HIDDEN) or (equals and not value):
        return part
    note(value if equals else name)
    return f"{name}={HIDDEN}" if equals else HIDDEN
