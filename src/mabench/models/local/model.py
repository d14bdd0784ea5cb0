"""A model on this machine, with all that its replies depend on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Self

from mabench.cores import count_cores
from mabench.errors import MissingPackageError, UsageError, reason
from mabench.installation import install_command
from mabench.models.local.files import find_file
from mabench.models.local.gguf import GGUFHead, NotGGUFError, read_head
from mabench.models.prices import Price
from mabench.specs import ModelSpec

_SERVER = "xllamacpp"
_EXTRA = "local"
# Tokens of a context that nobody asked for: models on this machine read slowly.
_MOST_CONTEXT = 8192
_SHOWN_DIGITS = 12  # Digits of a hash.


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A file with what serves it: replies to the same requests are equal where this is equal."""

    file: str  # The file's SHA-256.
    package: str  # The version of xllamacpp, which brings llama.cpp.
    context: int  # Tokens of a prompt with its reply.
    slots: int  # How many requests are worked on at a time.
    threads: int

    @property
    def key(self) -> str:
        """The name of its server among cached replies, whose real address changes each time."""
        listed = json.dumps(asdict(self), sort_keys=True)
        return f"local://{hashlib.sha256(listed.encode()).hexdigest()}"

    @classmethod
    def of(cls, spec: ModelSpec) -> Self:
        """Return the model that is described.

        Raises:
            MissingPackageError: when what serves it, or the model itself, is not installed.
            UsageError: when the file is no GGUF or is cut off, or the window is too large for it.
        """
        path = find_file(spec.name)
        return cls(
            file=_hash(path),
            package=_version(),
            context=_choose_context(path, spec.window),
            slots=spec.concurrent_requests,
            threads=count_cores(),
        )


def find_window(spec: ModelSpec, price: Price | None) -> int | None:
    """Return a model's context window in tokens, as far as it is known; raises as ``LocalModel``.

    ``price`` is the model's line of the table of prices.
    """
    if spec.is_local:
        return LocalModel.of(spec).context
    return spec.window or (price.window if price else None)


def name_judge(spec: ModelSpec) -> str:
    """Return what a judge is called: one on this machine, with the beginning of its file's hash."""
    if not spec.is_local:
        return spec.name_on_server
    return f"{spec.name_on_server}@{LocalModel.of(spec).file[:_SHOWN_DIGITS]}"


def _choose_context(path: Path, window: int | None) -> int:
    """Return the ``window`` that was asked for, else the trained context up to ``_MOST_CONTEXT``.

    Raises:
        UsageError: when the model was trained with less than what was asked for.
    """
    trained = _read_head(path).context
    if window is not None and trained is not None and window > trained:
        raise UsageError(
            f"{path} was trained with a context of {trained:,} tokens; a `window` of {window:,} is "
            "more",
            parameter="model.window",
        )
    return window or min(trained or _MOST_CONTEXT, _MOST_CONTEXT)


def _read_head(path: Path) -> GGUFHead:
    try:
        return read_head(path)
    except NotGGUFError as error:
        problem = f"{path} is no whole GGUF file: {error}; download it again, or name another"
        raise UsageError(problem, parameter="model") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}", parameter="model") from error


def _version() -> str:
    try:
        return metadata.version(_SERVER)
    except metadata.PackageNotFoundError as error:
        raise MissingPackageError(
            f"{_SERVER} is not installed; run: {install_command(_EXTRA)}"
        ) from error


def _hash(path: Path) -> str:
    try:
        about = path.stat()
        return _hash_content(path, about.st_size, about.st_mtime_ns)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}", parameter="model") from error


@lru_cache
def _hash_content(path: Path, size: int, changed: int) -> str:
    """Return the SHA-256 of a file, computed anew once its size or time has changed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
