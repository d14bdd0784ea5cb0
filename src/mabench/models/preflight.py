"""The tiny request that shows whether a model can be used, and the error if it cannot."""

from __future__ import annotations

from mabench.models.errors import ModelUnavailableError
from mabench.models.failure import Failure
from mabench.redact import redact
from mabench.specs.model import is_local

# A completion and not the list of models: servers may lack the list or protect it separately.
PREFLIGHT_PROMPT = "Reply with OK."
PREFLIGHT_TOKENS = 16


def explain_unavailable(failure: Failure, model: str, server: str | None) -> ModelUnavailableError:
    """Return the error of a failed preflight, with what the user can do.

    ``server`` is the base URL; None for the provider's own.
    """
    if server:
        server = server.rstrip("/")
    if is_local(model):
        where = "its server on this machine"
    elif server:
        where = f"the model server {server}"
    else:
        where = "the model's provider"
    parameter = None
    if failure.remedy:
        remedy = failure.remedy
    elif "redirects" in failure.reason:
        remedy, parameter = "name the right URL as `base_url`", "base_url"
    elif failure.unreached and not server:
        remedy = "check the network"
    elif failure.unreached:
        remedy, parameter = "start it, or correct `base_url`", "base_url"
    elif failure.reason.startswith(("HTTP 401", "HTTP 403")):
        remedy = "the key is rejected; check OPENAI_API_KEY"
    elif failure.reason.startswith("HTTP 404"):
        remedy = f"there may be no model {model!r}; check `model`"
        if server and not server.endswith("/v1"):
            remedy = f"did you mean `base_url` {server}/v1? Otherwise {remedy}"
    else:
        remedy = "check the key and the model name"
    message = redact(f"{where} cannot be used for {model}: {failure.reason}; {remedy}")
    return ModelUnavailableError(message, parameter=parameter if server else None)
