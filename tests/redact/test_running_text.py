"""What is hidden in running text, and what comes through: names, paths, sentences and numbers."""

import base64
import string
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mabench.redact import redact, redact_agent, redact_command

_LETTERS = string.ascii_letters
_SMALL = string.ascii_lowercase
_BASE62 = _LETTERS + string.digits
_BASE64URL = _BASE62 + "-_"
# Beginnings of names that are also those of providers' keys, and other words around secrets.
_BEGINNINGS = ["hf", "sk", "pk", "key", "token", "secret", "basic", "bearer"]
_BEGINNINGS += ["auth", "pat", "session", "cookie", "password"]
_WORDS = [
    *("memory", "embedder", "baselines", "store", "agent", "module", "index", "reader"),
    *("long", "context", "history", "learn", "run", "test", "large", "base"),
    *("authentication", "required", "invalid", "missing", "header", "value", "provided"),
]


def _join(separator: str) -> st.SearchStrategy[str]:
    part = st.one_of(
        st.sampled_from([*_WORDS, *_BEGINNINGS]),
        st.text(_SMALL, min_size=1, max_size=12),
        st.integers(0, 3000).map(str),
        st.sampled_from(["bm25", "v2", "197K", "262k", "2026-11-29", "20261129", "gpt4o", "L6"]),
    )
    rest = st.lists(part, max_size=5)
    return st.tuples(st.sampled_from(_BEGINNINGS), rest).map(
        lambda drawn: separator.join([drawn[0], *drawn[1]])
    )


_NAMES = st.one_of(_join("_"), _join("-"), _join("."), _join("/").map(lambda path: f"runs/{path}"))
_FRAMES = [
    "{}",
    "no module named '{}'",
    "--out {}",
    "{}:Memory",
    "{}:HybridMemory2",
    'File "/tmp/{}/x.py", line 3',
]
_FRAMES += ["{}: it cannot be written", "Run folder: {}", "mabench show {} --wrong"]


@given(st.sampled_from(_FRAMES), _NAMES)
@example("--out {}", "runs/hf-baselines")
@example("no module named '{}'", "hf_embedder_memory")
def test_names_come_through(frame: str, name: str) -> None:
    text = frame.format(name)
    assert redact(text) == text
    if " " not in text:
        assert redact_agent(text) == text
        assert redact_command(["mabench", "run", text]) == f"mabench run {text}"


@given(st.lists(st.sampled_from([*_WORDS, *_BEGINNINGS, "the", "of", "is", "a"]), max_size=9))
@example(["Basic", "authentication", "required"])
@example(["Bearer", "authentication", "is", "required"])
def test_sentences_come_through(words: list[str]) -> None:
    for text in (" ".join(words), f"{' '.join(words)}.", f"401 {' '.join(words)}: try again"):
        assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "token = token",
        "api_key=None, password=True",
        "error: argument --api-key: expected one argument",
        "give --api-key or set OPENAI_API_KEY",
        'expected {"session": "...", "kind": "agent" or "memory"}',
        "export TOKEN=$TOKEN",
        "    tokens = sum(estimate_tokens(text) for text in texts)",
        "    password = login.partition(':')",
        '_OURS = {"authorization", "x-api-key", "cookie"}',
        "KeyError: 'longmemeval_s_197K'",
        "the key factconsolidation_mh_262k is unknown",
        "hub/snapshots/3f2b1c9a8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a/data.parquet",
        "the revision 3f2b1c9a8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a of the data",
        "BAAI/bge-small-en-v1.5 and gpt-4o-mini-2024-07-18",
        "--chunk-tokens 4096 --knob tokens=6k,32k max_tokens=16384",
        "memory_key=chat_history, token_limit=1000000, api_key_env=OPENAI_API_KEY",
    ],
)
def test_what_only_speaks_of_secrets_comes_through(text: str) -> None:
    assert redact(text) == text


def _with_digit(text: str) -> str:
    return text if any(map(str.isdigit, text)) else f"{text[:-1]}7"


def _random(alphabet: str, least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most).map(_with_digit)


_HEX = _random("0123456789abcdef", 32, 64)
_UUIDS = st.uuids().map(str)
_BASE64 = st.binary(min_size=24, max_size=48).map(
    lambda raw: _with_digit(base64.b64encode(raw).decode())
)
# Keys that are known as such wherever they stand.
_OF_PROVIDERS = st.one_of(
    _random(_BASE62, 20, 48).map(lambda key: f"sk-{key}"),
    _random(_BASE64URL, 20, 90).map(lambda key: f"sk-ant-api03-{key}"),
    _random(_BASE64URL, 20, 90).map(lambda key: f"sk-proj-{key}"),
    _random(_BASE62, 24, 40).map(lambda key: f"hf_{key}"),
    _random(_BASE62, 36, 36).map(lambda key: f"ghp_{key}"),
    _random(_BASE62 + "_", 60, 82).map(lambda key: f"github_pat_{key}"),
    _random(string.ascii_uppercase + string.digits, 16, 16).map(lambda key: f"AKIA{key}"),
    _random(_BASE64URL, 35, 35).map(lambda key: f"AIza{key}"),
    _random(string.digits + "-", 20, 40).map(lambda key: f"xoxb-{key}"),
    _random(_BASE62, 24, 40).map(lambda key: f"sk_live_{key}"),
    _random(_BASE62, 20, 60).map(lambda key: f"gsk_{key}"),
    st.tuples(*[_random(_BASE64URL, 12, 40)] * 3).map(lambda p: f"eyJ{p[0]}.{p[1]}.{p[2]}"),
    _HEX.map(lambda key: f"pplx-{key}"),
    _UUIDS.map(lambda key: f"sk-{key}"),
)
_KEYS = st.one_of(_OF_PROVIDERS, _HEX, _UUIDS, _BASE64)
_TEXTS = ["{}", "refused: {}.", "('{}',)", "url/{}", 'key "{}" is wrong', "x={}", "a:{};"]


@settings(max_examples=200)
@given(st.sampled_from(_TEXTS), _OF_PROVIDERS)
def test_a_providers_key_is_hidden_wherever_it_stands(text: str, key: str) -> None:
    assert key not in redact(text.format(key))


_NAMED = [
    *("Incorrect API key provided: {}", "invalid token '{}'", "the secret is {}"),
    *("Bearer {}", "Authorization: Bearer {}", "{{'authorization': 'Bearer {}'}}", "x-api-key: {}"),
    *("(b'authorization', b'Bearer {}')", "Cookie: sid={}", "--api-key {}", "--token={}"),
    *("['--password', '{}']", '{{"api_key": "{}"}}', "OPENAI_API_KEY_EU={}", "GITHUB_PAT={}"),
    *("https://h/v1?sig={}", "https://h/?a=1&jwt={}", "https://h/x?code={}&b=2", "token = '{}'"),
    *("Server=h;AccountKey={}", "client_secret={}", "signature={}", "password: {}"),
]


@settings(max_examples=200)
@given(st.sampled_from(_NAMED), _KEYS)
def test_what_is_called_a_secret_is_hidden(text: str, key: str) -> None:
    key = quote(key, safe="") if "?" in text else key
    assert key not in redact(text.format(key))


_FORMLESS = st.text(_LETTERS + "_", min_size=8, max_size=15)
_SURE = ["--passphrase {}", "--token={}", "DB_PASSWORD={}", "passphrase={}", '{{"api_key": "{}"}}']
_SURE += ["Authorization: {}", "X-Auth-Token: {}", "https://u:{}@host/x", "redis://:{}@host"]


@given(st.sampled_from(_SURE), _FORMLESS)
def test_values_of_options_variables_and_headers_are_hidden_whatever_they_are(
    text: str, value: str
) -> None:
    assert value not in redact(f"it is said: {text.format(value)}")


@given(st.text(_LETTERS, min_size=1, max_size=9), st.text(_BASE62, min_size=4, max_size=12))
def test_basic_credentials_are_hidden(user: str, password: str) -> None:
    login = base64.b64encode(f"{user}:{password}".encode()).decode()
    assert login not in redact(f"it sent Basic {login} and was refused")


def test_a_private_key_is_hidden_with_all_its_lines() -> None:
    lines = "\n".join(["MIIEpAIBAAKCAQEA7" * 3] * 4)
    pem = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    assert redact(f"it holds {pem} and more") == "it holds [secret] and more"
    assert "MIIEp" not in redact(f"cut: {pem[:90]}")


@pytest.mark.parametrize(
    "piece",
    ["token", "://", "a=", "-----BEGIN PRIVATE KEY-----", "key ", "--a", "x-", '"a":', "sk-"],
)
def test_the_longest_text_takes_linear_time(piece: str) -> None:
    """A pattern that took quadratic time would not end."""
    redact(piece * (200_000 // len(piece)))
