"""The program that serves a model on this machine: llama.cpp's server, on loopback alone.

It is run by its path in a process of its own, so it imports nothing of mabench. Its settings come
as a line of JSON on its standard input, where no list of processes shows the key in them. Its
address, or why it has none, is a line of JSON on its standard output; llama.cpp's own words are on
standard error. It never outlives the process that started it: that one's end closes the standard
input, and on Linux the system kills this one as well, even while the model is being loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys

_DEATH_SIGNAL = 1  # Of prctl(2).
_ERRORS = 2  # The least that llama.cpp says: what fails.


def _die_with_parent(parent: int) -> None:
    """Have the system kill this process when its parent ends, where it can (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # It ended before that was set.
        os._exit(1)


def _serve(settings: dict[str, object]) -> object:
    """Load the model and listen; return the server, which serves for as long as it is held."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    slots, context = settings["slots"], settings["context"]
    parameters.model.path = settings["path"]
    parameters.model_alias = {settings["name"]}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0  # Any that is free.
    parameters.api_keys = [settings["key"]]
    parameters.n_parallel = slots
    parameters.n_ctx = context * slots  # type: ignore[operator]
    parameters.kv_unified = False  # Each slot has a context of its own.
    parameters.fit_params = False  # The context stays what it is, whatever memory is free.
    # A prompt is read anew, whatever was asked before: else replies would depend on the order.
    parameters.cache_prompt = False
    parameters.cache_ram_mib = 0
    parameters.n_gpu_layers = 0
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads = settings["threads"]
        threads.poll = 0  # Threads that wait leave their cores to the memory that is tested.
    parameters.endpoint_slots = False
    parameters.ui = False
    parameters.verbosity = _ERRORS
    return xllamacpp.Server(parameters)


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which ends us.
    settings = json.loads(sys.stdin.readline())
    _die_with_parent(settings["parent"])
    try:
        server = _serve(settings)
    except Exception as error:
        _send({"error": str(error)})
        sys.exit(1)
    _send({"address": server.listening_address})  # type: ignore[attr-defined]
    sys.stdin.read()  # Until whoever started this has closed it, or is gone.
    os._exit(0)


def _send(message: dict[str, str]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    _main()
