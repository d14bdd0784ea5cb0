"""Finds the chats in a folder of BEAM, whose names are a size in tokens and a number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mabench.data.problems import Problem

# The lengths in tokens, by which the folders are named.
_SIZES = ("100K", "500K", "1M", "10M")
CHAT = "chat.json"
QUESTIONS = Path("probing_questions", "probing_questions.json")


def find_chats(path: Path) -> list[Path]:
    """Return the chats in a folder, by size and number; none if it is no folder of BEAM.

    The folder may be BEAM's own, its ``chats``, or that of a size, such as ``100K``. Each folder in
    it whose name is a number is a chat; a missing file is reported when it is read. The path may
    also be a single chat, or a file of it.
    """
    chat = _chat_at(path)
    if chat:
        return [chat]
    chats = [
        child / CHAT
        for folder in _size_folders(path)
        for child in sorted(filter(_is_numbered, folder.iterdir()), key=lambda one: int(one.name))
    ]
    return chats if any(chat.is_file() for chat in chats) else []


def passed_over(path: Path) -> Iterator[Problem]:
    """Yield a warning for each file or folder among the chats that is not one."""
    folders = _size_folders(path)
    others = [one for folder in folders for one in folder.iterdir() if not _is_numbered(one)]
    if not folders:
        return
    if path.name not in _SIZES:
        others += [one for one in _root(path).iterdir() if one not in folders]
    expected = f"folders named by a size and a number, such as {_SIZES[0]}/1, with {CHAT} in each"
    for one in sorted(others):
        if not one.name.startswith("."):
            yield Problem("warning", str(one), None, None, "no chat, left out", expected)


def sources_at(path: Path) -> list[str]:
    """Return the names of the sources of a folder of chats, one for each chat."""
    return [source_of(chat) for chat in find_chats(path)]


def _chat_at(path: Path) -> Path | None:
    """Return the chat at a path: its folder or one of its files; None if there is none."""
    above = {CHAT: path.parent, QUESTIONS.name: path.parent.parent}
    folder = above.get(path.name, path) if path.is_file() else path
    chat = folder / CHAT
    is_one = folder.parent.name in _SIZES and _is_numbered(folder) and chat.is_file()
    return chat if is_one else None


def _root(path: Path) -> Path:
    chats = path / "chats"
    return chats if chats.is_dir() else path


def _size_folders(path: Path) -> list[Path]:
    """Return the folders of chats by their sizes."""
    folders = [path] if path.name in _SIZES else [_root(path) / size for size in _SIZES]
    return [folder for folder in folders if folder.is_dir()]


def _is_numbered(path: Path) -> bool:
    return path.name.isdecimal() and path.is_dir()


def source_of(chat: Path) -> str:
    """Return the name of the source of a chat, by the size that its folder is named by."""
    return f"beam_{chat.parent.parent.name.lower()}"
