"""A process that has imported mabench, and forks itself for each command.

A fresh Python takes most of a second to start; the pages have more than a hundred commands. The
shell that runs a page finds a small program of the name ``mabench`` first on its path, which hands
its arguments, folder, environment and streams over, and exits as the fork exits.

    python -m tests.documentation.forking SOCKET HUB

HUB is a folder that stands in for the public data set.
"""

import importlib
import json
import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any
from unittest import mock

_PRELOADED = ("mabench_floor", "mabench.cli.app", "nltk.stem.snowball", "sklearn.svm", "bm25s")
# The program `mabench` of a page's shell.
PROGRAM = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as channel:
    channel.connect({socket!r})
    said = json.dumps({{"words": sys.argv[1:], "folder": os.getcwd(), "env": dict(os.environ)}})
    socket.send_fds(channel, [b"streams"], [0, 1, 2])
    channel.sendall(said.encode() + b"\\n")
    sys.exit(int(channel.makefile().readline() or 1))
"""


def _serve(path: str, hub: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for a fork here.
        print("ready", flush=True)
        while True:
            channel, _ = listening.accept()
            if os.fork():
                channel.close()
                continue
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _hand_over(channel, hub)


def _hand_over(channel: socket.socket, hub: Path) -> None:
    """Run a command in a fork of this fork, and say how it exited."""
    _, streams, _, _ = socket.recv_fds(channel, 7, 3)
    with channel.makefile() as lines:
        said = json.loads(lines.readline())
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        channel.sendall(f"{status if status >= 0 else 128 - status}\n".encode())
        os._exit(0)
    channel.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    _run(said, hub)


def _run(said: dict[str, Any], hub: Path) -> None:
    from mabench.cli import main

    os.chdir(said["folder"])
    os.environ.clear()
    os.environ.update(said["env"])
    sys.argv = ["mabench", *said["words"]]
    code = 1
    try:
        with mock.patch("mabench.data.opening.download", return_value=hub):
            main()
        code = 0
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    # What commands import, and no thread yet.
    for name in _PRELOADED:
        importlib.import_module(name)

    _serve(sys.argv[1], Path(sys.argv[2]))
