"""From the description of a model to one that can be prompted, for readers and judges alike."""

from __future__ import annotations

from mabench.installation import cache_folder
from mabench.models.chat import ChatModel, LiteLLMModel
from mabench.models.prices import load_prices, price_of
from mabench.models.reading_model import ReadingModel
from mabench.models.replies import FILE, ResponseCache
from mabench.specs import ModelSpec
from mabench.specs.model import RetryPolicy


def open_kept(spec: ModelSpec) -> ReadingModel | None:
    """Return the model for looking up its kept replies, without a key; None where there are none.

    Nothing is sent, and nothing in the folder of kept replies changes.

    Raises:
        DataError: when kept replies cannot be read.
    """
    folder = spec.replay or cache_folder()
    if not (spec.replay or spec.keeps_replies) or not (folder / FILE).is_file():
        return None
    return ReadingModel(spec, None, cache=ResponseCache(folder, reads_only=True))


def open_model(spec: ModelSpec, retry: RetryPolicy | None = None) -> ReadingModel:
    """Return the model that ``spec`` describes; ``retry`` stands in the place of the spec's own.

    Raises:
        MissingPackageError: when the package that it needs is not installed.
        UsageError: when there is no key for it, or the prices cannot be read.
        DataError: when kept replies cannot be read.
    """
    price = price_of(spec.name, load_prices(spec.prices))
    retry = retry or spec.retry
    transport: ChatModel | LiteLLMModel | None = None
    cache = ResponseCache(spec.replay, reads_only=True) if spec.replay else None
    if not spec.replay:
        if spec.speaks_openai:
            transport = ChatModel(spec.name_on_server, base_url=spec.server, retry=retry)
        else:
            transport = LiteLLMModel(spec.name, retry=retry)
        cache = ResponseCache() if spec.keeps_replies else None
    return ReadingModel(spec, transport, price=price, cache=cache, retry=retry)
