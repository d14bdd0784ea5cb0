"""The engine: tells each row's history to a fresh agent, asks its questions, stores the answers.

An agent sees chunks and queries and nothing else. Its failures are recorded, score as wrong, and
never end the run.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mabench.agents import Agent, AgentSpec, Answer, Query, answer_of, make_agent
from mabench.agents.oracle import Oracle
from mabench.dataset import Dataset, Question, Row
from mabench.metrics import Catalogue
from mabench.protocols import Protocol as InjectionProtocol
from mabench.redact import redact
from mabench.runs.evidence import Evidence
from mabench.runs.retrieved import Retrieved
from mabench.runs.sample import Sample, key_of, scored_sample
from mabench.runs.store import RunFolder
from mabench.sources import Prompts, Scored, family_of, search_query


class Watch(Protocol):
    """Told how a run goes, to show it."""

    def run_started(self, folder: Path, questions: int, answered: int) -> None:
        """A run of so many questions begins, or goes on with some of them answered."""

    def row_started(self, row: Row, chunks: int) -> None:
        """A row's history is cut into ``chunks`` chunks and will be told now."""

    def chunk_memorized(self) -> None:
        """The agent has taken in one more chunk."""

    def question_done(self, sample: Sample) -> None:
        """One more question is answered, or has failed, and is stored."""


@dataclass(frozen=True)
class Examination:
    """All that the engine needs to examine one agent.

    Attributes:
        chunk_tokens: a chunk size that replaces the protocol's, or None.
        catalogue: the titles of the recommendation rows, when the entity file is known.
        offline: never fetch tokenizer data over the network.
    """

    spec: AgentSpec
    protocol: InjectionProtocol
    prompts: Prompts
    chunk_tokens: int | None
    catalogue: Catalogue | None
    offline: bool
    folder: RunFolder
    watch: Watch


async def examine(
    examination: Examination, dataset: Dataset, sources: Collection[str] | None
) -> None:
    """Ask every question of the data set that the run folder holds no sample of.

    Raises:
        MabenchError: when rows, tokenizer data or the run folder fail; an agent's own failures
            are recorded instead.
    """
    done = {sample.key for sample in examination.folder.samples()}
    questions = sum(examination.folder.settings()["questions"].values())
    examination.watch.run_started(examination.folder.path, questions, len(done))
    for row in dataset.rows(sources):
        pending = [question for question in row.flatten() if key_of(question) not in done]
        if pending:
            await _examine_row(examination, row, pending)


async def _examine_row(examination: Examination, row: Row, questions: Sequence[Question]) -> None:
    chunks = examination.protocol.chunks(
        row.source, row.context, examination.chunk_tokens, offline=examination.offline
    )
    # The published chunker can make empty chunks; there is nothing to memorize in one.
    told = [
        examination.prompts.tell(family_of(row.source).name, chunk) for chunk in chunks if chunk
    ]
    examination.watch.row_started(row, len(told))
    agent = make_agent(examination.spec)
    try:
        error = await _memorize(examination, agent, row, told)
        retrieved = Retrieved(told, Evidence(row))
        for question in questions:
            await _ask(examination, agent, question, retrieved, error)
    finally:
        await _close(agent)


async def _memorize(
    examination: Examination, agent: Agent, row: Row, told: Sequence[str]
) -> str | None:
    """Tell the history; return what went wrong, if anything."""
    error = None
    start = time.perf_counter()
    try:
        for chunk in told:
            await _call(agent.memorize, chunk)
            examination.watch.chunk_memorized()
    except Exception as failure:
        error = _described(failure)
    examination.folder.append_memory(
        {
            "split": row.split,
            "row": row.index,
            "source": row.source,
            "chunks": len(told),
            "characters": sum(map(len, told)),
            "seconds": round(time.perf_counter() - start, 6),
            "error": error,
        }
    )
    return error


async def _ask(
    examination: Examination,
    agent: Agent,
    question: Question,
    retrieved: Retrieved,
    memory_error: str | None,
) -> None:
    """Ask one question, score the answer and store both."""
    answer, error = None, memory_error and f"memorizing failed: {memory_error}"
    start = time.perf_counter()
    if not error:
        try:
            _show_gold(examination, agent, question)
            answer = answer_of(await _call(agent.answer, _query(examination, question)))
        except Exception as failure:
            error = _described(failure)
    seconds = time.perf_counter() - start
    sample = _scored(examination, question, answer, error, retrieved)
    examination.folder.append_sample(sample, seconds)
    examination.watch.question_done(sample)


def _query(examination: Examination, question: Question) -> Query:
    prompt = examination.prompts.ask(family_of(question.source).name, question.question)
    return Query(
        prompt,
        question=question.question,
        search_query=search_query(prompt),
        max_tokens=examination.protocol.max_tokens(question.source),
    )


def _show_gold(examination: Examination, agent: Agent, question: Question) -> None:
    """Open the private door: for our own oracle alone, and only when it was asked for by name."""
    if examination.spec.name == "oracle" and type(agent) is Oracle:
        scored = Scored("", question.answers, question.question, examination.catalogue)
        agent.receive_gold(family_of(question.source).ideal(scored))


def _scored(
    examination: Examination,
    question: Question,
    answer: Answer | None,
    error: str | None,
    retrieved: Retrieved,
) -> Sample:
    if answer is None:
        return scored_sample(question, None, error, examination.catalogue)
    return scored_sample(
        question,
        answer.text,
        error,
        examination.catalogue,
        retrieved=retrieved.records(answer.retrieved),
        evidence_recall=retrieved.evidence_recall(question, answer.retrieved),
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost=answer.cost,
    )


async def _call(method: Callable[..., Any], *arguments: object) -> Any:
    """Call a method of an agent, sync or async."""
    result = method(*arguments)
    if inspect.isawaitable(result):
        return await result
    await asyncio.sleep(0)  # Lets Ctrl-C stop a run of sync calls between two of them.
    return result


async def _close(agent: Agent) -> None:
    close = getattr(agent, "close", None)
    if callable(close):
        try:
            await _call(close)
        except Exception:
            # What was answered stands, whatever a memory does while it is put away.
            return


def _described(failure: Exception) -> str:
    return redact(f"{type(failure).__name__}: {failure}")[:2000]
