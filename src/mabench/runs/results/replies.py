"""Which kept replies a run has used."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mabench.runs.records.store import RunFolder


class UsedReplies(NamedTuple):
    """The kept replies that a run has used.

    Attributes:
        keys: their names, in the folder where they are kept.
        lacking: how many calls had a reply that was not kept.
    """

    keys: frozenset[str]
    lacking: int


def used_replies(path: str | Path) -> UsedReplies:
    """Return the kept replies that a run has used, for its memories, its reader and its judges.

    Raises:
        DataError: when the run cannot be read.
    """
    folder = RunFolder(Path(path))
    folder.record()
    keys, lacking = set[str](), 0
    for call in folder.calls():
        if call.reply:
            keys.add(call.reply)
        elif not call.failed:
            lacking += 1
    for judgment in folder.judgments():
        keys.update(judgment.replies or ())
    return UsedReplies(frozenset(keys), lacking)
