"""The public data set: downloaded once at a pinned revision, checked, and kept in the cache."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from mabench.data.inventory import HUB_ID, REVISION
from mabench.errors import DataError
from mabench.installation import cache_folder


class _HubFile(NamedTuple):
    path: str
    size: int  # In bytes.
    sha256: str

    def fault(self, folder: Path) -> str | None:
        """Return what is wrong with the copy in a folder, or None when it is as it should be."""
        path = folder / self.path
        try:
            if path.stat().st_size != self.size:
                return f"is {path.stat().st_size} bytes long, not {self.size}"
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError:
            return "is missing"
        return None if digest == self.sha256 else f"has sha256 {digest}, not {self.sha256}"


_SUMS = """
data/Accurate_Retrieval-00000-of-00001.parquet 20024386
 56c3cd80fb6731a3e53cd1a6be3148f54df60ff2d290ee50e28f8acebf9655c1
data/Test_Time_Learning-00000-of-00001.parquet 3947476
 5338753be48f925d03318eed66117286e3489025fabe050a547bd086cd7d79c0
data/Long_Range_Understanding-00000-of-00001.parquet 49342452
 5ab175461954db67770d4a4cb69e569b513ebb96aceb9ee79b57f67488bcd539
data/Conflict_Resolution-00000-of-00001.parquet 1491588
 24d5c3f09ce0ce15625cb9f8a98f44f0d864ca6c94d7b4ad04eb697ca3a5ff45
entity2id.json 1758081
 63353aca481bc9558b502f91cb98f6fa26438796fdd7e0bc06b5a1532126e8b5
"""
_FILES = [
    _HubFile(path, int(size), sha256)
    for path, size, sha256 in zip(*[iter(_SUMS.split())] * 3, strict=True)
]
_ELSEWHERE = "or use a local folder path or synthetic:small"
_REPLY_SECONDS = 10.0
_YES = ("1", "ON", "YES", "TRUE")


def download(offline: bool) -> Path:
    """Return a folder that holds the public data set at ``REVISION``, every file checked.

    Files that are in the cache and right are used as they are, without any network, which is never
    touched when ``offline`` or by ``HF_HUB_OFFLINE``. Raises ``DataError`` when a file is missing
    or wrong and cannot be had.
    """
    folder = cache_folder() / "hub" / REVISION
    wanted = [file for file in _FILES if file.fault(folder)]
    if wanted and (offline or os.environ.get("HF_HUB_OFFLINE", "").upper() in _YES):
        raise DataError(
            f"offline, and {folder / wanted[0].path} {wanted[0].fault(folder)}; "
            f"run once without `offline` and HF_HUB_OFFLINE to fill the cache, {_ELSEWHERE}"
        )
    if wanted:
        _check_network(folder)
    for file in wanted:
        _fetch(folder, file)
    return folder


def _check_network(folder: Path) -> None:
    """Complain within seconds where no network answers; the hub's client would try for minutes."""
    from huggingface_hub import constants, get_session

    failure: str | None = f"no reply in {_REPLY_SECONDS:g} s"

    def ask() -> None:
        nonlocal failure
        try:  # Through the client of the downloads, with its proxies and certificates.
            get_session().head(constants.ENDPOINT, timeout=2 * _REPLY_SECONDS)
            failure = None
        except Exception as error:  # Whatever its HTTP library raises.
            failure = type(error).__name__
            cause: BaseException | None = error
            while cause is not None:
                failure = getattr(cause, "strerror", None) or failure
                cause = cause.__cause__ or cause.__context__

    # In a thread of its own: looking up a name has no time limit.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_REPLY_SECONDS)
    if failure is not None:
        raise DataError(
            f"no network: {urlsplit(constants.ENDPOINT).hostname} cannot be reached ({failure}); "
            f"download {HUB_ID} where there is one and give its folder as `data`, or copy the "
            f"cache from there ({folder}; MABENCH_CACHE moves it), {_ELSEWHERE}"
        )


def _fetch(folder: Path, file: _HubFile) -> None:
    from huggingface_hub import hf_hub_download

    path = folder / file.path
    try:
        path.unlink(missing_ok=True)
        hf_hub_download(HUB_ID, file.path, repo_type="dataset", revision=REVISION, local_dir=folder)
    except Exception as error:  # Whatever the client and its HTTP library raise.
        # Only the kind of error is told, with its HTTP status or system message: its text may
        # quote the request, and with it the token.
        detail = getattr(getattr(error, "response", None), "status_code", None)
        if isinstance(error, OSError) and isinstance(error.errno, int):
            detail = detail or os.strerror(error.errno)
        kind = type(error).__name__ + (f" ({detail})" if detail else "")
        raise DataError(
            f"cannot download {file.path} of {HUB_ID} into {folder}: {kind}; try again, "
            f"`offline` with a filled cache (MABENCH_CACHE), {_ELSEWHERE}"
        ) from None
    if fault := file.fault(folder):
        path.unlink(missing_ok=True)
        why = f"{file.path} as downloaded {fault}; it was deleted"
        raise DataError(f"{why}: try again, {_ELSEWHERE}")
