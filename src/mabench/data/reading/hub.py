"""The public data set: downloaded once at a pinned revision, checked, and kept in the cache."""

from __future__ import annotations

import csv
import hashlib
import os
import threading
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from mabench.data.inventory import HUB_ID, REVISION
from mabench.errors import DataError
from mabench.installation import cache_folder


class HubFile(NamedTuple):
    """A file of the public data set, as it must be."""

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


_, *_LINES = Path(__file__).with_name("hub.csv").read_text(encoding="utf-8").splitlines()
FILES = [HubFile(path, int(size), sha256) for path, size, sha256 in csv.reader(_LINES)]
_ELSEWHERE = "or use a local folder path or synthetic:small"
REPLY_SECONDS = 10.0
_YES = ("1", "ON", "YES", "TRUE")


def download_hub(offline: bool) -> Path:
    """Return a folder that holds the public data set at ``REVISION``, every file checked.

    Files that are in the cache and right are used as they are, without any network, which is never
    touched when ``offline`` or by ``HF_HUB_OFFLINE``. Raises ``DataError`` when a file is missing
    or wrong and cannot be had.
    """
    folder = cache_folder() / "hub" / REVISION
    wanted = [file for file in FILES if file.fault(folder)]
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

    failure: str | None = f"no reply in {REPLY_SECONDS:g} s"

    def ask() -> None:
        nonlocal failure
        try:  # Through the client of the downloads, with its proxies and certificates.
            get_session().head(constants.ENDPOINT, timeout=2 * REPLY_SECONDS)
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
    thread.join(REPLY_SECONDS)
    if failure is not None:
        raise DataError(
            f"no network: {urlsplit(constants.ENDPOINT).hostname} cannot be reached ({failure}); "
            f"download {HUB_ID} where there is one and give its folder as `data`, or copy the "
            f"cache from there ({folder}; MABENCH_CACHE moves it), {_ELSEWHERE}"
        )


def _fetch(folder: Path, file: HubFile) -> None:
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
