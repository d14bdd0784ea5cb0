"""A server that redirects elsewhere: neither prompts nor keys follow."""

from __future__ import annotations

import asyncio
from urllib.parse import urljoin

import pytest

from mabench.errors import UsageError
from mabench.models import ModelSpec, ModelUnavailableError, RetryPolicy, open_model
from mabench.models.server import _redirect_target
from mabench.remote.http_channel import http_factory
from tests.models.server import Fault, serving
from tests.remote.http_serving import running
from tests.remote.http_serving import serving as serving_memories

_KEY = "sk-very-secret-0123456789"


def ask(url: str) -> str:
    async def go() -> str:
        retry = RetryPolicy(attempts=2, first=0.01)
        model = open_model(ModelSpec("m", base_url=url, cache=False), retry)
        try:
            return (await model.reply("hello", 20)).text
        finally:
            await model.close()

    return asyncio.run(go())


@pytest.mark.parametrize("status", ["301", "302", "307", "308"])
def test_a_model_server_may_not_send_us_elsewhere(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    with serving(str.upper) as other:
        there = other.url.replace("127.0.0.1", "localhost") + "/chat/completions"
        fault = Fault(status, {"Location": there})
        with (
            serving(lambda _: fault) as served,
            pytest.raises(ModelUnavailableError, match="redirects to another host, localhost"),
        ):
            ask(served.url)
    assert other.requests == []
    assert len(served.requests) == 1


def test_a_redirect_on_the_same_server_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    replies: list[str | Fault] = [Fault("307", {"Location": "/v2/chat/completions"}), "fine"]
    waiting = iter(replies)
    with serving(lambda _: next(waiting)) as served:
        assert ask(served.url) == "fine"
        assert len(served.requests) == 2


def test_a_memory_server_may_not_send_us_elsewhere() -> None:
    from http.server import BaseHTTPRequestHandler

    with serving_memories(lambda path, body: (200, {"session": "s", "kind": "agent"})) as other:

        class Redirecting(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(307)
                self.send_header("Location", other.url.replace("//", "//me:password@") + "/reset")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        with running(Redirecting) as url, pytest.raises(UsageError, match="redirects to") as raised:
            http_factory(url)()
    assert "me:password" not in str(raised.value)
    assert other.exchanges == []


@pytest.mark.parametrize(
    ("here", "there", "followed"),
    [
        ("http://a/v1", "https://a/v1", True),
        ("http://a/v1", "/v2", True),
        ("https://a/v1", "https://a:443/v2", True),
        ("https://a/v1", "http://a/v1", False),
        ("http://a/v1", "http://a:81/v1", False),
        ("http://a/v1", "//b/v1", False),
        ("http://a/v1", "http://a@b/v1", False),
        ("http://a/v1", "https://a.b/v1", False),
    ],
)
def test_which_redirects_are_followed(here: str, there: str, followed: bool) -> None:
    if followed:
        assert _redirect_target(here, there) == urljoin(here, there).replace(":443", "")
    else:
        with pytest.raises(ValueError, match="redirects to"):
            _redirect_target(here, there)
