"""Clients for language models; the packages that they need are optional."""

from mabench.models.embeddings import Embedder, make_embedder
from mabench.models.estimate import Estimate, estimate_calls
from mabench.models.factory import ReadingModel, open_model
from mabench.models.interfaces import Model, ModelError, ModelRequest, ModelUnavailableError, Reply
from mabench.models.limit import AdaptiveLimit
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.prices import Price, load_prices, price_of
from mabench.models.response_cache import Cached, ResponseCache
from mabench.models.retry import RetryPolicy
from mabench.models.spec import ModelSpec

__all__ = [
    "AdaptiveLimit",
    "Cached",
    "Embedder",
    "Estimate",
    "Model",
    "ModelError",
    "ModelRequest",
    "ModelSpec",
    "ModelUnavailableError",
    "OpenAICompatible",
    "Price",
    "ReadingModel",
    "Reply",
    "ResponseCache",
    "RetryPolicy",
    "estimate_calls",
    "load_prices",
    "make_embedder",
    "open_model",
    "price_of",
]
