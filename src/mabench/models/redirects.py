"""No request for a model follows a redirect to another host: prompts and key are for one server."""

from __future__ import annotations

from typing import Any

_USUAL = {"http": 80, "https": 443}


class RedirectError(Exception):
    """A server redirects to another host."""


async def refuse_other_host(response: Any) -> None:
    """Raise a ``RedirectError`` for such a response; a hook of an asynchronous httpx client."""
    check_redirect(response)


def check_redirect(response: Any) -> None:
    """Raise a ``RedirectError`` for an httpx response that redirects to another host.

    Another port is another host, too; https in place of http is not, at their usual ports.
    """
    if not response.has_redirect_location:
        return
    here = response.request.url
    there = here.join(response.headers["location"])
    if not _same_host(here, there):
        raise RedirectError(
            f"{here.scheme}://{here.host} redirects to another host, {there.host}, and was not "
            "followed; if that is right, name its URL"
        )


def _same_host(here: Any, there: Any) -> bool:
    ports = [url.port or _USUAL.get(url.scheme) for url in (here, there)]
    upgraded = (here.scheme, there.scheme) == ("http", "https") and ports == [80, 443]
    same = here.scheme == there.scheme and ports[0] == ports[1]
    return bool(here.host == there.host and (same or upgraded))
