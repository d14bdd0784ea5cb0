"""Graphiti, a knowledge graph with times, as a memory."""

# mypy: disable-error-code="import-not-found"
# The outside systems are not installed where the types are checked.

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ._shared import (
    EventLoop,
    Folder,
    LocalEmbeddings,
    SystemMemory,
    embedding_server,
    key_of,
    not_installed,
    passage,
    storable,
    unknown,
)

_MOST_BYTES = 2**36


class GraphitiMemory(SystemMemory):
    """Graphiti: a model extracts entities and the facts between them into an embedded Kuzu graph.

    Every text is an episode (``add_episode``) of its time, or of the time of its adding; of plain
    text, or a message where a speaker is known; a user is a group, a session a saga. Facts that a
    later text contradicts stay in the graph, with the time at which they ceased to hold: a search
    at a time is for what held then, and for texts up to it. An update is a new episode.

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
    mabench_support = {
        "time": "native",
        "speaker": "native",
        "session": "native",
        "user": "native",
        "update": "emulated",
        "delete": "native",
        "list": "native",
    }

    _clean = staticmethod(storable)

    def __init__(
        self,
        *,
        model: Mapping[str, str] | None = None,
        embeddings: str = "sentence-transformers/all-MiniLM-L6-v2",
        embeddings_url: str | None = None,
        recipe: str = "combined",
        temperature: float = 1.0,
        max_tokens: int = 16384,
        structured_output: str = "json_schema",
    ) -> None:
        if model is None:
            raise ValueError(
                "Graphiti extracts entities and facts with a language model: name one with `model`"
            )
        if recipe not in ("combined", "facts"):
            raise ValueError(f"recipe must be 'combined' or 'facts', not {recipe!r}")
        os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
        try:
            import kuzu
            from graphiti_core import Graphiti
            from graphiti_core.cross_encoder.openai_reranker_client import OpenAIRerankerClient
            from graphiti_core.llm_client import LLMConfig
            from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient
        except ImportError as error:
            raise not_installed("graphiti", error.name) from error

        config = LLMConfig(
            api_key=model["api_key"],
            base_url=model["base_url"],
            model=model["name"],
            small_model=model["name"],
            temperature=temperature,
            max_tokens=max_tokens,
        )
        self._recipe = recipe
        self._told: dict[str, _Told] = {}  # By id.
        self._llm = OpenAIGenericClient(
            config, max_tokens=max_tokens, structured_output_mode=structured_output
        )
        embedder = _embedder(embeddings, embeddings_url, model)
        # Graphiti's clients belong to one event loop: it gets its own, whoever calls.
        self._loop = EventLoop()
        self._wait = self._loop.run
        self._folder = Folder("graphiti")
        self._driver: Any = self._open_graph(kuzu)
        self._graphiti: Any = Graphiti(
            llm_client=self._llm,
            embedder=embedder,
            # Never asked by the recipes used here; without one Graphiti wants OpenAI's key.
            cross_encoder=OpenAIRerankerClient(config),
            graph_driver=self._driver,
        )

    def _open_graph(self, kuzu: Any) -> Any:
        from graphiti_core.driver.driver import GraphProvider
        from graphiti_core.driver.kuzu_driver import KuzuDriver
        from graphiti_core.graph_queries import get_fulltext_indices

        database = str(self._folder.path / "graph.kuzu")
        driver: Any = KuzuDriver(db=database)
        driver._database = ""  # Groups are looked for in it, and the driver does not name it.
        # Opened again with less address space: the driver takes 8 TiB, so 15 fill a process.
        driver.client.close()
        driver.db.close()
        driver.db = kuzu.Database(database, max_db_size=_MOST_BYTES)
        driver.client = kuzu.AsyncConnection(driver.db, max_concurrent_queries=1)
        # The full-text indices: the Kuzu driver's own method for them does nothing.
        for statement in get_fulltext_indices(GraphProvider.KUZU):
            self._wait(driver.execute_query(statement))
        return driver

    def stats(self) -> dict[str, int]:
        """Return how many facts and texts there are, and the bytes on disk."""
        memories = 0
        for table in ("RelatesToNode_", "Episodic"):
            count = self._driver.execute_query(f"MATCH (n:{table}) RETURN count(n) AS n")
            rows, _, _ = self._wait(count)
            memories += rows[0]["n"]
        return {"memories": memories, "bytes": self._folder.bytes()}

    def close(self) -> None:
        """Close the graph and delete it."""
        if not self._loop.is_closed:
            self._wait(self._llm.client.close())
            self._driver.client.close()
            self._driver.db.close()
            self._loop.close()
            self._folder.remove()

    def add(
        self,
        text: str,
        *,
        time: datetime | None = None,
        speaker: str | None = None,
        session: str | None = None,
        user: str | None = None,
    ) -> str | None:
        """Tell an episode and return its id."""
        if not (text := self._storable(text)):
            return None
        episode = self._tell(text, time, speaker, session, user)
        self._told[episode] = _Told(episode, time, speaker, session, user)
        return episode

    def search(
        self, query: str, k: int, *, time: datetime | None = None, user: str | None = None
    ) -> Sequence[Any]:
        """Return the ``k`` best facts and texts, with the scores of reciprocal rank fusion."""
        from graphiti_core.search import search_config_recipes as recipes

        if k <= 0 or not (query := self._storable(query)):
            return []
        combined = self._recipe == "combined"
        recipe = recipes.COMBINED_HYBRID_SEARCH_RRF if combined else recipes.EDGE_HYBRID_SEARCH_RRF
        # Texts are left out by their times only after they were found.
        many = k if time is None else max(k, self.stats()["memories"])
        # Nodes and communities are left out: they have no text of their own to answer from.
        wanted = {"limit": many, "node_config": None, "community_config": None}
        hits = self._wait(
            self._graphiti.search_(
                query,
                recipe.model_copy(update=wanted),
                group_ids=None if user is None else [key_of(user)],
                search_filter=_holding_at(time),
            )
        )
        facts = [(edge.fact, self._time_of(edge.episodes)) for edge in hits.edges]
        texts = [(one.content, self._time_of([one.uuid])) for one in hits.episodes]
        scores = (*hits.edge_reranker_scores, *hits.episode_reranker_scores)
        best: dict[str, tuple[float, str | None]] = {}  # A fact may be a text: it is given once.
        for (text, said), score in zip((*facts, *texts), scores, strict=True):
            if said is None or time is None or said <= time:
                found = (float(score), said and said.isoformat())
                best[text] = max(found, best.get(text, found), key=lambda one: one[0])
        ranked = sorted(best.items(), key=lambda found: -found[1][0])[:k]
        return [passage(text, score, said) for text, (score, said) in ranked]

    def update(self, id: str, text: str, *, time: datetime | None = None) -> None:
        """Forget an episode and tell another one, under the same id, as of the same user."""
        if id not in self._told:
            raise unknown(id)
        old = self._told[id]
        new = old._replace(time=time or old.time)
        self._wait(self._graphiti.remove_episode(old.episode))
        episode = self._tell(self._clean(text), *new[1:])
        self._told[id] = new._replace(episode=episode)

    def delete(self, *, id: str | None = None, user: str | None = None) -> None:
        """Forget an episode, or all of a user, with the facts that began with them."""
        own = [key for key, told in self._told.items() if user is not None and told.user == user]
        if id is not None and id not in self._told:
            raise unknown(id)
        for key in own if id is None else [id]:
            self._wait(self._graphiti.remove_episode(self._told.pop(key).episode))

    def list(self, *, user: str | None = None) -> Sequence[Any]:
        """Return the texts of a user, or all; facts are not listed."""
        from graphiti_core.nodes import EpisodicNode

        users = {told.user for told in self._told.values() if user in (None, told.user)}
        if not users:
            return []
        groups = [key_of(each) for each in users]
        episodes = self._wait(EpisodicNode.get_by_group_ids(self._driver, groups))
        times = [self._time_of([one.uuid]) for one in episodes]
        return [
            passage(one.content, None, said and said.isoformat())
            for one, said in zip(episodes, times, strict=True)
        ]

    def _tell(
        self,
        text: str,
        time: datetime | None,
        speaker: str | None,
        session: str | None,
        user: str | None,
    ) -> str:
        from graphiti_core.nodes import EpisodeType

        when = time or datetime.now(UTC)
        told = self._wait(
            self._graphiti.add_episode(
                name=f"text of {when.isoformat()}",
                # Graphiti's messages begin with who says them.
                episode_body=f"{self._clean(speaker)}: {text}" if speaker else text,
                source=EpisodeType.message if speaker else EpisodeType.text,
                source_description="text",
                reference_time=when,
                group_id=key_of(user),
                saga=session and self._clean(session),
            )
        )
        return str(told.episode.uuid)

    def _time_of(self, episodes: Iterable[str]) -> datetime | None:
        """Return when the first of some episodes was said; None where that is unknown."""
        times = {told.episode: told.time for told in self._told.values() if told.time}
        return min((times[one] for one in episodes if one in times), default=None)


class _Told(NamedTuple):
    """What is known of a text: Graphiti's episode of it, and what it was told with."""

    episode: str
    time: datetime | None
    speaker: str | None
    session: str | None
    user: str | None


def _holding_at(time: datetime | None) -> Any:
    """Return a filter for the facts that held at a time, as far as the model gave them one."""
    from graphiti_core.search.search_filters import (
        ComparisonOperator,
        DateFilter,
        SearchFilters,
    )

    if time is None:
        return SearchFilters()
    unknown = [DateFilter(comparison_operator=ComparisonOperator.is_null)]
    begun = DateFilter(date=time, comparison_operator=ComparisonOperator.less_than_equal)
    ended = DateFilter(date=time, comparison_operator=ComparisonOperator.greater_than)
    return SearchFilters(valid_at=[[begun], unknown], invalid_at=[[ended], unknown])


def _embedder(embeddings: str, url: str | None, model: Mapping[str, str]) -> Any:
    from graphiti_core.embedder.client import EmbedderClient
    from graphiti_core.embedder.openai import OpenAIEmbedder, OpenAIEmbedderConfig

    server = embedding_server(embeddings, url, model)
    if server is not None:
        return OpenAIEmbedder(
            OpenAIEmbedderConfig(
                embedding_model=server.name, api_key=model["api_key"], base_url=server.url
            )
        )
    embed = LocalEmbeddings(embeddings)

    class LocalEmbedder(EmbedderClient):  # type: ignore[misc, unused-ignore]
        async def create(self, input_data: Any) -> list[float]:
            texts = [input_data] if isinstance(input_data, str) else list(input_data)
            return (await asyncio.to_thread(embed, texts))[0]

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return await asyncio.to_thread(embed, input_data_list)

    return LocalEmbedder()
