"""Replies cached on disk, so that no request is paid for twice."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.models.replies.cache import ResponseCache as ResponseCache
    from mabench.models.replies.kept_reply import KeptReply as KeptReply
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
