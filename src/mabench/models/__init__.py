"""Clients for language models; the packages that they need are optional."""

from mabench.models.embeddings import Embedder, make_embedder
from mabench.models.interfaces import Model, ModelError, ModelUnavailableError, Reply, Request
from mabench.models.limit import AdaptiveLimit
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.prices import Price, load_prices, price_of
from mabench.models.reading import ModelChoice, ReadingModel, described, make_model
from mabench.models.response_cache import Cached, ResponseCache
from mabench.models.retry import RetryPolicy

__all__ = [
    "AdaptiveLimit",
    "Cached",
    "Embedder",
    "Model",
    "ModelChoice",
    "ModelError",
    "ModelUnavailableError",
    "OpenAICompatible",
    "Price",
    "ReadingModel",
    "Reply",
    "Request",
    "ResponseCache",
    "RetryPolicy",
    "described",
    "load_prices",
    "make_embedder",
    "make_model",
    "price_of",
]
