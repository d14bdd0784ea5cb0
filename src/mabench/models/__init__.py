"""Clients for language models; the packages that they need are optional."""

from mabench.models.embeddings import Embedder, make_embedder
from mabench.models.factory import ReadingModel, open_model
from mabench.models.pacing import RetryPolicy
from mabench.models.prices import (
    SECONDS_A_REPLY,
    Estimate,
    Price,
    estimate_calls,
    load_prices,
    price_of,
)
from mabench.models.response_cache import ResponseCache
from mabench.models.spec import ModelError, ModelRequest, ModelSpec, ModelUnavailableError, Reply

__all__ = [
    "SECONDS_A_REPLY",
    "Embedder",
    "Estimate",
    "ModelError",
    "ModelRequest",
    "ModelSpec",
    "ModelUnavailableError",
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
