"""Finds the chats in a folder of BEAM, such as ``chats/100K/1``: a size in tokens and a number.

A chat is a folder with the files ``chat.json`` and ``probing_questions/probing_questions.json``; it
is named here by the path of the former.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.data.problems import Problem

# The lengths in tokens, by which the folders are named.
_SIZES = ("100K", "500K", "1M", "10M")
CHAT = "chat.json"
QUESTIONS = Path("probing_questions", "probing_questions.json")


def find_chats(path: Path) -> list[Path]:
    """Return the chats in a folder, by size and number; an empty list if it has none.

    The folder may be BEAM's own, its ``chats``, or that of a size, such as ``100K``. The path may
    also be a single chat, or a file of it. A chat without its file is returned as well, if any chat
    has one, so that reading it reports the file that is missing.
    """
    single_chat = _chat_at(path)
    if single_chat:
        return [single_chat]
    chats = []
    for size_folder in _size_folders(path):
        numbered = [folder for folder in size_folder.iterdir() if _is_numbered(folder)]
        numbered.sort(key=lambda folder: int(folder.name))
        chats += [folder / CHAT for folder in numbered]
    return chats if any(chat.is_file() for chat in chats) else []


def warn_of_others(path: Path) -> Iterator[Problem]:
    """Yield a warning for each file or folder beside the chats in a folder that is not one.

    Yields nothing for a path without folders of sizes, such as that of a single chat.
    """
    size_folders = _size_folders(path)
    if not size_folders:
        return
    others: list[Path] = []
    for size_folder in size_folders:
        others += [inner for inner in size_folder.iterdir() if not _is_numbered(inner)]
    if path.name not in _SIZES:
        others += [inner for inner in _chats_folder(path).iterdir() if inner not in size_folders]
    expected = f"folders named by a size and a number, such as {_SIZES[0]}/1, with {CHAT} in each"
    for other in sorted(others):
        if not other.name.startswith("."):
            yield Problem("warning", str(other), None, None, "no chat, left out", expected)


def sources_at(path: Path) -> list[str]:
    """Return the names of the sources of a folder of chats, one for each chat."""
    return [source_of(chat) for chat in find_chats(path)]


def _chat_at(path: Path) -> Path | None:
    """Return the chat whose folder, or one of whose files, a path is; None if it is no chat's."""
    folder = path
    if path.is_file() and path.name == CHAT:
        folder = path.parent
    elif path.is_file() and path.name == QUESTIONS.name:
        folder = path.parent.parent
    chat = folder / CHAT
    is_chat = folder.parent.name in _SIZES and _is_numbered(folder) and chat.is_file()
    return chat if is_chat else None


def _chats_folder(path: Path) -> Path:
    """Return the folder ``chats`` in a folder; without one, the folder itself."""
    chats = path / "chats"
    return chats if chats.is_dir() else path


def _size_folders(path: Path) -> list[Path]:
    """Return the folders of the sizes that are there, such as ``chats/100K``, by size."""
    is_size_folder = path.name in _SIZES
    folders = [path] if is_size_folder else [_chats_folder(path) / size for size in _SIZES]
    return [folder for folder in folders if folder.is_dir()]


def _is_numbered(path: Path) -> bool:
    """Return whether a path is a folder whose name is a number, as those of chats are."""
    return path.name.isdecimal() and path.is_dir()


def source_of(chat: Path) -> str:
    """Return the name of the source of a chat: ``beam_100k`` of ``100K/1/chat.json``."""
    return f"beam_{chat.parent.parent.name.lower()}"
