"""Clients for language models; the packages that they need are optional."""

from mabench.models.calls import (
    Call,
    Caller,
    CallLog,
    CallPhase,
    Estimate,
    Price,
    Usage,
    current_log,
    load_prices,
)
from mabench.models.embeddings import Embedder, make_embedder
from mabench.models.reading_model import ReadingModel
from mabench.models.replies import KeptReply, ResponseCache
from mabench.models.road import Road
from mabench.models.spec import (
    ModelAddress,
    ModelError,
    ModelStoppedError,
    ModelUnavailableError,
    Reply,
    ReplyNotKeptError,
)
from mabench.specs import ModelSpec
from mabench.specs.model import RetryPolicy

__all__ = [
    "Call",
    "CallLog",
    "CallPhase",
    "Caller",
    "Embedder",
    "Estimate",
    "KeptReply",
    "ModelAddress",
    "ModelError",
    "ModelSpec",
    "ModelStoppedError",
    "ModelUnavailableError",
    "Price",
    "ReadingModel",
    "Reply",
    "ReplyNotKeptError",
    "ResponseCache",
    "RetryPolicy",
    "Road",
    "Usage",
    "current_log",
    "load_prices",
    "make_embedder",
]
