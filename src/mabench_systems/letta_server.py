"""The program that ``letta.py`` starts: Letta's own server with two routes more.

Over HTTP, Letta only searches for a part of a text. The search by embeddings is a tool of its
agents; a route here calls what the tool calls. The other route deletes passages.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from typing import Any

import uvicorn
from letta.orm import AgentPassage
from letta.server.db import db_registry
from letta.server.rest_api.app import app, server
from sqlalchemy import delete


def search(body: dict[str, Any]) -> list[str]:
    """Return the texts of the passages of an agent that are nearest to a query.

    The body of the request has the fields ``agent_id``, ``query`` and ``k``, how many.
    """
    # Not its async twin, whose SQLite connections lack the function cosine_distance (0.8.8).
    actor = server.user_manager.get_user_or_default()
    agent = server.agent_manager.get_agent_by_id(body["agent_id"], actor=actor)
    passages = server.agent_manager.list_passages(
        actor=actor,
        agent_id=agent.id,
        query_text=body["query"],
        limit=body["k"],
        embedding_config=agent.embedding_config,
        embed_query=True,
    )
    return [passage.text for passage in passages]


def forget(body: dict[str, Any]) -> None:
    """Delete the passages of the agent ``agent_id``.

    With SQLite, Letta keeps them when the agent is deleted.
    """
    with db_registry.session() as session:
        session.execute(delete(AgentPassage).where(AgentPassage.agent_id == body["agent_id"]))
        session.commit()


def main(descriptor: int) -> None:
    """Serve Letta's application with two routes of ours, until standard input ends.

    ``descriptor`` is the number of an open socket that already listens.
    """

    def end_with_parent() -> None:
        sys.stdin.read()  # The parent holds it open while it lives.
        os._exit(0)

    threading.Thread(target=end_with_parent, daemon=True).start()
    app.post("/mabench/search")(search)
    app.post("/mabench/forget")(forget)
    listening = socket.socket(fileno=descriptor)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main(int(sys.argv[1]))
