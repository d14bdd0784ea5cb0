"""The server of ``mcp_server.py``: how it is started, and a mapping of its tools."""

import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import until

needs_mcp = pytest.mark.skipif(
    find_spec("mcp") is None, reason="needs the package mcp: pip install 'mabench[mcp]'"
)
SERVER = shlex.join([sys.executable, str(Path(__file__).with_name("mcp_server.py"))])
MAPS = Path(__file__).with_name("maps")


def write_map(folder: Path, mapping: str | None = None) -> str:
    """Write a mapping into a folder; without one, that of a tool that tells its environment."""
    path = folder / "map.toml"
    path.write_text(mapping or (MAPS / "environment.toml").read_text("utf-8"), "utf-8")
    return str(path)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def answers(port: int) -> bool:
    """Return whether somebody listens on a port of loopback."""
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def started(command: Sequence[str], port: int, seconds: float = 60, **how: Any) -> Iterator[None]:
    """Have a program run that listens on a port of loopback within so many seconds."""
    with subprocess.Popen(command, **how) as process:
        try:
            until(lambda: answers(port) or process.poll() is not None, seconds)
            assert process.poll() is None, "the server ended"
            yield
        finally:
            process.kill()


@contextmanager
def mcp_over_http(*words: str) -> Iterator[str]:
    """Start the server; yields its URL."""
    port = free_port()
    command = [*shlex.split(SERVER), "-", *words, str(port)]
    with started(command, port, stderr=subprocess.DEVNULL):
        yield f"http://127.0.0.1:{port}/mcp"
