"""Letta's archival memory as a memory."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .shared import Fields, Found, Shared, SystemMemory, interleave, make_folder, storable

_PROGRAM = Path(__file__).with_name("letta_server.py")
_SEARCH = "/mabench/search"


class LettaMemory(SystemMemory, native="user delete list", emulated="update"):
    """Letta: texts become passages of an agent's archival memory, found by their embeddings.

    No language model is asked: passages go in as a client puts them in, and come out as the
    agent's own tool ``archival_memory_search`` would find them. One Letta server, with SQLite in
    a folder of its own, serves the instances of a process that embed with the same server; each
    instance has an agent for each user, and a search of all takes turns. The first one waits for
    the server to start (half a minute). Letta does not embed a changed text: it is added again.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``; only ``openai/NAME`` embeds.
        chunk_size: passages are cut at this many tokens; 300 is Letta's own default.
    """

    mabench_capabilities = {"module": "letta"}

    _clean = staticmethod(storable)

    _usual_embeddings = "openai/text-embedding-3-small"

    def _open(self, *, chunk_size: int = 300) -> None:
        server = self._server
        if server is None:
            raise ValueError("Letta embeds through a server: name embeddings as openai/NAME")
        if not server.url:
            raise ValueError(
                "Letta embeds through a server: give embeddings_url, or name a server with `model`"
            )
        package = find_spec("letta")
        if package is None or not package.submodule_search_locations:
            raise ImportError(
                "letta is not installed; it takes an environment of its own, named with `python`: "
                "docs/guides/memory-systems.md says how"
            )
        # The description of an agent without tools or blocks.
        self._described = {
            "llm_config": {  # Required, but never used.
                "model": self._model["name"] if self._model else "none",
                "model_endpoint_type": "openai",
                "model_endpoint": server.url,
                "context_window": 8192,
            },
            "embedding_config": {
                "embedding_endpoint_type": "openai",
                "embedding_endpoint": server.url,
                "embedding_model": server.name,
                # Required, but never used: Letta pads all vectors to the same length.
                "embedding_dim": 1536,
                "embedding_chunk_size": chunk_size,
            },
            "include_base_tools": False,
            "memory_blocks": [],
        }
        self._agents: dict[str | None, str] = {}  # By user.
        self._creating = threading.Lock()
        self._process = _LettaServer.enter((server.url, server.key or "none"))
        self._ask = self._process.ask

    def _store(self, text: str, told: Fields) -> Sequence[str]:
        with self._creating:
            if told.user not in self._agents:
                agent = {"name": f"mabench-{uuid.uuid4().hex}", **self._described}
                self._agents[told.user] = self._ask("POST", "/v1/agents/", agent)["id"]
        return [one["id"] for one in self._ask("POST", self._path(told.user), {"text": text})]

    def _find(self, query: str | None, k: int, asked: Fields) -> Iterable[Found]:
        users = [user for user in [*self._agents] if asked.user in (None, user)]
        if query is None:
            return [Found(x["text"]) for one in users for x in self._ask("GET", self._path(one))]
        bodies = [{"agent_id": self._agents[one], "query": query, "k": k} for one in users]
        return interleave(self._ask("POST", _SEARCH, body) for body in bodies)

    def _forget(self, id: str, told: Fields) -> None:
        self._ask("DELETE", f"{self._path(told.user)}/{id}")

    def _end(self) -> None:
        try:
            for agent in self._agents.values():
                self._ask("POST", "/mabench/forget", {"agent_id": agent})
                self._ask("DELETE", f"/v1/agents/{agent}")
        finally:
            self._process.leave()

    def _path(self, user: str | None) -> str:
        return f"/v1/agents/{self._agents[user]}/archival-memory"


class _LettaServer(Shared):
    """A Letta server as a process, shared by the instances that embed on one server."""

    _live = {}

    def __init__(self, key: tuple[str, str]) -> None:
        url, api_key = key
        self._changing = threading.Lock()
        folder = self._folder = make_folder("letta")
        settings = {
            "HOME": str(folder),  # where Letta keeps its database, and nothing can change it
            "LETTA_DIR": str(folder / ".letta"),
            "OPENAI_API_KEY": api_key,
            "OPENAI_API_BASE": url,
            "LETTA_DISABLE_TRACING": "true",
        }
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("LETTA_", "MEMGPT_"))
        }
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}"
            with (folder / "log").open("wb") as log:
                self._server = subprocess.Popen(  # noqa: S603 - our own program
                    # Passed as text: next to the file, "import letta" would find this module.
                    [sys.executable, "-c", _PROGRAM.read_text("utf-8"), str(listening.fileno())],
                    env=inherited | settings,
                    cwd=folder,
                    pass_fds=[listening.fileno()],
                    stdin=subprocess.PIPE,  # its end tells the server that we are gone
                    stdout=log,
                    stderr=log,
                )
        # No proxy for the loopback interface, and no kept connections, which the server closes.
        httpx = import_module("httpx")
        alone = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(base_url=address, timeout=600, trust_env=False, limits=alone)
        try:
            self.ask("GET", "/v1/health/")  # waits until it has started
        except RuntimeError:
            self._end()
            raise

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return the JSON of its reply."""
        # With SQLite, two changes at the same time get the same number and collide.
        may_run = nullcontext() if path == _SEARCH else self._changing
        try:
            with may_run:
                reply = self._http.request(method, path, json=body)
        except Exception as error:
            log = (self._folder / "log").read_text(errors="replace")
            raise RuntimeError(f"Letta's server does not reply: {error}\n{log[-2000:]}") from error
        if reply.is_error:
            raise RuntimeError(f"Letta replied {reply.status_code}: {reply.text[:1000]}")
        return reply.json() if reply.content else None

    def _end(self) -> None:
        self._http.close()
        self._server.kill()
        self._server.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)
