"""Graphiti, a knowledge graph with times, as a memory."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from functools import partial
from typing import Any

from .shared import EventLoop, Fields, Found, SystemMemory, make_folder, storable

_MOST_BYTES = 2**36


class GraphitiMemory(SystemMemory, native="time speaker user delete list", emulated="update"):
    """Graphiti: a model extracts entities and the facts between them into an embedded Kuzu graph.

    Every text is an episode (``add_episode``) of its time, or of that of its adding: of plain text,
    or a message where the speaker is known. A user is a group. Facts that a later
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
        encoder = self._make_encoder()
        # Graphiti's clients belong to one event loop: it gets its own, whoever calls.
        self._loop = EventLoop()
        self._wait = self._loop.run
        self._folder = make_folder("graphiti")
        self._driver: Any = self._open_graph(kuzu, str(self._folder / "graph.kuzu"))
        self._graphiti: Any = self._import("graphiti_core").Graphiti(
            llm_client=self._llm,
            embedder=encoder,
            # Never used by these recipes; but without one, Graphiti requires OpenAI's key.
            cross_encoder=reranker.OpenAIRerankerClient(config),
            graph_driver=self._driver,
        )

    def _make_encoder(self) -> Any:
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
                texts = [input_data] if isinstance(input_data, str) else list(input_data)
                vectors: list[list[float]] = await asyncio.to_thread(embed, texts)
                return vectors[0]

            async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
                return await asyncio.to_thread(embed, input_data_list)

        return LocalEmbedder()

    def _open_graph(self, kuzu: Any, database: str) -> Any:
        """Open the graph database and make its indices; return the driver."""
        from graphiti_core.driver.driver import GraphProvider
        from graphiti_core.driver.kuzu_driver import KuzuDriver
        from graphiti_core.graph_queries import get_fulltext_indices

        driver: Any = KuzuDriver(db=database)
        driver._database = ""  # Graphiti reads this attribute, which the driver lacks.
        # Open it again with less address space: the driver reserves 8 TiB, and 15 fill a process.
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
        counting = "MATCH (n:{}) RETURN count(n) AS n".format
        tables = map(counting, ("RelatesToNode_", "Episodic"))
        counts = [self._wait(self._driver.execute_query(each)) for each in tables]
        return sum(rows[0]["n"] for rows, _, _ in counts)

    async def _end(self) -> None:
        await self._llm.client.close()
        self._driver.client.close()
        self._driver.db.close()

    async def _store(self, text: str, told: Fields) -> Sequence[str]:
        from graphiti_core.nodes import EpisodeType

        when = told.time or datetime.now(timezone.utc)
        added = await self._graphiti.add_episode(
            name=f"text of {when.isoformat()}",
            # Graphiti's messages begin with who says them.
            episode_body=f"{self._clean(told.speaker)}: {text}" if told.speaker else text,
            source=EpisodeType.message if told.speaker else EpisodeType.text,
            source_description="text",
            reference_time=when,
            group_id=told.owner,
        )
        return [added.episode.uuid]

    def _find(self, query: str | None, k: int, asked: Fields) -> Iterable[Found]:
        """Return facts and texts, scored by reciprocal rank fusion; without a query, all texts."""
        from graphiti_core.nodes import EpisodicNode
        from graphiti_core.search import search_config_recipes as recipes

        if query is None:
            known = (told for _, told in [*self._texts.values()] if asked.user in (None, told.user))
            owners = list({told.owner for told in known})
            held: Any = owners and self._wait(EpisodicNode.get_by_group_ids(self._driver, owners))
            return [Found(one.content, None, [one.uuid]) for one in held]
        combined = self._recipe == "combined"
        recipe = recipes.COMBINED_HYBRID_SEARCH_RRF if combined else recipes.EDGE_HYBRID_SEARCH_RRF
        # Nodes and communities are left out: they have no text of their own to answer from.
        # Texts cannot be filtered by time: all are found, and later ones are left out afterwards.
        many = k if asked.time is None else max(k, self._count())
        wanted = {"limit": many, "node_config": None, "community_config": None}
        groups = None if asked.user is None else [asked.owner]
        search = partial(self._graphiti.search_, search_filter=_holding_at(asked.time))
        hits = self._wait(search(query, recipe.model_copy(update=wanted), group_ids=groups))
        found = [Found(edge.fact, None, edge.episodes) for edge in hits.edges]
        found += [Found(episode.content, None, [episode.uuid]) for episode in hits.episodes]
        scores = (*hits.edge_reranker_scores, *hits.episode_reranker_scores)
        # A fact may equal a text word for word; the better one is kept.
        best: dict[str, Found] = {}
        for one, score in sorted(zip(found, scores, strict=True), key=lambda each: -each[1]):
            best.setdefault(one.text, one._replace(score=float(score)))
        return best.values()

    async def _forget(self, id: str, told: Fields) -> None:
        await self._graphiti.remove_episode(id)


def _holding_at(time: datetime | None) -> Any:
    """Return a filter for the facts that held at a time, as far as the model dated them."""
    from graphiti_core.search.search_filters import ComparisonOperator, DateFilter, SearchFilters

    if time is None:
        return SearchFilters()
    undated = [DateFilter(comparison_operator=ComparisonOperator.is_null)]
    begun = DateFilter(date=time, comparison_operator=ComparisonOperator.less_than_equal)
    ended = DateFilter(date=time, comparison_operator=ComparisonOperator.greater_than)
    return SearchFilters(valid_at=[[begun], undated], invalid_at=[[ended], undated])
