"""What `mabench view` shows of a folder of runs: its index, the page of each run, its progress.

It also takes marks: what a person says of a run's gold or verdict in the page.
"""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import NamedTuple

from mabench.errors import MabenchError, UsageError
from mabench.json_text import Json
from mabench.page.index_pages import index_page
from mabench.page.run_pages import run_page
from mabench.reports.run_lists import describe_state
from mabench.reports.tables import NONE
from mabench.results import ListedRun, Mark, Run, RunFolder, Sample, list_runs

# The files of a run on which its page depends.
_FILES = ("run.json", "samples.jsonl", "judgments.jsonl", "stages.jsonl", "marks.jsonl")
_ID_DIGITS = 16  # Of a run, in addresses.


class _FileState(NamedTuple):
    """When a file was last written, in nanoseconds, and its size; zeros if there is none."""

    written: int = 0
    size: int = 0


class _KeptPage(NamedTuple):
    """A page that was made, and the states of ``_FILES`` of its run then."""

    states: tuple[_FileState, ...]
    content: str


class ViewedFolder:
    """A folder of runs, as a server shows it.

    Addresses name a run by its id, a hash of its folder, so that nobody can ask for another path.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._pages: dict[str, _KeptPage] = {}  # By the id of the run.
        self._making = threading.Lock()  # Pages are made one at a time.

    def index(self) -> str:
        """Return the page of all runs; raises ``DataError`` when the folder cannot be read."""
        runs = list_runs(self.place)
        links = {run.folder: f"run/{id_of(run)}" for run in runs if run.asked}
        return index_page(runs, self.place, links, served=True)

    def progress(self) -> Json:
        """Return how each run proceeds, as the index shows it, to be sent as JSON."""
        return [
            {
                "name": str(Path(run.folder).relative_to(self.place)),
                "score": NONE if run.score is None else f"{run.score:.1f}",
                "state": describe_state(run),
                "asked": f"{run.asked} of {run.questions}",
                "linked": bool(run.asked),
            }
            for run in list_runs(self.place)
        ]

    def page(self, run_id: str) -> str | None:
        """Return the page of a run by its id; None if there is no such run.

        A page is made again only if a file of its run has changed.

        Raises:
            MabenchError: when the run cannot be shown.
        """
        run = self._find(run_id)
        if run is None:
            return None
        folder = Path(run.folder)
        with self._making:
            states = tuple(_state_of(folder / name) for name in _FILES)
            kept = self._pages.get(run_id)
            if kept is None or kept.states != states:
                kept = _KeptPage(states, content=run_page(Run(folder), served=True))
                self._pages[run_id] = kept
            return kept.content

    def add_mark(self, run_id: str, fields: Json) -> bool:
        """Add a mark of a question to a run, from the fields that a page sent.

        Return False if there is no such run.

        Raises:
            UsageError: when it is no mark of a question that the run has asked.
        """
        run = self._find(run_id)
        if run is None:
            return False
        if not isinstance(fields, dict):
            raise UsageError("a mark is a JSON object")
        key = (fields.get("split"), fields.get("row"), fields.get("question_index"))
        store = Run(Path(run.folder)).store
        sample = _find_sample(store, key)
        if sample is None:
            raise UsageError("the run has asked no such question")
        try:
            mark = Mark.parse_given(sample, fields)
        except ValueError as error:
            raise UsageError(f"no mark: {error}") from error
        store.append_mark(mark)
        return True

    def _find(self, run_id: str) -> ListedRun | None:
        """Return the run with an id; None if the folder has none."""
        for run in list_runs(self.place):
            if id_of(run) == run_id:
                return run
        return None


def id_of(run: ListedRun) -> str:
    """Return the id of a run in addresses."""
    return hashlib.sha256(run.folder.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_DIGITS]


def _find_sample(store: RunFolder, key: object) -> Sample | None:
    """Return the sample of a run with a key: its split, row and question; None if there is none."""
    for sample in store.samples():
        if sample.key == key:
            return sample
    return None


def _state_of(file: Path) -> _FileState:
    """Return when a file was last written, and its size, to see whether it has changed."""
    try:
        status = file.stat()
    except OSError:
        return _FileState()
    return _FileState(written=status.st_mtime_ns, size=status.st_size)


def explain(error: Exception) -> str:
    """Return in words why something cannot be shown; of an unexpected error, only its type."""
    if isinstance(error, MabenchError):
        return str(error)
    return f"{type(error).__name__}: it cannot be shown"
