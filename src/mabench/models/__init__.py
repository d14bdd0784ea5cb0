"""Clients for language models; the packages that they need are optional."""

from mabench.models.interfaces import Model, ModelError, ModelUnavailableError, Reply, Request
from mabench.models.limit import AdaptiveLimit
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.patience import Patience
from mabench.models.response_cache import Cached, ResponseCache

__all__ = [
    "AdaptiveLimit",
    "Cached",
    "Model",
    "ModelError",
    "ModelUnavailableError",
    "OpenAICompatible",
    "Patience",
    "Reply",
    "Request",
    "ResponseCache",
]
