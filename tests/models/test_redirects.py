"""A server that redirects elsewhere: neither prompts nor keys follow."""

from urllib.parse import urljoin

import pytest

from mabench.errors import UsageError
from mabench.models import ModelUnavailableError
from mabench.models.server import _redirect_target
from mabench.remote.http_channel import http_factory
from tests.models.asking import ask
from tests.models.server import Fault, serving
from tests.remote.http_serving import Handler, running
from tests.remote.http_serving import serving as serving_memories


@pytest.mark.parametrize("status", ["301", "302", "307", "308"])
@pytest.mark.usefixtures("key_and_cache")
def test_a_model_server_may_not_send_us_elsewhere(status: str) -> None:
    with serving() as other:
        there = other.url.replace("127.0.0.1", "localhost") + "/chat/completions"
        elsewhere = pytest.raises(ModelUnavailableError, match="to another host, localhost")
        with serving(lambda _: Fault(status, {"Location": there})) as served, elsewhere:
            ask(served.url, "hello")
    assert (other.calls, served.calls) == (0, 1)


@pytest.mark.usefixtures("key_and_cache")
def test_a_redirect_on_the_same_server_is_followed() -> None:
    fault = Fault("307", {"Location": "/v2/chat/completions"})
    with serving(lambda _: fault if len(served.requests) == 1 else "fine") as served:
        assert ask(served.url, "hello")[0].text == "fine"
        assert len(served.requests) == 2


def test_a_memory_server_may_not_send_us_elsewhere() -> None:
    with serving_memories(lambda path, body: (200, {"session": "s", "kind": "agent"})) as other:

        class Redirecting(Handler):
            def respond(self) -> None:
                self.read()
                self.send(b"", 307, Location=other.url.replace("//", "//me:password@") + "/reset")

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
