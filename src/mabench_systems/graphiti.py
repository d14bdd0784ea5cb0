"""Graphiti, a knowledge graph with times, as a memory.

``GraphitiMemory`` defines the methods that ``shared/memory.py`` calls: ``_store``, ``_find`` and so
on. Their ``fields`` are the user, the time and so on of a text, and ``limits`` are those that a
search is limited to. In Graphiti, a text is an episode, a fact an edge, and a user a group.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any

from .shared import EventLoop, Fields, Found, SystemMemory, make_folder, storable

_MOST_BYTES = 2**36  # Of a graph: 64 GiB of address space.


class GraphitiMemory(SystemMemory, native="time speaker user delete list", emulated="update"):
    """Graphiti: a model extracts entities and the facts between them into an embedded Kuzu graph.

    Every text is an episode (``add_episode``) at its time, else at the time when it is added. It is
    a message where the speaker is known, else plain text. A user is a group. Facts that a later
    text contradicts stay in the graph, with the time at which they ceased to hold; a search at a
    time leaves out those that did not hold then.

    Args:
        model, embeddings, embeddings_url: see ``SystemMemory``. Graphiti must have a model.
        recipe: ``combined`` (Graphiti's COMBINED_HYBRID_SEARCH_RRF, words and vectors: facts and
            texts, ranked together by their scores) or ``facts`` (its EDGE_HYBRID_SEARCH_RRF, what
            its basic ``search`` does).
        temperature: of the model; Graphiti's own default is 1.
        max_tokens: the longest reply asked of the model; Graphiti's own default is 16384.
        structured_output: ``json_schema``, or ``json_object`` for servers without it.
    """

    mabench_capabilities = {"module": "graphiti_core", "extra": "graphiti"}

    _clean = staticmethod(storable)

    def _open(
        self,
        *,
        recipe: str = "combined",
        temperature: float = 1.0,
        max_tokens: int = 16384,
        structured_output: str = "json_schema",
    ) -> None:
        """Open an empty graph, with clients for the language model and the embedding model."""
        model = self._model
        if model is None:
            raise ValueError(
                "Graphiti extracts entities and facts with a language model: name one with `model`"
            )
        if recipe not in ("combined", "facts"):
            raise ValueError(f"recipe must be 'combined' or 'facts', not {recipe!r}")
        os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
        kuzu = self._import("kuzu")
        clients = self._import("graphiti_core.llm_client")
        generic = self._import("graphiti_core.llm_client.openai_generic_client")
        reranker = self._import("graphiti_core.cross_encoder.openai_reranker_client")
        config = clients.LLMConfig(
            api_key=model["api_key"],
            base_url=model["base_url"],
            model=model["name"],
            small_model=model["name"],
            temperature=temperature,
            max_tokens=max_tokens,
        )
        self._recipe = recipe
        self._llm: Any = generic.OpenAIGenericClient(
            config, max_tokens=max_tokens, structured_output_mode=structured_output
        )
        embedder = self._make_embedder()
        # Graphiti's clients belong to one event loop: it gets its own, whoever calls.
        self._loop = EventLoop()
        self._wait = self._loop.run
        self._folder = make_folder("graphiti")
        self._driver: Any = self._open_graph(kuzu, str(self._folder / "graph.kuzu"))
        self._graphiti: Any = self._import("graphiti_core").Graphiti(
            llm_client=self._llm,
            embedder=embedder,
            # Never used by these recipes; but without one, Graphiti requires OpenAI's key.
            cross_encoder=reranker.OpenAIRerankerClient(config),
            graph_driver=self._driver,
        )

    def _make_embedder(self) -> Any:
        """Return Graphiti's client for embeddings, by a server or by a local model."""
        from graphiti_core.embedder.client import EmbedderClient
        from graphiti_core.embedder.openai import OpenAIEmbedder, OpenAIEmbedderConfig

        server = self._server
        if server is not None and self._model is not None:
            key = self._model["api_key"]
            return OpenAIEmbedder(
                OpenAIEmbedderConfig(embedding_model=server.name, api_key=key, base_url=server.url)
            )
        embed = self._embedder()

        class LocalEmbedder(EmbedderClient):  # type: ignore[misc, unused-ignore]
            async def create(self, input_data: Any) -> list[float]:
                """Return the vector of a text, or of the first of some texts."""
                texts = [input_data] if isinstance(input_data, str) else list(input_data)
                vectors: list[list[float]] = await asyncio.to_thread(embed, texts)
                return vectors[0]

            async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
                """Return the vector of each text."""
                return await asyncio.to_thread(embed, input_data_list)

        return LocalEmbedder()

    def _open_graph(self, kuzu: Any, database: str) -> Any:
        """Open the graph database in a file and make its indices; return Graphiti's driver."""
        from graphiti_core.driver.driver import GraphProvider
        from graphiti_core.driver.kuzu_driver import KuzuDriver
        from graphiti_core.graph_queries import get_fulltext_indices

        driver: Any = KuzuDriver(db=database)
        driver._database = ""  # Graphiti reads this attribute, which the driver lacks.
        # Open it again with less address space: the driver reserves 8 TiB, and a process has room
        # for 15 of them.
        driver.client.close()
        driver.db.close()
        driver.db = kuzu.Database(database, max_db_size=_MOST_BYTES)
        driver.client = kuzu.AsyncConnection(driver.db, max_concurrent_queries=1)
        # The driver's own method for full-text indices does nothing.
        for statement in get_fulltext_indices(GraphProvider.KUZU):
            self._wait(driver.execute_query(statement))
        return driver

    def _count(self) -> int:
        """Return the number of facts and texts in the graph."""
        total = 0
        for table in ("RelatesToNode_", "Episodic"):  # Graphiti's names for facts and texts.
            query = f"MATCH (n:{table}) RETURN count(n) AS n"
            rows, _, _ = self._wait(self._driver.execute_query(query))
            total += rows[0]["n"]
        return total

    async def _end(self) -> None:
        """Close the client of the model and the graph database."""
        await self._llm.client.close()
        self._driver.client.close()
        self._driver.db.close()

    async def _store(self, text: str, fields: Fields) -> Sequence[str]:
        """Add a text as an episode, from which the model extracts facts; return its id."""
        from graphiti_core.nodes import EpisodeType

        when = fields.time or datetime.now(timezone.utc)
        added = await self._graphiti.add_episode(
            name=f"text of {when.isoformat()}",
            # Graphiti's messages begin with who says them.
            episode_body=f"{self._clean(fields.speaker)}: {text}" if fields.speaker else text,
            source=EpisodeType.message if fields.speaker else EpisodeType.text,
            source_description="text",
            reference_time=when,
            group_id=fields.owner,
        )
        return [added.episode.uuid]

    def _find(self, query: str | None, k: int, limits: Fields) -> Iterable[Found]:
        """Return facts and texts, scored by reciprocal rank fusion; without a query, all texts."""
        if query is None:
            return self._list_texts(limits)
        hits = self._search(query, k, limits)
        facts = [Found(edge.fact, None, edge.episodes) for edge in hits.edges]
        texts = [Found(episode.content, None, [episode.uuid]) for episode in hits.episodes]
        scores = [*hits.edge_reranker_scores, *hits.episode_reranker_scores]
        scored = list(zip([*facts, *texts], scores, strict=True))
        scored.sort(key=lambda pair: pair[1], reverse=True)
        # A fact may equal a text word for word; the better one is kept.
        best_by_text: dict[str, Found] = {}
        for found, score in scored:
            best_by_text.setdefault(found.text, found._replace(score=float(score)))
        return best_by_text.values()

    def _list_texts(self, limits: Fields) -> Iterable[Found]:
        """Return all texts of a user, or of all users."""
        from graphiti_core.nodes import EpisodicNode

        stored_fields = [stored.fields for stored in list(self._texts.values())]
        groups = {fields.owner for fields in stored_fields if limits.user in (None, fields.user)}
        if not groups:
            return []
        episodes = self._wait(EpisodicNode.get_by_group_ids(self._driver, list(groups)))
        return [Found(episode.content, None, [episode.uuid]) for episode in episodes]

    def _search(self, query: str, k: int, limits: Fields) -> Any:
        """Return Graphiti's results of a search: its edges and episodes, with scores of each.

        Texts cannot be filtered by time: with one, all are found, and ``SystemMemory.search``
        leaves out later ones.
        """
        from graphiti_core.search import search_config_recipes as recipes

        combined = self._recipe == "combined"
        recipe = recipes.COMBINED_HYBRID_SEARCH_RRF if combined else recipes.EDGE_HYBRID_SEARCH_RRF
        limit = k if limits.time is None else max(k, self._count())
        # Nodes and communities are left out: they have no text of their own to answer from.
        changes = {"limit": limit, "node_config": None, "community_config": None}
        return self._wait(
            self._graphiti.search_(
                query,
                recipe.model_copy(update=changes),
                group_ids=None if limits.user is None else [limits.owner],
                search_filter=_holding_at(limits.time),
            )
        )

    async def _forget(self, id: str, fields: Fields) -> None:
        """Delete a text, with the facts that Graphiti knows from it alone."""
        await self._graphiti.remove_episode(id)


def _holding_at(time: datetime | None) -> Any:
    """Return Graphiti's filter for the facts that held at a time; without a time, for all facts.

    A fact holds from ``valid_at`` until ``invalid_at``. One that the model did not date counts as
    always begun or never ended.
    """
    from graphiti_core.search.search_filters import ComparisonOperator, DateFilter, SearchFilters

    if time is None:
        return SearchFilters()
    undated = [DateFilter(comparison_operator=ComparisonOperator.is_null)]
    begun = DateFilter(date=time, comparison_operator=ComparisonOperator.less_than_equal)
    ended = DateFilter(date=time, comparison_operator=ComparisonOperator.greater_than)
    return SearchFilters(valid_at=[[begun], undated], invalid_at=[[ended], undated])
