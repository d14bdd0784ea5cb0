"""Which names say that a value is secret: of settings, options, variables, headers and fields."""

from __future__ import annotations

import re
from functools import lru_cache

# The words of a name: API_KEY, apiKey, api-key and APIKey have two.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_SURE = _words(
    "apikey bearer credential cred dsn jwt oauth otp passcode passphrase passwd password pwd "
    "secret token"
)
# They are also words of ordinary code and text, where the value has to look like a secret.
_UNSURE = _words("auth authorization cookie key pass pat pin sas session sig signature webhook")
# Words that end in these are written together: PGPASSWORD, dbpasswd, authtoken.
_TOGETHER = re.compile(
    r"""(?x) .* (?: passw(?:or)?d | passphrase | passcode | pwd | secrets? | token | credentials?
      | (?:api|auth|access|private|secret|account|client|session|encryption)key | sess(?:ion)?id
      | cookie | webhook | connectionstring | connstr )"""
)
_CONNECTION = ("connection string", "conn string", "conn str", "connection str")

# What may follow such a word and say something about the secret, which is not the secret itself:
# TOKEN_LIMIT, PASSWORD_FILE, api_key_env.
_ABOUT = _words(
    "age agent algorithm alg backend binding budget column cost count dir directory disabled "
    "domain email enabled encoding endpoint env expires expiration expiry factory field file "
    "folder format host id index kind length lifetime limit manager max method min minutes mode "
    "name num number order parallelism path per pid port prefix price provider rate required "
    "scheme seconds server size sock socket store suffix timeout ttl type uri url usage user "
    "username var variable"
)
# Of a cookie, a session or a webhook these are the secret itself.
_SECRET_PARTS = {"session": {"id"}, "cookie": {"id"}, "webhook": {"id", "uri", "url"}}
# What may be before "key" where it says under what something is found: sort_key, memory_key.
_KEYS_OF_DATA = _words(
    "answer cache column content context date dict document field foreign group hash history "
    "index input item join json lookup map memory message metadata order output partition "
    "primary prompt question record row sort text time"
)
# What may be before "tokens" and "keys" where these are counted.
_COUNTED = _words(
    "cached chunk completion context generated history input max maximum min minimum n new num "
    "number output overlap prompt reasoning total"
)
_COUNTABLE = ("tokens", "keys")
# Variables that say where the shell is.
_FOLDERS = ("PWD", "OLDPWD")
_AMOUNT = re.compile(r"(?=[.,_ ]*+\d)[\d.,_ ]++[km]?(?:,[\d.]++[km]?)*+", re.IGNORECASE)
# They say whether there is a secret, not which.
_NO_SECRETS = frozenset(["", "true", "false", "yes", "no", "none", "null", "auto"])


def names_secret(name: str) -> bool:
    """Return whether what has this name is a secret: api_key, GITHUB_PAT, X-Auth-Token."""
    return _saying(name) is not None


def names_secret_surely(name: str) -> bool:
    """Return whether the name says so even in ordinary code and text, where tokens are counted."""
    said = _saying(name)
    return said is not None and said not in _UNSURE and not name.lower().endswith(_COUNTABLE)


def may_be_secret(name: str, value: str) -> bool:
    """Return whether a value is a secret if its name says so, and not a switch or a count."""
    if value.strip().lower() in _NO_SECRETS:
        return False
    counted = name.lower().endswith(_COUNTABLE)
    return not (counted and _AMOUNT.fullmatch(value.strip()))


@lru_cache(4096)
def _saying(name: str) -> str | None:
    """Return what in a name says that its value is secret: ``api key`` of OPENAI_API_KEY."""
    if name in _FOLDERS:
        return None
    words = [word.lower() for word in _WORDS.findall(name)]
    for place in reversed(range(len(words))):
        said = _secret_word(words, place)
        if said is None:
            continue
        after = {word.removesuffix("s") for word in words[place + 1 :]} | {*words[place + 1 :]}
        about = (after & _ABOUT) - _SECRET_PARTS.get(said, set())
        if about or (said == "pass" and any(map(str.isalpha, after))):
            return None
        return said
    return None


def _secret_word(words: list[str], place: int) -> str | None:
    word = words[place]
    before = words[place - 1] if place else ""
    one = word.removesuffix("s") if word not in ("sas", "pass") else word
    if one != word and one in ("key", "token") and before in _COUNTED:
        return None
    if one == "key" and before in _KEYS_OF_DATA:
        return None
    if one == "key" and before:  # Of OPENAI_KEY that is sure.
        return f"{before} key"
    if one in _SURE or one in _UNSURE:
        return one
    if f"{before}{one}" in _SURE:  # pass_phrase
        return f"{before}{one}"
    if " ".join((before, word)) in _CONNECTION:
        return "connection string"
    return word if _TOGETHER.fullmatch(word) else None
