"""Other benchmarks' files as they are published: known by their fields, read as rows."""

from mabench.data.readers.published.beam import CHAT, find_chats
from mabench.data.readers.published.beam import read as read_chat
from mabench.data.readers.published.formats import published_rows, published_sources

__all__ = ["CHAT", "find_chats", "published_rows", "published_sources", "read_chat"]
