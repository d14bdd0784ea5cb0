"""The first request to a server: is it there, and does it take our key and the model?"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from mabench.models.spec import Failure, ModelUnavailableError
from mabench.redact import redact


def unavailable(failure: Failure, model: str, server: str | None) -> ModelUnavailableError:
    """Return the error of a preflight: what is wrong, where, and the remedy.

    ``server`` is its base URL; None for the provider's own.
    """
    if server:  # Without the name and password that it may hold.
        parts = urlsplit(server)
        netloc = parts.netloc.rpartition("@")[2]
        server = urlunsplit(parts._replace(netloc=netloc, query="")).rstrip("/")
    where = f"the model server {server}" if server else "the model's provider"
    parameter = None
    if "redirects" in failure.reason:
        remedy, parameter = "name the right URL as `base_url`", "base_url"
    elif failure.unreached:
        remedy, parameter = "start it, or correct `base_url`", "base_url"
        if not server:
            remedy = "look at the network"
    elif failure.reason.startswith(("HTTP 401", "HTTP 403")):
        remedy = "the key is refused; look at OPENAI_API_KEY"
    elif failure.reason.startswith("HTTP 404"):
        remedy = f"there may be no model {model!r}; look at `model`"
        if server and not server.endswith("/v1"):
            remedy = f"did you mean `base_url` {server}/v1? Otherwise {remedy}"
    else:
        remedy = "look at key and name of the model"
    message = redact(f"{where} cannot be used for {model}: {failure.reason}; {remedy}")
    return ModelUnavailableError(message, parameter=parameter if server else None)
