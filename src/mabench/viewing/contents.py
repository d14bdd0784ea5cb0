"""What is shown of a folder of runs: its index, the page of each run, and how runs proceed."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import NamedTuple

from mabench.errors import DataError, MabenchError, UsageError
from mabench.json_text import Json
from mabench.page.index_pages import index_page
from mabench.page.run_pages import run_page
from mabench.reports.run_lists import describe_state
from mabench.reports.tables import NONE
from mabench.results import ListedRun, Mark, Run, list_runs

# The files of a run on which its page depends.
_FILES = ("run.json", "samples.jsonl", "judgments.jsonl", "stages.jsonl", "marks.jsonl")


class _KeptPage(NamedTuple):
    """A page that was made, and what the files of its run were then."""

    state: tuple[tuple[int, int], ...]
    content: str


class ViewedFolder:
    """A folder of runs. Runs are named by a hash of their place, so no address is a path."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._pages: dict[str, _KeptPage] = {}
        self._making = threading.Lock()  # Pages are made one at a time.

    def index(self) -> str:
        """Return the page of all runs; raises ``DataError`` when the folder cannot be read."""
        runs = list_runs(self.place)
        pages = {run.folder: f"run/{name_of(run)}" for run in runs if run.asked}
        return index_page(runs, self.place, pages, served=True)

    def progress(self) -> Json:
        """Return how each run proceeds, as the index shows it."""
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

    def page(self, name: str) -> str | None:
        """Return the page of a run by its name; None if there is no such run.

        Raises:
            MabenchError: when the run cannot be shown.
        """
        run = self._find(name)
        if run is None:
            return None
        with self._making:
            state = tuple(_state_of(Path(run.folder) / file) for file in _FILES)
            kept = self._pages.get(name)
            if kept is None or kept.state != state:
                content = run_page(Run(Path(run.folder)), served=True)
                self._pages[name] = kept = _KeptPage(state, content)
            return kept.content

    def add_mark(self, name: str, given: Json) -> bool:
        """Add what a person says of a question of a run; return False if there is no such run.

        Raises:
            UsageError: when it is no mark of a question that the run has asked.
        """
        run = self._find(name)
        if run is None:
            return False
        if not isinstance(given, dict):
            raise UsageError("a mark is a JSON object")
        place = tuple(given.get(field) for field in ("split", "row", "question_index"))
        folder = Run(Path(run.folder)).store
        sample = next((one for one in folder.samples() if one.key == place), None)
        if sample is None:
            raise UsageError("the run has asked no such question")
        try:
            mark = Mark.parse_given(sample, given)
        except ValueError as error:
            raise UsageError(f"no mark: {error}") from error
        folder.append_mark(mark)
        return True

    def _find(self, name: str) -> ListedRun | None:
        return next((run for run in list_runs(self.place) if name_of(run) == name), None)


def name_of(run: ListedRun) -> str:
    """Return the name of a run in addresses."""
    return hashlib.sha256(run.folder.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _state_of(file: Path) -> tuple[int, int]:
    """Return when a file was last written, and its size; zeros for one that is not there."""
    try:
        about = file.stat()
    except OSError:
        return 0, 0
    return about.st_mtime_ns, about.st_size


def explain(error: Exception) -> str:
    """Return in words why something cannot be shown."""
    if isinstance(error, MabenchError | DataError):
        return str(error)
    return f"{type(error).__name__}: it cannot be shown"
