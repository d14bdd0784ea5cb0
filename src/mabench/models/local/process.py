"""The process that serves a model on this machine: started, waited for, and why it failed."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from mabench.errors import MabenchError, UsageError
from mabench.models.errors import ModelUnavailableError
from mabench.models.local import child
from mabench.models.local.model import LocalModel
from mabench.printable import shorten
from mabench.redact import note_secrets, redact

# What llama.cpp says, in its own words, of a file or a machine that will not do.
_OUT_OF_MEMORY = re.compile(r"failed to allocate|unable to allocate|out of memory|bad_alloc", re.I)
_UNKNOWN_ARCHITECTURE = re.compile(r"unknown model architecture: '([^']*)'")
_CUT_OFF = re.compile(r"not within the file bounds|incomplete|unexpectedly reached end", re.I)
_LOADING_ERROR = re.compile(r"error loading model: (.*)")
_LONGEST_REASON = 300
_KILLED = -9  # The status of a process that the system killed.
_END_SECONDS = 5.0  # How long a process whose input is closed has to end.


class ServerProcess:
    """A running server of one model, which ends with this process at the latest.

    ``url`` and ``key`` are those of its OpenAI-compatible server.
    """

    def __init__(self, path: Path, model: LocalModel, name: str) -> None:
        """Start it, and wait until it has loaded the model.

        Raises:
            UsageError: when llama.cpp cannot load the file.
            ModelUnavailableError: when the memory does not suffice, or it ends otherwise.
        """
        self.key = secrets.token_urlsafe(32)
        note_secrets(self.key)
        self._owner = os.getpid()
        self._started = threading.Event()
        self._problem: Exception | None = None
        settings: dict[str, object] = {
            "parent": os.getpid(),
            "path": str(path),
            "name": name,
            "key": self.key,
            "context": model.context,
            "slots": model.slots,
            "threads": model.threads,
        }
        with tempfile.TemporaryFile() as log:
            # On Linux a process is killed with the thread that started it, so this thread stays.
            threading.Thread(
                target=self._keep, args=(log,), name="local model", daemon=True
            ).start()
            self._started.wait()
            if self._problem is not None:
                raise MabenchError(f"no process can be started: {self._problem}")
            self.url = f"{self._await_address(path, settings, log)}/v1"

    @property
    def has_ended(self) -> bool:
        """Whether it serves no more."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it; a process that was forked from the one that started it leaves it alone."""
        if os.getpid() != self._owner:
            return
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _keep(self, log: IO[bytes]) -> None:
        """Start the process, whose errors go to ``log``, and stay for as long as it lives."""
        try:
            self._process: subprocess.Popen[str] = subprocess.Popen(  # noqa: S603 - ours
                [sys.executable, "-P", child.__file__],  # Nothing beside it is imported.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # What a terminal sends is for the command.
            )
        except OSError as error:
            self._problem = error
        finally:
            self._started.set()
        if self._problem is None:
            self._process.wait()

    def _await_address(self, path: Path, settings: dict[str, object], log: IO[bytes]) -> str:
        """Tell the process its settings, and return its address once it has loaded the model."""
        process = self._process
        assert process.stdin is not None  # noqa: S101 - they are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(json.dumps(settings) + "\n")
            process.stdin.flush()
            reply: dict[str, Any] = json.loads(process.stdout.readline() or "{}")
        except (OSError, ValueError):
            reply = {}
        if "address" in reply:
            return str(reply["address"])
        status = process.wait()
        log.seek(0)
        words = log.read().decode("utf-8", "replace")
        raise explain_failure(path, status, f"{words}\n{reply.get('error', '')}")


def explain_failure(path: Path, status: int, words: str) -> MabenchError:
    """Return the error for a server that ended with ``status`` before it was ready.

    ``words`` are what llama.cpp said meanwhile.
    """
    if status == _KILLED or _OUT_OF_MEMORY.search(words):
        return ModelUnavailableError(
            f"{path} does not fit into the memory of this machine; use a smaller `window`, fewer "
            "`requests_in_flight`, or a smaller model"
        )
    if unknown := _UNKNOWN_ARCHITECTURE.search(words):
        return UsageError(
            f"{path}: this llama.cpp does not know its architecture {redact(unknown[1])!r}; update "
            "the package xllamacpp, or name another",
            parameter="model",
        )
    if _CUT_OFF.search(words):
        return UsageError(
            f"{path} is cut off; download it again, or name another", parameter="model"
        )
    lines = [line for line in words.splitlines() if line.strip()]
    if loading := _LOADING_ERROR.search(words):
        why = loading[1]
    elif lines:
        why = lines[-1]
    else:
        why = "no reason given"
    why = shorten(redact(why), _LONGEST_REASON)
    return UsageError(f"{path} cannot be served: {why}; name another model", parameter="model")
