"""Agents that were each told one history, to be asked its questions one by one.

For runners that are not ours: they ask questions when they like, in any order, and may leave some
out. An agent is told its history when the first question about it comes, and answers one question
at a time. Agents live in a loop of their own, so that nothing that they leave behind is in the way
of the runner's.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple, TypeVar

from mabench.data import Dataset, Question, Row, source_named
from mabench.families import family_of, load_prompts
from mabench.injection import protocol_named
from mabench.loading import catalogue_of, load
from mabench.models import ModelStoppedError, ModelUnavailableError
from mabench.redact import redact_values
from mabench.runs import RunSpec
from mabench.runs.engine.loops import in_thread, run_in_loop
from mabench.runs.engine.retrieval import RetrievalRecorder
from mabench.runs.engine.scoring import recorded
from mabench.runs.engine.session import AgentSession
from mabench.runs.telling import Telling, perfect_answer

T = TypeVar("T")
# Seconds that agents with questions left have to close when the program ends.
_LAST_SECONDS = 10.0


class Answered(NamedTuple):
    """What came of one question.

    Attributes:
        prediction: the agent's answer; None when it failed.
        error: why there is none: kind and message.
        hit_rank: the rank, from 1, of the first passage in which a gold stands, as in a sample.
        seconds: how long the answer took.
        input_tokens, output_tokens: what the answer took.
        cost: of the answer, in US dollars.
    """

    prediction: str | None
    error: str | None = None
    hit_rank: int | None = None
    seconds: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


class Histories:
    """The histories of one source, each with an agent of its own.

    An agent is closed when every question of its history was asked, at the latest when the program
    ends.

    Args:
        spec: the agent, the data and how histories are told.
        source: the name of the source.

    Attributes:
        rows: the rows of the source, by their index within the split.

    Raises:
        UsageError: when a part of the spec is wrong.
        DataError: when the data cannot be read or has no rows of the source.
    """

    def __init__(self, spec: RunSpec, source: str) -> None:
        self._spec = spec
        self._agent = spec.agent.resolve(spec.agent.open_model())
        self._dataset: Dataset = load(spec.data.data, offline=spec.data.offline)
        spec.data.questions_by_source(self._dataset)  # Complain now if there are none.
        self._family = family_of(source_named(source, self._dataset.sources))
        self._catalogue = (
            catalogue_of(self._dataset, spec.data.entities) if self._family.needs_entities else None
        )
        prompts = load_prompts(None, self._dataset.sources)
        self._telling = Telling(spec, protocol_named(spec.injection.protocol), prompts)
        self._open: dict[tuple[int, int], _History] = {}
        self._loop: _Loop | None = None
        self.rows: Mapping[int, Row] = {row.index: row for row in self._dataset.rows([source])}

    async def ask(self, row: int, question_index: int, epoch: int = 1) -> Answered:
        """Ask a question about a history; each epoch has a memory of its own.

        An agent's failure is part of what comes of the question.

        Raises:
            UsageError: when the agent cannot be made.
            ModelUnavailableError: when the model's server refuses all requests.
        """
        if self._loop is None:
            self._loop = _Loop()
            atexit.register(self.close)
        return await asyncio.wrap_future(
            self._loop.submit(self._ask_in_turn(row, question_index, epoch))
        )

    def close(self) -> None:
        """Close the agents whose histories have questions left; ``ask`` may be called again."""
        loop, self._loop = self._loop, None
        if loop:
            atexit.unregister(self.close)
            with contextlib.suppress(Exception):  # What was answered stands.
                loop.submit(self._close_all()).result(_LAST_SECONDS)
            loop.end()

    async def _close_all(self) -> None:
        while self._open:
            await self._open.popitem()[1].close()

    async def _ask_in_turn(self, row: int, question_index: int, epoch: int) -> Answered:
        history = self._open.setdefault((row, epoch), _History(self.rows[row]))
        async with history.lock:
            if history.told is None:
                history.told = await self._tell(history.row)
            answered = await self._ask(history.told, history.questions[question_index])
            history.left.discard(question_index)
            if not history.left:
                self._open.pop((row, epoch), None)
                await history.close()
        return answered

    async def _tell(self, row: Row) -> _Told:
        """Make the agent of a history and let it memorize."""
        chunks = await in_thread(partial(self._telling.chunks, self._family, row))
        session = AgentSession(self._agent)
        await session.make()
        error = None
        try:
            for chunk in chunks:
                await session.memorize(chunk)
        except Exception as failure:
            error = f"memorizing failed: {recorded(failure)['error']}"
        recorder = RetrievalRecorder(chunks, row, self._family, session.searches)
        return _Told(session, recorder, error)

    async def _ask(self, told: _Told, question: Question) -> Answered:
        session, recorder, error = told
        if error:
            return Answered(None, error)
        start = time.perf_counter()
        try:
            session.show_gold(partial(perfect_answer, self._family, question, self._catalogue))
            answer = await session.answer(self._telling.query(self._family, question))
        except (ModelStoppedError, ModelUnavailableError):
            raise  # Nothing is said of the agent.
        except Exception as failure:
            seconds = time.perf_counter() - start
            return Answered(None, recorded(failure)["error"], seconds=seconds)
        seconds = time.perf_counter() - start
        return Answered(
            prediction=redact_values(answer.text),
            hit_rank=recorder.record(question, answer.retrieved)["hit_rank"],
            seconds=seconds,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost=answer.cost,
        )


class _Told(NamedTuple):
    """An agent that was told a history, and why it could not be, if so."""

    session: AgentSession
    recorder: RetrievalRecorder
    error: str | None


class _History:
    """A history, its lock, the questions not asked yet, and its agent once it was told."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.questions = list(row.flatten())
        self.left = set(range(len(self.questions)))
        self.lock = asyncio.Lock()
        self.told: _Told | None = None

    async def close(self) -> None:
        # What was answered stands, whatever a memory does while it is closed.
        if self.told:
            with contextlib.suppress(Exception):
                await self.told.session.close()


class _Loop:
    """An event loop in a thread, which does not keep the program from exiting."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        threading.Thread(target=lambda: run_in_loop(self._live()), daemon=True).start()
        self._ready.wait()

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._ready.set()
        await self._ended.wait()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run async work in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def end(self) -> None:
        """Let the loop end."""
        self._loop.call_soon_threadsafe(self._ended.set)
