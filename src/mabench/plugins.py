"""Finds what installed packages bring: agents, families, data, file formats and readers.

A package declares them as entry points, in its metadata. The packages that come with mabench do
it in the same way as anybody else's.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from mabench.errors import UsageError

_OURS = "mabench"
# The names that each package brings which comes with mabench.
_SHIPPED = {
    "mabench_floor": ("floor",),
    "mabench_memories": ("bm25", "dense", "hybrid"),
    "mabench_systems": ("mem0", "langmem", "llama-index", "txtai", "graphiti", "cognee", "letta"),
    "mabench_synthetic": ("synthetic",),
    "mabench_chats": (
        *("messages", "table", "slack", "whatsapp", "chatgpt", "claude", "mail", "transcript"),
    ),
    "mabench_external": (
        *("locomo", "longmemeval", "beam", "personamem", "personamem-v2", "personamem_v2"),
        *("precisionmembench-cases", "precisionmembench", "membench", "lifebench", "realmem"),
        *("lifebench-locomo", "lifebench_options", "halumem", "convomem"),
        *("longmemeval-v2", "longmemeval_v2", "longmemeval_v2_judged"),
    ),
    "mabench_results": (
        *("predictions", "memoryagentbench", "nous", "longmemeval-hypotheses", "locomo-results"),
        *("evermemos", "mem0-benchmarks", "memorybench", "omb", "lobu", "exia"),
        *("precisionmembench", "halumem-results"),
    ),
}
# The packages of the harness and of the parts that come with it.
OWN_PACKAGES = frozenset((_OURS, *_SHIPPED))


class Group(StrEnum):
    """The groups of entry points, and what each entry is."""

    AGENTS = "mabench.agents"  # a class or function that makes an agent
    MEMORIES = "mabench.memories"  # a class or function that makes a memory
    FAMILIES = "mabench.families"  # a mabench.families.Family
    DATA = "mabench.data"  # a mabench.loading.DataScheme, named as in `synthetic:small`
    FORMATS = "mabench.formats"  # a mabench.formats.FileFormat: Data-, Result- or ChatFormat
    READERS = "mabench.readers"  # a class or function that makes a reader without a model


def plugins(*groups: Group) -> dict[str, EntryPoint]:
    """Return the entry points of some groups by name; mabench's own come first.

    Of two with one name, the first counts, so that no package can replace what is mabench's.
    """
    return dict(_plugins_on_path(groups, tuple(sys.path)))


def load_plugin(point: EntryPoint, kind: str) -> object:
    """Import and return what an entry point names.

    Args:
        point: the entry point.
        kind: a noun for what it names, such as "reader", for the error.

    Raises:
        UsageError: when it cannot be imported, for whatever reason.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"the {kind} {point.name} ({point.value}) cannot be loaded: "
            f"{type(error).__name__}: {error}; correct or uninstall it"
        ) from error


def is_ours(point: EntryPoint) -> bool:
    """Return whether an entry point belongs to a package that comes with mabench."""
    return point.dist is not None and point.dist.name == _OURS


def is_own_module(name: str) -> bool:
    """Return whether a module is of the harness or of a part that comes with it."""
    return name.partition(".")[0] in OWN_PACKAGES


def missing_part(name: str) -> UsageError | None:
    """Return the error for a name that is not found, if a part of mabench would bring it.

    Return None for any other name.
    """
    for part, names in _SHIPPED.items():
        if name in names:
            return UsageError(
                f"{name!r} comes with {part}, a part of mabench that is not installed here; "
                "reinstall mabench"
            )
    return None


@lru_cache(maxsize=64)
def _plugins_on_path(groups: tuple[Group, ...], path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return the entry points of some groups by name, as ``plugins`` does.

    It reads the metadata of all packages on ``sys.path``, which takes long, so the result is kept;
    ``path`` is that path, so that it is read again after a change.
    """
    points = [point for group in groups for point in entry_points(group=group)]
    ours = sorted((point for point in points if is_ours(point)), key=lambda point: point.value)
    others = [point for point in points if not is_ours(point)]
    by_name: dict[str, EntryPoint] = {}
    for point in (*ours, *others):
        by_name.setdefault(point.name, point)
    return by_name
