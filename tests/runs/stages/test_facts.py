"""What a store tells beside the questions: records, copies, inventions and undated older values."""

import re
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.page.run_pages import run_page
from mabench.reports.run_tables import run_tables
from mabench.results import Run, StoreSummary
from mabench.specs import Limits
from tests.command_line import mabench as run_command
from tests.runs.stages.histories import SOURCES, agent_of, made_row

_NUMBER = re.compile(r"^\d+\. ")


class Keeps:
    """Keeps what it is told; subclasses keep something else as well."""

    def __init__(self) -> None:
        self.records: list[str] = []

    def add(self, text: str) -> None:
        self.records.append(text)

    def search(self, query: str, k: int) -> list[str]:
        return self.records[:k]

    def list(self) -> Any:
        return self.records


class Copies(Keeps):
    def list(self) -> Any:
        return [*self.records, *self.records[:4], self.records[0].upper()]


class Invents(Keeps):
    def list(self) -> Any:
        first = "The user was seen with Zorblat at gate 90210."
        # A date that a memory puts for "yesterday" is nobody's word, and no invention.
        return [*self.records, first, "There was much talk about nothing on May 7, 2023."]


class Undated(Keeps):
    def list(self) -> Any:
        lines = [line for text in self.records for line in text.splitlines()]
        return [_NUMBER.sub("", line) for line in lines if _NUMBER.match(line)]


class Dated(Undated):
    def list(self) -> Any:
        return [f"{text} (as of 2023-05-07)" for text in super().list()]


def _run(memory: type, out: Path) -> Run:
    row = made_row("facts", facts=30, asked=10)
    limits = Limits(stages="end")
    return mabench.run(
        agent_of(memory), [row], sources=SOURCES, protocol="turns", limits=limits, out=out
    )


def _store(run: Run) -> StoreSummary:
    (source,) = run.summary.sources.values()
    assert source.stages
    assert source.stages.store
    assert run.summary == Run(run.folder).summary, "what is added up is what the files say"
    return source.stages.store


def test_a_store_of_what_was_said_tells_nothing_else(tmp_path: Path) -> None:
    store = _store(_run(Keeps, tmp_path))
    assert (store.histories, store.records, store.examined) == (1, 30, 30)
    assert (store.reworded, store.unsaid, store.copies, store.undated) == (0, 0, 0, None)
    assert store.examples == {}
    assert store.records_per_1000_tokens == pytest.approx(30_000 / (30 * 12), rel=0.5)


def test_copies_are_counted_whatever_their_letters(tmp_path: Path) -> None:
    store = _store(_run(Copies, tmp_path))
    assert (store.records, store.copies) == (35, 5)
    assert len(store.examples["copies"]) == 3


def test_what_nobody_said_has_a_name_or_number_of_its_own(tmp_path: Path) -> None:
    run = _run(Invents, tmp_path / "run")
    store = _store(run)
    assert (store.reworded, store.unsaid) == (2, 1)
    assert "Zorblat" in store.examples["unsaid"][0]
    [table] = run_tables(run.summary)["stores"]
    assert table.headers[:2] == ["Store", "Records"]
    assert "Zorblat" in run_page(run)
    said = run_command("report", "run", "--full", cwd=tmp_path).stdout
    assert "Said by nobody" in said
    assert "a record with a name or a number that nobody said" in " ".join(said.split())


@pytest.mark.parametrize(
    ("memory", "is_undated"), [(Keeps, False), (Undated, True), (Dated, False)]
)
def test_older_values_want_a_mark_of_time(memory: type, is_undated: bool, tmp_path: Path) -> None:
    run = mabench.run(
        memory,
        "synthetic:small",
        sources="factconsolidation_sh_6k",
        limit_questions=15,
        limits=Limits(stages="full"),
        out=tmp_path,
    )
    undated = _store(run).undated
    assert undated is not None
    assert bool(undated) == is_undated
