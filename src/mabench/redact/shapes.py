"""Finds secrets in a text by their form, or by the name before them.

A key has digits and at least twenty characters, and does not consist of words as names do. A value
after a name, an option or a header that means a secret is one, whatever its form. No pattern may
take more than linear time, however hostile the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from mabench.redact.names import may_be_secret, names_secret, names_secret_surely

HIDDEN = "[secret]"
_SHORTEST_KEY = 20
# Characters of the shortest value that could also be an ordinary word.
_SHORTEST_VALUE = 8
# An ordinary word. Hiding those would make texts unreadable, and protects no good password.
_WORD = re.compile(r"[^\W\d_]?(?:[^\W\d_A-Z]{1,14}|[A-Z]{1,14})")
_DIGIT = re.compile(r"\d")
# Parts of names: words, versions, dates and numbers.
_SEPARATORS = re.compile(r"[-_./]+")
_NAME_PART = re.compile(r"[A-Za-z]*+(?:\d++[A-Za-z]*+)?|\d{8}T\d{4,6}Z?")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = re.compile(r"(?i)[0-9a-f]+")
# Servers repeat a key with stars in its middle.
_MASKED = "***"
# How often neighbouring characters differ in kind (lower case, upper case, digit) from which on a
# text counts as random. Random text has 0.6, names in mixed case have 0.35.
_CHANGES = 0.4
_SHORTEST_RANDOM = 32
_SHORTEST_CODE = 5
_SHORTEST_LETTERS = 30
# What stands for a secret in code, in a template or in a message.
_PLACEHOLDER = re.compile(
    r"\.{2,}|<[A-Za-z_. ]*>?|\$\{?[A-Z_][A-Z0-9_]*\}?|%[sr]|\{\w*\}|x+|X+|\*+"
)
# Words that follow an option in a sentence about it.
_ABOUT_OPTIONS = (
    "and are as as at but can cannot for from given has if in instead is must needs nor not of on "
    "option or so that the then this to too was which with"
)
_SENTENCE = frozenset(_ABOUT_OPTIONS.split())

_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"'`&;,()\[\]{}]+)"""
_HEADER = r"""(?P<name> (?:proxy-)?authorization | (?:set-)?cookie | x(?:-\w+)++
  | (?:\w+-)*(?:api|subscription)-key | (?:\w+-)*(?:auth|access|security)-token )"""
_NAME = r"(?P<name>[A-Za-z_][\w.-]*+)"


class _SecretForm(NamedTuple):
    """A form of secrets. The group ``value`` of a match is hidden, if ``fits`` returns True."""

    pattern: re.Pattern[str]
    fits: Callable[[re.Match[str]], bool] = lambda match: True


def take_out(text: str) -> tuple[str, list[str]]:
    """Return a text without secrets, and the secrets. The login of a URL ends in ``@``.

    Every pattern begins with fixed characters or repeats a limited number of times, so that it
    takes linear time.
    """
    secrets: list[str] = []
    for form in _FORMS:
        text = form.pattern.sub(partial(_hide, form, secrets), text)
    return text, secrets


def _hide(form: _SecretForm, secrets: list[str], match: re.Match[str]) -> str:
    """Return a match with its secret hidden, and add the secret, without quotes, to ``secrets``.

    A match whose value is no secret is returned as it is.
    """
    value = match["value"]
    if not value or HIDDEN in value or not form.fits(match):
        return match[0]
    quote = value[0] if value[0] in "\"'" else ""
    at_sign = "@" if value.endswith("@") else ""
    secrets.append(value.strip(quote) if quote else value)
    before = match.string[match.start() : match.start("value")]
    after = match.string[match.end("value") : match.end()]
    return f"{before}{quote}{HIDDEN}{quote}{at_sign}{after}"


def is_word(text: str) -> bool:
    """Return whether a text is a single ordinary word of up to fifteen letters."""
    return _WORD.fullmatch(text) is not None


def is_key(token: str) -> bool:
    """Return whether a token has the form of a key, and not of a name, number or word."""
    if len(token) < _SHORTEST_KEY or not _DIGIT.search(token):
        return False
    if _UUID.search(token):
        return True
    parts = [part for part in _SEPARATORS.split(token) if part]
    return any(len(part) >= _SHORTEST_KEY or not _NAME_PART.fullmatch(part) for part in parts)


def _is_random(token: str) -> bool:
    """Return whether characters change their kind as often as in random text."""
    kinds = [(char.isdigit(), char.isupper()) for char in token]
    changes = [kind for kind, following in pairwise(kinds) if kind != following]
    return len(token) > 1 and len(changes) >= _CHANGES * (len(token) - 1)


def _looks_secret(value: str) -> bool:
    """Return whether a value looks like a secret, if its name may also mean something else."""
    return len(value) >= _SHORTEST_VALUE and _DIGIT.search(value) is not None


def _is_called(match: re.Match[str]) -> bool:
    """Return whether the value is called or indexed, as in the code ``token = words.pop()``."""
    following = match.string[match.end() : match.end() + 1]
    dotted = match["value"].replace(".", "_")
    return dotted.isidentifier() and following in ("(", "[") and " = " in match[0]


def _is_assigned(match: re.Match[str]) -> bool:
    """Return whether ``name = value`` assigns a secret."""
    name, value = match["name"], match["value"].strip("\"'")
    if not names_secret(name) or not may_be_secret(name, value) or _PLACEHOLDER.fullmatch(value):
        return False
    if name.endswith(value) or _is_called(match):  # api_key=api_key, in code.
        return False
    return names_secret_surely(name) or _looks_secret(value)


def _is_of_option(match: re.Match[str]) -> bool:
    """Return whether the value of an option is a secret, and not the next word of a sentence."""
    return _is_assigned(match) and match["value"].lower() not in _SENTENCE


def _is_said(match: re.Match[str]) -> bool:
    """Return whether ``name: value`` is meant; without a space it may be ``module:Class``."""
    value = match["value"]
    if not names_secret_surely(match["name"]):
        return False
    return _looks_secret(value) if match["space"] else is_key(value)


def _is_asked(match: re.Match[str]) -> bool:
    """Return whether a parameter in a URL's query is secret, by its name."""
    name, value = match["name"], match["value"]
    if name.lower() == "code":  # Of a login; short ones are codes of countries and the like.
        return len(value) >= _SHORTEST_CODE and may_be_secret(name, value)
    return names_secret(name) and may_be_secret(name, value)


def _is_of_header(match: re.Match[str]) -> bool:
    """Return whether it is a secret header, and not a sentence on cookies or ``module:Class``."""
    name = match["name"].lower()
    if match[0].endswith(f":{match['value']}") and match["value"].isidentifier():
        return False
    return names_secret(name) and (not name.endswith("cookie") or "=" in match["value"])


def _is_entry(match: re.Match[str]) -> bool:
    """Return whether an entry has a secret value, and not dots as in an example."""
    return any(map(str.isalnum, match["value"])) and _is_assigned(match)


def _is_bearer(match: re.Match[str]) -> bool:
    """Return whether the word after "bearer" is a token."""
    return _looks_secret(match["value"])


def _is_basic(match: re.Match[str]) -> bool:
    """Return whether it is a user and a password, in base64."""
    value = match["value"].rstrip("=")
    try:
        login = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in login and login.isprintable()


def _is_of_provider(match: re.Match[str]) -> bool:
    """Return whether it is long enough to be a key of a provider, or a masked one."""
    value = match["value"]
    return _MASKED in value or (len(value) >= _SHORTEST_KEY and _DIGIT.search(value) is not None)


def _is_like_a_name_or_key(match: re.Match[str]) -> bool:
    """Return whether it is a provider's key, and not a name with the same beginning."""
    value = match["value"]
    if _MASKED in value or is_key(value):
        return True
    _, *parts = _SEPARATORS.split(value)
    if len(parts) == 1 and len(value) >= _SHORTEST_KEY and _DIGIT.search(value):
        return True
    letters = max(_SEPARATORS.split(value), key=len)  # Some of Hugging Face have no digits.
    return len(letters) >= _SHORTEST_LETTERS and _is_random(letters)


def _is_random_key(match: re.Match[str]) -> bool:
    """Return whether it is a long run of mixed random characters."""
    value = max(match["value"].split("/"), key=len)  # Paths have short parts.
    kinds = (str.isdigit, str.islower, str.isupper)
    is_mixed = all(any(map(kind, value)) for kind in kinds)
    return len(value) >= _SHORTEST_RANDOM // 2 and is_mixed and _is_random(value)


def _is_key(match: re.Match[str]) -> bool:
    """Return whether the value has the form of a key."""
    return is_key(match["value"])


_FORMS = (
    _SecretForm(
        re.compile(
            r"(?P<value>-----BEGIN[A-Z ]{0,40}PRIVATE KEY-----"
            r"(?:.*?-----END[A-Z ]{0,40}-----|.*))",
            re.DOTALL,
        )
    ),
    # user:password@ in a URL.
    _SecretForm(re.compile(r"""(?<=://)(?P<value>[^/?\#\s"'<>]*@)""")),
    _SecretForm(
        re.compile(r"""(?<=[?&;])(?P<name>[\w.-]{1,80})=(?P<value>[^\s"'`&;\#<>]+)"""), _is_asked
    ),
    # Paths of webhooks.
    _SecretForm(
        re.compile(
            r"""(?ix) (?: //hooks\.[\w.-]{1,80}/ | /webhooks?/ ) (?P<value>[^\s"'`?\#<>]{8,}) """
        ),
        lambda match: _DIGIT.search(match["value"]) is not None,
    ),
    _SecretForm(
        re.compile(rf"""(?ix) (?<![\w-]) {_HEADER} :[ \t]* (?P<value>[^\r\n"'{{}}]+) """),
        _is_of_header,
    ),
    # JSON, dictionaries, and headers in pairs.
    _SecretForm(
        re.compile(
            r"""(?x) ["'] (?P<name>[\w.-]++) ["'] \s?(?::|=>)\s?
              b?(?P<value>"[^"\n]*"|'[^'\n]*') """
        ),
        _is_entry,
    ),
    _SecretForm(
        re.compile(
            rf"""(?ix) ["'] {_HEADER} ["'] \s?(?::|=>)\s?
              b?(?P<value>"[^"\n]*"|'[^'\n]*') """
        ),
        _is_of_header,
    ),
    _SecretForm(
        re.compile(
            rf"""(?ix) [(\[] b?["'] {_HEADER} ["'] ,\s? b?(?P<value>"[^"\n]*"|'[^'\n]*') [)\]] """
        ),
        _is_of_header,
    ),
    _SecretForm(
        re.compile(
            rf"""(?x) (?<![\w-]) --?(?P<name>[A-Za-z][\w-]*+) ["']? (?:=|,?[ \t]+) (?!-)
              (?P<value>{_VALUE}) """
        ),
        _is_of_option,
    ),
    _SecretForm(
        re.compile(
            rf"""(?x) (?<![\w.-]) {_NAME} (?:["']\]?)? [ \t]?=[ \t]?(?!=) (?P<value>{_VALUE}) """
        ),
        _is_assigned,
    ),
    _SecretForm(
        re.compile(
            rf"""(?x) (?<![\w.-]) {_NAME} :(?P<space>[ \t]?) (?P<value>[^\s"'`&;,()\[\]{{}}]+) """
        ),
        _is_said,
    ),
    # A bearer token; a `;` at the end of a clause is not part of it.
    _SecretForm(
        re.compile(r"""(?i)(?<![\w-])bearer[ ](?P<value>(?:[^\s"',;}]|;(?=[^\s"',;}]))++)"""),
        _is_bearer,
    ),
    _SecretForm(re.compile(r"(?i)(?<![\w-])basic[ ](?P<value>[a-z0-9+/]{4,}+={0,2})"), _is_basic),
    # Keys of providers with beginnings that no name has, and tokens of JSON Web Tokens.
    _SecretForm(
        re.compile(
            r"""(?x) (?<![A-Za-z0-9]) (?P<value>
                (?: sk-ant- | sk-or- | sk-proj- | sk-svcacct- | gh[opsur]_
                  | github_pat_ | glpat- | xox[a-z]- | xapp- | AKIA | ASIA | AIza | ya29\. | gsk_
                  | nvapi- | whsec_ | lsv2_ | eyJ ) [\w*-][\w.*-]*+ )"""
        ),
        _is_of_provider,
    ),
    # Keys whose beginnings may also begin names, such as hf-baselines and sk_learn.
    _SecretForm(
        re.compile(
            r"(?<![A-Za-z0-9])(?P<value>"
            r"(?:sk|pk|rk|hf|xai|r8|npm|pypi|pplx|tvly|jina|dop|shpat|sess|key|pa|m0|fw|tgp|csk)"
            r"[-_][\w*-]+)"
        ),
        _is_like_a_name_or_key,
    ),
    # A token after the word key, token or secret, at most a few words before.
    _SecretForm(
        re.compile(
            r"""(?ix) (?:key|token|secret|password|passwd|passphrase|credential|signature)s?
              (?![\w-]) (?P<between>[^\n]{1,32}?) (?<![\w+/=.-])
              (?P<value>[a-z0-9+/_-]{20,}+={0,2}) """
        ),
        _is_key,
    ),
    _SecretForm(
        re.compile(rf"(?<![\w+/-])(?P<value>[A-Za-z0-9+/]{{{_SHORTEST_RANDOM},}}+=*)"),
        _is_random_key,
    ),
)
