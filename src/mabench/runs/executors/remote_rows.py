"""Rows that are run in another process: their results are stored here as they come back.

The process that owns the run folder alone writes there. Results come back record by record, so
a worker that is lost takes with it only what it had not sent yet; its row is run again with the
questions that are left.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mabench.data import Question, Row
from mabench.errors import NotMadeError
from mabench.families import family_of
from mabench.printable import printable, write_count
from mabench.redact import redact
from mabench.results import Key, Timing, score_sample
from mabench.runs.context import RunContext
from mabench.runs.worker import RowResult, RowTask

_ATTEMPTS = 3


class WorkerLostError(Exception):
    """The process that ran a row is gone."""


@dataclass(frozen=True)
class RemoteRows:
    """Stores the results of rows that are run elsewhere."""

    context: RunContext
    # Runs a task in another process and yields its results; WorkerLostError if that is gone.
    run_task: Callable[[RowTask], AsyncIterator[RowResult]]

    async def run_row(self, row: Row, questions: Sequence[Question]) -> None:
        """Run a row; one whose worker is lost is run again, three times in all.

        Raises:
            MabenchError: when no agent could be made yet.
        """
        context = self.context
        note = write_count(len(questions), "question")
        context.progress.start(
            "chunks", None, title=context.inputs.title(row.source, row.index), note=note
        )
        left = {question.key: question for question in questions}
        error = f"the worker was lost {_ATTEMPTS} times"
        for _ in range(_ATTEMPTS):
            try:
                await self._run_and_store(row, left)
                return
            except NotMadeError as failure:
                if not context.agent_made.is_set():
                    raise  # Probably none can be made.
                error = str(failure)
                break
            except WorkerLostError:  # The row is tried again, unless the run stops.
                if context.stop.reason:
                    return
        for key, question in left.items():
            family = family_of(context.inputs.sources[question.source])
            sample = score_sample(question, None, error, family, context.inputs.catalogue)
            context.store.append_sample(sample, Timing(*key, seconds=0.0))

    async def _run_and_store(self, row: Row, left: dict[Key, Question]) -> None:
        """Run a row, store what comes of it, and take out of ``left`` what is answered.

        What the row fails with is raised.
        """
        context = self.context
        name = printable(redact(f"{row.source} row {row.index}"))
        with ExitStack() as waiting:

            def wait_for(what: str) -> None:
                waiting.close()
                text = f"{what} of {name}, in another process"
                waiting.enter_context(context.stop.waiting_for(text))

            wait_for("the memory")
            task = RowTask(
                spec=context.spec.without_data(),
                row=row,
                questions=[*left.values()],
                not_looked_at=context.store.answers_not_looked_at((row.split, row.index)),
                folder=str(Path.cwd()),
            )
            async for method, arguments in self.run_task(task):
                if method == "fail":
                    raise arguments[0]
                if method == "append_memory":
                    context.agent_made.set()
                is_stored = False  # Whether it was answered before an earlier worker was lost.
                if method == "append_sample":
                    is_stored = left.pop(arguments[0].key, None) is None
                if not is_stored:
                    receiver = context.progress if method in ("note", "say") else context.store
                    getattr(receiver, method)(*arguments)
                if method in ("append_sample", "append_timing", "append_memory"):
                    wait_for(_name_next(left))


def _name_next(left: Iterable[Key]) -> str:
    """Return what is waited for next: the first of the questions that are left, else the end."""
    for _, _, index in left:
        return f"question {index}"
    return "the end"
