"""Other benchmarks' files as they are published: known by their fields, read as rows."""

from mabench.data.readers.published.beam import CHAT, find_chats, passed_over
from mabench.data.readers.published.beam import read as read_chat
from mabench.data.readers.published.formats import (
    list_fault,
    published_rows,
    published_sources,
)

__all__ = [
    "CHAT",
    "find_chats",
    "list_fault",
    "passed_over",
    "published_rows",
    "published_sources",
    "read_chat",
]
