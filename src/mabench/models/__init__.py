"""Everything that sends requests to language models: clients, prices, retries and cached replies.

No module here sees rows, gold answers or scores. The packages that talk to a server are optional.
"""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.models.address import ModelAddress as ModelAddress
    from mabench.models.call_log import CallLog as CallLog
    from mabench.models.call_log import current_log as current_log
    from mabench.models.calls import Call as Call
    from mabench.models.calls import Caller as Caller
    from mabench.models.calls import CallPhase as CallPhase
    from mabench.models.embeddings import Embedder as Embedder
    from mabench.models.embeddings import make_embedder as make_embedder
    from mabench.models.errors import ModelError as ModelError
    from mabench.models.errors import ModelStoppedError as ModelStoppedError
    from mabench.models.errors import ModelUnavailableError as ModelUnavailableError
    from mabench.models.errors import PromptTooLongError as PromptTooLongError
    from mabench.models.errors import ReplyNotKeptError as ReplyNotKeptError
    from mabench.models.estimate import CostEstimate as CostEstimate
    from mabench.models.prices import Price as Price
    from mabench.models.prices import load_prices as load_prices
    from mabench.models.reading_model import ReadingModel as ReadingModel
    from mabench.models.replies import KeptReply as KeptReply
    from mabench.models.replies import ResponseCache as ResponseCache
    from mabench.models.request_gate import RequestGate as RequestGate
    from mabench.models.server.requests import Reply as Reply
    from mabench.models.usage import Usage as Usage
    from mabench.specs import ModelSpec as ModelSpec
    from mabench.specs.model import RetryPolicy as RetryPolicy
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
