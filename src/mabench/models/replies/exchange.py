"""Kept replies on their way out of a folder, and into one."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path
from typing import NamedTuple

from mabench.errors import DataError, reason
from mabench.models.replies.archive import checked, read_replies, write_replies
from mabench.models.replies.kept import Kept
from mabench.models.replies.store import FILE, ResponseCache
from mabench.models.spec import Reply
from mabench.redact import redact_values

_SHOWN = 12


class Imported(NamedTuple):
    """What came of an import.

    Attributes:
        new: how many replies were not there before.
        replies: how many there were in all.
    """

    new: int
    replies: int


def export_replies(cache: ResponseCache, file: Path, keys: Set[str] | None = None) -> int:
    """Write kept replies to a new file; return how many.

    Args:
        cache: where they are kept.
        file: the file.
        keys: which; all when None.

    Raises:
        DataError: when one is not kept, there are none, one holds a secret of this environment,
            or the file cannot be written.
    """
    folder = cache.path.parent
    missing = sorted(key for key in keys or () if cache.kept(key) is None)
    if missing:
        raise DataError(
            f"{folder}: {len(missing)} of {len(keys or ())} replies are not kept there, such as "
            f"{missing[0][:_SHOWN]}; name the `folder` that holds them, or run again with `cache` "
            "into a new run folder"
        )
    if keys is not None and not keys:
        raise DataError("the run used no kept replies; a run with `cache` keeps those it gets")
    if keys is None and not cache.contents().replies:
        raise DataError(f"{folder}: there are no replies to export; a run with `cache` keeps them")
    chosen = cache.all() if keys is None else ((key, cache.kept(key)) for key in sorted(keys))
    return write_replies(file, _without_secrets(((k, kept) for k, kept in chosen if kept), folder))


def import_replies(source: Path, cache: ResponseCache) -> Imported:
    """Put the replies of a file, or of a folder of kept replies, into a cache.

    What is kept there already stays. All are looked at before the first is put there.

    Raises:
        DataError: when the source cannot be read, or one of them is no reply.
    """
    number = sum(1 for _ in _replies(source, cache.limit))
    return Imported(cache.add_all(_replies(source, cache.limit)), number)


def _replies(source: Path, limit: int) -> Iterator[tuple[str, Kept]]:
    """Yield the replies of a source, which somebody else may have made.

    Compressed bodies count against the limit of a cache; twice that is more than it may take.
    """
    if not source.is_dir():
        yield from read_replies(source, 2 * limit)
        return
    other = ResponseCache(source, reads_only=True)
    try:
        for key, kept in other.all():
            yield checked(key, kept)
    except ValueError as error:
        raise DataError(
            f"{source / FILE}: {reason(error)}; name a folder of kept replies, or a file that "
            "`mabench cache export` made"
        ) from error
    finally:
        other.close()


def _without_secrets(
    replies: Iterator[tuple[str, Kept]], folder: Path
) -> Iterator[tuple[str, Kept]]:
    """Yield replies; none that holds a secret of this environment leaves it."""
    for key, kept in replies:
        text = kept.text if isinstance(kept, Reply) else kept.body.decode("utf-8", "replace")
        if redact_values(text) != text:
            raise DataError(
                f"{folder}: the reply {key[:_SHOWN]} holds a secret that an environment variable "
                "has, too; nothing was written. If it is none, unset the variable"
            )
        yield key, kept
