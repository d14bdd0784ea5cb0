"""Exports of chats, imported as own histories of sessions and turns; nothing is sent anywhere."""

from mabench.data.chats.importing import ChatImport as ChatImport
from mabench.data.chats.importing import ImportOptions as ImportOptions
from mabench.data.chats.importing import import_chats as import_chats
from mabench.data.chats.sessions import ImportedHistory as ImportedHistory
