"""Exports of chats, imported as own histories of sessions and turns; nothing is sent anywhere."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.data.chats.importing import ChatImport as ChatImport
    from mabench.data.chats.importing import ImportOptions as ImportOptions
    from mabench.data.chats.importing import import_chats as import_chats
    from mabench.data.chats.sessions import ImportedHistory as ImportedHistory
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
