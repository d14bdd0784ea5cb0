"""One server for each model on this machine, which all parts of a command share.

It is started when it is first needed and ends with the process that started it. Processes that run
rows for that one are told its address, and start none of their own.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from typing import NamedTuple

from mabench.models.address import ModelAddress
from mabench.models.local.files import find_file
from mabench.models.local.model import LocalModel
from mabench.models.local.process import ServerProcess
from mabench.specs import ModelSpec


class ServerAddress(NamedTuple):
    """Where a model of this machine is served."""

    url: str
    key: str

    def of_model(self, name: str, model: LocalModel) -> ModelAddress:
        """Return the address for whoever sends requests."""
        return ModelAddress(name, self.url, self.key, model.key)


_lock = threading.Lock()
_processes: dict[LocalModel, ServerProcess] = {}
_adopted: dict[LocalModel, ServerAddress] = {}


def serve(spec: ModelSpec) -> ModelAddress:
    """Return where a model of this machine is served, once it is; raises as ``ServerProcess``."""
    model, name = LocalModel.of(spec), spec.name_on_server
    with _lock:
        if adopted := _adopted.get(model):
            return adopted.of_model(name, model)
        process = _processes.get(model)
        if process is None or process.has_ended:
            process = ServerProcess(find_file(spec.name), model, name)
            if not _processes:
                atexit.register(_close_all)
            _processes[model] = process
        return ServerAddress(process.url, process.key).of_model(name, model)


def share_servers() -> Mapping[LocalModel, ServerAddress]:
    """Return the servers of this process, for ``adopt_servers`` in one on the same machine."""
    with _lock:
        started = {
            model: ServerAddress(process.url, process.key)
            for model, process in _processes.items()
            if not process.has_ended
        }
        return {**_adopted, **started}


def adopt_servers(servers: Mapping[LocalModel, ServerAddress]) -> None:
    """Use the servers of the process for which this one works."""
    with _lock:
        _adopted.update(servers)


def _close_all() -> None:
    """End all processes that this one started."""
    for process in _processes.values():
        process.close()
