"""From the description of a model to one that can be prompted, for readers and judges alike."""

from __future__ import annotations

from mabench.installation import cache_folder
from mabench.models.litellm_model import LiteLLMModel
from mabench.models.openai_compatible import OpenAICompatible
from mabench.models.prices import load_prices, price_of
from mabench.models.reading_model import ReadingModel
from mabench.models.replies.silence import Silence
from mabench.models.replies.store import FILE, ResponseCache
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
    return ReadingModel(spec, Silence(spec), cache=ResponseCache(folder, reads_only=True))


def open_model(spec: ModelSpec, retry: RetryPolicy | None = None) -> ReadingModel:
    """Return the model that ``spec`` describes.

    Args:
        spec: the model.
        retry: how often and how slowly failed requests are sent again, instead of the spec's.

    Raises:
        MissingPackageError: when the package that it needs is not installed.
        UsageError: when there is no key for it, or the prices cannot be read.
        DataError: when kept replies cannot be read.
    """
    price = price_of(spec.name, load_prices(spec.prices))
    retry = retry or spec.retry
    transport: OpenAICompatible | LiteLLMModel | Silence
    if spec.replay:
        transport = Silence(spec)
    elif spec.speaks_openai:
        transport = OpenAICompatible(spec.name_on_server, base_url=spec.server, retry=retry)
    else:
        transport = LiteLLMModel(spec.name, retry=retry)
    cache = None
    if spec.replay:
        cache = ResponseCache(spec.replay, reads_only=True)
    elif spec.keeps_replies:
        cache = ResponseCache()
    return ReadingModel(spec, transport, price=price, cache=cache, retry=retry)
