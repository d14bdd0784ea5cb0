"""Replies cached on disk, so that no request is paid for twice."""

from mabench.models.replies.cache import ResponseCache as ResponseCache
from mabench.models.replies.kept_reply import KeptReply as KeptReply
