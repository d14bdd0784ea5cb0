"""Letta's archival memory as a memory."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ._shared import Fields, Folder, Found, SystemMemory, embedding_server, interleave, storable

_PROGRAM = Path(__file__).with_name("letta_server.py")
_READING = ("/mabench/search", "/mabench/size")


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

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "openai/text-embedding-3-small",
        embeddings_url: str | None = None,
        chunk_size: int = 300,
    ) -> None:
        super().__init__()
        server = embedding_server(embeddings, embeddings_url, model)
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
        self._server: _Server | None = _Server.enter(server.url, server.key or "none")
        config = {
            "embedding_endpoint_type": "openai",
            "embedding_endpoint": server.url,
            "embedding_model": server.name,
            # Must be told and is not used: Letta pads all vectors to the same length.
            "embedding_dim": 1536,
            "embedding_chunk_size": chunk_size,
        }
        self._described = (model["name"] if model else "none", server.url, config)
        self._agents: dict[str | None, str] = {}  # By user.
        try:
            self._agents[None] = self._server.create_agent(*self._described)
        except BaseException:
            self._server.leave()
            raise

    def _store(self, text: str, told: Fields) -> Sequence[str]:
        if told.user not in self._agents and self._server is not None:
            self._agents[told.user] = self._server.create_agent(*self._described)
        stored = self._ask("POST", self._path(told.user), {"text": text})
        return [one["id"] for one in stored]

    def _find(self, query: str, k: int, asked: Fields) -> Iterable[Found]:
        bodies = [{"agent_id": one, "query": query, "k": k} for one in self._own(asked)]
        return interleave(self._ask("POST", "/mabench/search", body) for body in bodies)

    def _forget(self, id: str, told: Fields) -> None:
        self._ask("DELETE", f"{self._path(told.user)}/{id}")

    def _held(self, asked: Fields) -> Iterable[Found]:
        users = [one for one in self._agents if asked.user in (None, one)]
        return [Found(x["text"]) for one in users for x in self._ask("GET", self._path(one))]

    def stats(self) -> dict[str, int]:
        """Return how many passages there are; the database is shared, so its bytes are not told."""
        sizes = (
            self._ask("POST", "/mabench/size", {"agent_id": one}) for one in self._own(Fields())
        )
        return {"memories": sum(sizes)}

    def close(self) -> None:
        """Delete the agents with their passages; the last one ends the server."""
        if self._server is not None:
            for agent in self._own(Fields()):
                self._ask("POST", "/mabench/forget", {"agent_id": agent})
                self._ask("DELETE", f"/v1/agents/{agent}")
            self._server.leave()
            self._server = None

    def _own(self, asked: Fields) -> Sequence[str]:
        return [agent for owner, agent in self._agents.items() if asked.user in (None, owner)]

    def _path(self, user: str | None) -> str:
        return f"/v1/agents/{self._agents[user]}/archival-memory"

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        if self._server is None:
            raise ValueError("this memory is closed")
        return self._server.ask(method, path, body)


class _Server:
    """A Letta server as a process of its own, shared by the instances that embed alike."""

    _lock = threading.Lock()
    _live: dict[tuple[str, str], _Server] = {}

    @classmethod
    def enter(cls, url: str, key: str) -> _Server:
        """Return the server for these embeddings, started for the first instance."""
        with cls._lock:
            if (url, key) not in cls._live:
                cls._live[url, key] = cls(url, key)
            server = cls._live[url, key]
            server._instances += 1
            return server

    def __init__(self, url: str, key: str) -> None:
        self._key = (url, key)
        self._instances = 0
        self._changing = threading.Lock()
        self._folder = Folder("letta")
        folder = self._folder.path
        settings = {
            "HOME": str(folder),  # where Letta keeps its database, and nothing can change it
            "LETTA_DIR": str(folder / ".letta"),
            "OPENAI_API_KEY": key,
            "OPENAI_API_BASE": url,
            "LETTA_DISABLE_TRACING": "true",
        }
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("LETTA_", "MEMGPT_"))}
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
            self._url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            with (folder / "log").open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    # -P: beside that program, "import letta" would find this file.
                    [sys.executable, "-P", str(_PROGRAM), str(listening.fileno())],
                    env=inherited | settings,
                    cwd=folder,
                    pass_fds=[listening.fileno()],
                    stdin=subprocess.PIPE,  # its end tells the server that we are gone
                    stdout=log,
                    stderr=log,
                )
        # No proxy stands between us and loopback.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            self.ask("GET", "/v1/health/")  # waits until it has started
        except RuntimeError:
            self._end()
            raise

    def create_agent(self, model: str, url: str, embedding_config: dict[str, Any]) -> str:
        """Create an agent without tools or blocks and return its id."""
        agent = {
            "name": f"mabench-{uuid.uuid4().hex}",
            "llm_config": {  # must be told and is not asked
                "model": model,
                "model_endpoint_type": "openai",
                "model_endpoint": url,
                "context_window": 8192,
            },
            "embedding_config": embedding_config,
            "include_base_tools": False,
            "memory_blocks": [],
        }
        return str(self.ask("POST", "/v1/agents/", agent)["id"])

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return what was replied."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(  # noqa: S310 - loopback
            self._url + path, data=data, headers=headers, method=method
        )
        # With SQLite Letta numbers messages by the last number read: two changes at once collide.
        turn = nullcontext() if path in _READING else self._changing
        try:
            with turn, self._opener.open(request, timeout=600) as reply:
                return json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise RuntimeError(f"Letta replied {error.code}: {text[:1000]}") from error
        except OSError as error:
            log = (self._folder.path / "log").read_text(errors="replace")
            raise RuntimeError(f"Letta's server does not reply: {error}\n{log[-2000:]}") from error

    def leave(self) -> None:
        """End the server and delete its folder when the last instance is closed."""
        with self._lock:
            self._instances -= 1
            if self._instances:
                return
            del self._live[self._key]
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.remove()
