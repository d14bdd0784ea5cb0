"""Decides by its name whether a setting, option, variable, header or field is a secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# The words of a name: API_KEY, apiKey, api-key and APIKey have two.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Words that always name a secret.
_SURE = _words(
    "apikey bearer credential cred dsn jwt oauth otp passcode passphrase passwd password pwd "
    "secret token"
)
# Words that also occur in ordinary code and text; there, the value must look like a secret.
_UNSURE = _words("auth authorization cookie key pass pat pin sas session sig signature webhook")
# Compounds that are written as one word: PGPASSWORD, dbpasswd, authtoken.
_TOGETHER = re.compile(
    r"""(?x) .* (?: passw(?:or)?d | passphrase | passcode | pwd | secrets? | token | credentials?
      | (?:api|auth|access|private|secret|account|client|session|encryption)key | sess(?:ion)?id
      | cookie | webhook | connectionstring | connstr )"""
)
_CONNECTION = ("connection string", "conn string", "conn str", "connection str")

# Words after which the name is about a secret, but not the secret itself: TOKEN_LIMIT,
# PASSWORD_FILE, api_key_env.
_ABOUT = _words(
    "age agent algorithm alg backend binding budget column cost count dir directory disabled "
    "domain email enabled encoding endpoint env expires expiration expiry factory field file "
    "folder format host id index kind length lifetime limit manager max method min minutes mode "
    "name num number order parallelism path per pid port prefix price provider rate required "
    "scheme seconds server size sock socket store suffix timeout ttl type uri url usage user "
    "username var variable"
)
# For a cookie, a session or a webhook, these words mean the secret itself.
_SECRET_PARTS = {"session": {"id"}, "cookie": {"id"}, "webhook": {"id", "uri", "url"}}
# Words before "key" if it is the key of a table or mapping: sort_key, memory_key.
_KEYS_OF_DATA = _words(
    "answer cache column content context date dict document field foreign group hash history "
    "index input item join json lookup map memory message metadata order output partition "
    "primary prompt question record row sort text time"
)
# Words before "tokens" and "keys" if these are counted.
_COUNTED = _words(
    "cached chunk completion context generated history input max maximum min minimum n new num "
    "number output overlap prompt reasoning total"
)
_COUNTABLE = ("tokens", "keys")
# Variables with the current folder of the shell.
_FOLDERS = ("PWD", "OLDPWD")
_AMOUNT = re.compile(r"(?=[.,_ ]*+\d)[\d.,_ ]++[km]?(?:,[\d.]++[km]?)*+", re.IGNORECASE)
# Values that say whether there is a secret, not which.
_NO_SECRETS = frozenset(["", "true", "false", "yes", "no", "none", "null", "auto"])


def names_secret(name: str) -> bool:
    """Return whether a name says that its value is secret: api_key, GITHUB_PAT, X-Auth-Token."""
    return _secret_in(name) is not None


def names_secret_surely(name: str) -> bool:
    """Return whether a name means a secret even in ordinary code and text.

    There, "key" and "session" mean other things, too, and tokens and keys are counted.
    """
    said = _secret_in(name)
    return said is not None and said not in _UNSURE and not name.lower().endswith(_COUNTABLE)


def may_be_secret(name: str, value: str) -> bool:
    """Return whether a value is a secret if its name says so, and not a switch or a count."""
    if value.strip().lower() in _NO_SECRETS:
        return False
    counted = name.lower().endswith(_COUNTABLE)
    return not (counted and _AMOUNT.fullmatch(value.strip()))


@lru_cache(4096)
def _secret_in(name: str) -> str | None:
    """Return the words in a name that mean a secret, such as ``api key`` in OPENAI_API_KEY.

    These are the last such words. It is None if there are none, or if the words after them make the
    name one of something about the secret, as in TOKEN_LIMIT.
    """
    if name in _FOLDERS:
        return None
    words = [word.lower() for word in _WORDS.findall(name)]
    for place in reversed(range(len(words))):
        said = _secret_word(words, place)
        if said is not None:
            return None if _is_only_about(said, words[place + 1 :]) else said
    return None


def _is_only_about(said: str, following: Sequence[str]) -> bool:
    """Return whether the words that follow those for a secret say that a value is not the secret.

    ``said`` are the words for the secret. "Pass" is none before another word, as in "pass through".
    """
    with_singulars = {*following, *(word.removesuffix("s") for word in following)}
    about = with_singulars & _ABOUT
    if about - _SECRET_PARTS.get(said, set()):
        return True
    return said == "pass" and any(map(str.isalpha, with_singulars))


def _secret_word(words: list[str], place: int) -> str | None:
    """Return the words for a secret that end at a place; None if there are none."""
    word = words[place]
    before = words[place - 1] if place > 0 else ""
    singular = word if word in ("sas", "pass") else word.removesuffix("s")
    if singular != word and singular in ("key", "token") and before in _COUNTED:
        return None
    if singular == "key" and before in _KEYS_OF_DATA:
        return None
    if singular == "key" and before:  # In OPENAI_KEY, "openai key".
        return f"{before} key"
    if singular in _SURE or singular in _UNSURE:
        return singular
    if f"{before}{singular}" in _SURE:  # pass_phrase
        return f"{before}{singular}"
    if " ".join((before, word)) in _CONNECTION:
        return "connection string"
    return word if _TOGETHER.fullmatch(word) else None
