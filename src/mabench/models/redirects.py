"""No request for a model follows a redirect to another host: prompts and key are for one server."""

from __future__ import annotations

import httpx2

_USUAL = {"http": 80, "https": 443}


class RedirectError(Exception):
    """A redirect that is not followed."""


def redirect_target(response: httpx2.Response) -> httpx2.URL:
    """Return where a response redirects to on the same host.

    Another port is another host, too; https in place of http is not, at their usual ports.

    Raises:
        RedirectError: when that is another host or no address.
    """
    here = response.request.url
    server = f"{here.scheme}://{here.host}"
    try:
        there = here.join(response.headers["location"])
        same = _same_host(here, there)
    except (httpx2.InvalidURL, ValueError) as error:
        raise RedirectError(f"{server} redirects to an invalid address") from error
    if not same:
        raise RedirectError(
            f"{server} redirects to another host, {there.host}, and was not followed; if that is "
            "right, name its URL"
        )
    return there


def _same_host(here: httpx2.URL, there: httpx2.URL) -> bool:
    ports = [url.port or _USUAL.get(url.scheme) for url in (here, there)]
    upgraded = (here.scheme, there.scheme) == ("http", "https") and ports == [80, 443]
    same = here.scheme == there.scheme and ports[0] == ports[1]
    return bool(here.host == there.host and (same or upgraded))
