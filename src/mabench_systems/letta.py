"""Letta's archival memory as a memory.

``LettaMemory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and so
on. Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a
search is limited to. Letta runs as a server in a process of its own; an agent of Letta's, with its
archival memory, has the texts of a user.
"""

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
_SEARCH = "/mabench/search"  # A route that ``letta_server.py`` adds.
_PATIENCE = 600  # Seconds to wait for a reply.


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
        """Check the settings, and start Letta's server unless another instance has started it."""
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
        # What Letta makes the agent of each user from: without tools or blocks.
        self._agent_settings = {
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
        self._agents: dict[str | None, str] = {}  # The ids of agents by user.
        self._creating = threading.Lock()
        self._process = _LettaServer.enter((server.url, server.key or "none"))
        self._ask = self._process.ask

    def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Add a text to the archival memory of its user's agent; return the ids of its passages.

        An agent is made for a user's first text.
        """
        with self._creating:
            if fields.user not in self._agents:
                agent = {"name": f"mabench-{uuid.uuid4().hex}", **self._agent_settings}
                self._agents[fields.user] = self._ask("POST", "/v1/agents/", agent)["id"]
        passages = self._ask("POST", self._path(fields.user), {"text": text})
        return [passage["id"] for passage in passages]

    def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return the passages nearest to a query; without one, all of a user or of all users."""
        users = [user for user in list(self._agents) if limits.user in (None, user)]
        if query is None:
            lists = [self._ask("GET", self._path(user)) for user in users]
            return [Found(passage["text"]) for passages in lists for passage in passages]
        bodies = [{"agent_id": self._agents[user], "query": query, "k": k} for user in users]
        return interleave(self._ask("POST", _SEARCH, body) for body in bodies)

    def _forget(self, id: str, fields: Fields) -> None:
        """Delete the passage with an id."""
        self._ask("DELETE", f"{self._path(fields.user)}/{id}")

    def _end(self) -> None:
        """Delete the agents with their passages; the server ends with its last instance."""
        try:
            for agent in self._agents.values():
                self._ask("POST", "/mabench/forget", {"agent_id": agent})
                self._ask("DELETE", f"/v1/agents/{agent}")
        finally:
            self._process.leave()

    def _path(self, user: str | None) -> str:
        """Return the path of the archival memory of a user's agent on the server."""
        return f"/v1/agents/{self._agents[user]}/archival-memory"


class _LettaServer(Shared):
    """A Letta server as a process, shared by the instances that embed on one server."""

    _live = {}

    def __init__(self, key: tuple[str, str]) -> None:
        """Start the server and wait for it; the key is URL and API key of the embedding server.

        Raises ``RuntimeError`` if it does not start.
        """
        embedding_url, api_key = key
        self._changing = threading.Lock()
        self._folder = make_folder("letta")
        # The port is taken before the server starts, which gets the socket as a file descriptor.
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}"
            self._server = self._start(embedding_url, api_key, listening.fileno())
        # No proxy for the loopback interface, and no kept connections, which the server closes.
        httpx = import_module("httpx")
        no_kept = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(
            base_url=address, timeout=_PATIENCE, trust_env=False, limits=no_kept
        )
        try:
            self.ask("GET", "/v1/health/")  # waits until it has started
        except RuntimeError:
            self._end()
            raise

    def _start(self, embedding_url: str, api_key: str, descriptor: int) -> subprocess.Popen[bytes]:
        """Start the process of the server, which listens on the socket of a file descriptor."""
        folder = self._folder
        settings = {
            "HOME": str(folder),  # where Letta keeps its database, and nothing can change it
            "LETTA_DIR": str(folder / ".letta"),
            "OPENAI_API_KEY": api_key,
            "OPENAI_API_BASE": embedding_url,
            "LETTA_DISABLE_TRACING": "true",
        }
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("LETTA_", "MEMGPT_"))
        }
        with (folder / "log").open("wb") as log:
            return subprocess.Popen(  # noqa: S603 - our own program
                # Passed as text: next to the file, "import letta" would find this module.
                [sys.executable, "-c", _PROGRAM.read_text("utf-8"), str(descriptor)],
                env=inherited | settings,
                cwd=folder,
                pass_fds=[descriptor],
                stdin=subprocess.PIPE,  # its end tells the server that we are gone
                stdout=log,
                stderr=log,
            )

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to the server, and return the JSON of its reply; None if it is empty.

        Raises ``RuntimeError`` if there is no reply, or an error as reply.
        """
        # With SQLite, two changes at the same time get the same number and collide.
        lock = nullcontext() if path == _SEARCH else self._changing
        try:
            with lock:
                reply = self._http.request(method, path, json=body)
        except Exception as error:
            log = (self._folder / "log").read_text(errors="replace")
            raise RuntimeError(f"Letta's server does not reply: {error}\n{log[-2000:]}") from error
        if reply.is_error:
            raise RuntimeError(f"Letta replied {reply.status_code}: {reply.text[:1000]}")
        return reply.json() if reply.content else None

    def _end(self) -> None:
        """End the server and remove its folder."""
        self._http.close()
        self._server.kill()
        self._server.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)
