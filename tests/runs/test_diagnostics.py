"""What a run writes down of memories, of what was retrieved, of time, and of lost points."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from benchmarks.overhead import MEMORIES, measure

from mabench.contract import Answer, Query
from mabench.data import Dataset, Row
from mabench.reports.diagnosis import diagnose
from mabench.results import PARTS, Run
from mabench.results.records.store import RunFolder
from mabench.specs import Limits
from mabench_synthetic import make_rows, row_specs
from tests import parts
from tests.rows import FACTS, dataset, row
from tests.runs.agents import Oslo, Shelf, async_like, like

RULER = "ruler_qa1_197K"
PAIRS = [
    ("Who paints in Rome?", ["Ann"]),
    ("Who sings in Oslo?", ["Bob"]),
    ("Who writes in Bern?", ["Cleo"]),
    ("Who left?", ["Nobody at all"]),
]


def ruler_row(index: int = 0) -> Row:
    documents = ("Ann paints in Rome.", "Bob sings in Oslo.", "Cleo writes in Bern. Bobby left.")
    text = "\n\n".join(f"Document {n}:\n{document}" for n, document in enumerate(documents, 1))
    return row(RULER, text, PAIRS, index)


def examined(agent: Any, folder: Path, rows: Sequence[Row] | None = None, **more: Any) -> Run:
    """Run over rows of three chunks, a document each."""
    data = dataset([ruler_row()] if rows is None else rows)
    return parts.run(agent, data, out=folder, chunk_tokens=14, **more)


def recorded(run: Run) -> dict[str, Any]:
    (memory,) = RunFolder(run.folder).memories().values()
    return memory.as_dict()


def figures(run: Run, part: str = "retrieval") -> Any:
    return run.summary["sources"][RULER][part]


class Forgetful(Shelf):
    def add(self, text: str) -> None:
        if "Bob sings" not in text:
            self.texts.append(text)

    def stats(self) -> dict[str, int]:
        return {"memories": len(self.texts), "bytes": sum(map(len, self.texts))}


@pytest.mark.parametrize("agent", [Forgetful, async_like(Forgetful)])
def test_chunks_of_which_nothing_was_stored_are_counted(tmp_path: Path, agent: Any) -> None:
    run = examined(agent, tmp_path / "run")
    memory = recorded(run)
    assert (memory["chunks"], memory["memories"], memory["chunks_without_memory"]) == (3, 2, 1)
    assert memory["bytes"] > 40
    assert memory["tokens"] > 10
    told = {"chunks": 3, "memories": 2, "bytes": memory["bytes"], "chunks_without_memory": 1}
    told |= {"tokens": memory["tokens"], "rows": 1, "failed": 0, "dropped_share": None}
    counted = run.summary.sources[RULER]["memory"].as_dict()
    assert counted.pop("bytes_per_1000_tokens") == 1000 * memory["bytes"] / memory["tokens"]
    assert {name: counted[name] for name in told} == told


class Clock:
    """A clock for ``time`` in a module, which goes on where a test says so."""

    def __init__(self, of_all_threads: bool = False) -> None:
        self._local: Any = SimpleNamespace() if of_all_threads else threading.local()

    def pass_seconds(self, seconds: float) -> None:
        """Let seconds pass in this thread, or in all."""
        self._local.now = self.perf_counter() + seconds

    def perf_counter(self) -> float:
        now: float = getattr(self._local, "now", 0.0)
        return now


def test_failing_to_tell_is_no_error_of_the_row(tmp_path: Path) -> None:
    class Raises(Shelf):
        def stats(self) -> dict[str, int]:
            raise OSError("no connection")

    class OnceOpened(Shelf):
        def stats(self) -> dict[str, int]:
            if not self.texts:
                raise OSError("not open yet")
            return {"memories": len(self.texts)}

    class Hangs(Shelf):
        asked = 0

        async def stats(self) -> dict[str, int]:
            Hangs.asked += 1
            await asyncio.sleep(60)
            return {"memories": 1}

    raises = examined(Raises, tmp_path / "raises")
    assert figures(raises, "errors") == 0
    assert recorded(raises)["error"] is None
    assert "memories" not in recorded(raises)
    opened = recorded(examined(OnceOpened, tmp_path / "opened"))
    assert (opened["memories"], opened["chunks_without_memory"]) == (3, 0)
    hangs = examined(Hangs, tmp_path / "hangs", limits=Limits(memorize_seconds=0.2))
    assert Hangs.asked == 1
    assert figures(hangs, "errors") == 0


def test_a_memory_that_finds_every_chunk_says_nothing_of_search_but_gives_ranks(
    tmp_path: Path,
) -> None:
    """A search for as many chunks as there are, or more, finds them all."""
    run = examined(Shelf, tmp_path / "run")
    assert not {"memories", "bytes", "chunks_without_memory"} & set(recorded(run))
    memory = figures(run, "memory")
    assert (memory.chunks, memory.memories, memory.chunks_without_memory) == (3, None, None)
    samples = list(run.samples())
    assert [sample.hit_rank for sample in samples] == [1, 2, 3, None]
    assert len({sample.shown_tokens for sample in samples}) == 1
    assert 15 < (samples[0].shown_tokens or 0) < 45
    assert (figures(run).every_chunk, figures(run).hit) == (4, 75.0)
    (said,) = diagnose(run.summary)
    assert said == "Every chunk was retrieved, so this does not test search."
    long = "\n\n".join(f"Document {n}:\nAnn paints in town {n}." for n in range(1, 15))
    both = figures(examined(Shelf, tmp_path / "both", [ruler_row(), row(RULER, long, PAIRS, 1)]))
    assert (both.questions, both.every_chunk) == (8, 4)


def test_every_chunk_was_retrieved_also_where_two_of_them_have_one_text(tmp_path: Path) -> None:
    text = "\n\n".join(f"Document {n}:\n{word}" for n, word in ((1, "Hello."), (2, "Ann paints.")))
    same = row(RULER, "\n\n".join([text, text, text]), PAIRS)
    run = examined(Shelf, tmp_path / "run", [same])
    assert recorded(run)["chunks"] > 2
    assert [*diagnose(run.summary)] == ["Every chunk was retrieved, so this does not test search."]
    # One of the texts is missing.
    less = like(Shelf, search=lambda self, query, k: self.texts[:1])
    assert figures(examined(less, tmp_path / "less", [same])).every_chunk is None


def test_hits_and_what_was_dropped_are_shares_of_the_questions_asked(tmp_path: Path) -> None:
    class Knows(Shelf):
        """Answers the first question only, and fails the last."""

        def memorize(self, chunk: str) -> None:
            self.add(chunk)

        def answer(self, query: Query) -> Answer:
            if "left" in query.question:
                raise OSError("down")
            text = "Ann" if "Rome" in query.question else "?"
            return Answer(text, self.search("", 2), dropped_tokens=9)

    run = examined(Knows, tmp_path / "run")
    share = figures(run, "memory")["dropped_share"]
    assert share == pytest.approx(100 * 9 / recorded(run)["tokens"])
    found = figures(run)
    assert found["hit_at"] == pytest.approx({"1": 100 / 3, "5": 200 / 3, "10": 200 / 3})
    assert (found["questions"], found["nothing"], found["sought"], found["depth"]) == (3, 0, 3, 2)
    assert found["hit"] == pytest.approx(200 / 3)
    assert found["answered"] == pytest.approx(100 / 3)
    assert found["answered_when_hit"] == 50


@pytest.mark.parametrize(
    ("finds", "questions", "nothing", "first", "hit"),
    [
        (lambda query, texts: texts if "Rome" in query else [], 1, 3, 25, 25),
        (lambda query, texts: [], 0, 4, 0, 0),
        (lambda query, texts: texts[:2], 4, 0, 25, 50),
        (lambda query, texts: texts[:1] * 3, 4, 0, 25, 25),
        (lambda query, texts: [f"I remember: {text}" for text in texts], 4, 0, 25, 75),
    ],
)
def test_an_answer_without_passages_is_a_miss_and_what_leaves_a_chunk_out_has_a_choice(
    tmp_path: Path, finds: Any, questions: int, nothing: int, first: float, hit: float
) -> None:
    finding = like(Shelf, search=lambda self, query, k: finds(query, self.texts))
    run = examined(finding, tmp_path / "run")
    found = figures(run)
    assert (found.questions, found.nothing) == (questions, nothing)
    assert (found.hit_at["1"], found.hit) == (first, hit)
    assert found.every_chunk == (1 if nothing == 3 else None)
    shown = [sample.shown_tokens for sample in run.samples()]
    assert [not tokens for tokens in shown].count(True) == nothing
    assert None not in shown


def test_an_agent_that_answers_by_itself_has_no_search_and_no_retrieval(tmp_path: Path) -> None:
    run = examined("no-memory", tmp_path / "none")
    assert {sample.shown_tokens for sample in run.samples()} == {figures(run)} == {None}
    run = examined(Oslo, tmp_path / "run")
    took = figures(run, "memory")
    assert took.add
    assert took.search is took.ready is None
    assert {timing.search_seconds for timing in run.store.timings()} == {None}


def test_answers_that_stand_in_no_passage_have_no_hits(tmp_path: Path) -> None:
    rows = [row("icl_nlu_8296shot_balance", "a\nlabel: 1\n\n", [("a", ["1"])])]
    run = examined("bm25", tmp_path / "run", rows)
    (sample,) = run.samples()
    assert sample.hit_rank is None
    assert sample.shown_tokens
    found = run.summary["sources"]["icl_nlu_8296shot_balance"]["retrieval"]
    assert (found["questions"], found["sought"]) == (1, 0)
    assert found["hit_at"] is found["answered"] is None


class Slow(Shelf):
    """Takes 30 ms to add a text, 100 ms until it is found, and 10 ms to search."""

    waits = True

    def __init__(self) -> None:
        super().__init__()
        self.is_ready = False

    def _sleep(self, seconds: float) -> None:
        time.sleep(seconds * self.waits)

    def add(self, text: str) -> None:
        self._sleep(0.03)
        super().add(text)

    def ready(self) -> None:
        self._sleep(0.1)
        self.is_ready = True

    def search(self, query: str, k: int) -> list[str]:
        assert self.is_ready
        self._sleep(0.01)
        return super().search(query, k)


@pytest.mark.parametrize("kind", [Slow, async_like(Slow)])
def test_adding_searching_and_readiness_are_timed_apart(
    tmp_path: Path, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = examined(kind, tmp_path / "run")
    memory = figures(run, "memory")
    assert (memory.add.n, memory.ready.n, memory.search.n) == (3, 1, 4)
    assert 0.03 <= memory.add.p50 <= memory.add.p99 < 0.1 <= memory.ready.p50 < 0.3
    assert 0.01 <= memory.search.p50 < 0.03
    tokens = recorded(run)["tokens"]
    assert memory.add_per_1000_tokens == 1000 * memory.add.seconds / tokens
    assert recorded(run)["seconds"] >= memory.add.seconds + memory.ready.seconds
    for timing in run.store.timings():
        assert timing.search_seconds
        assert timing.seconds > timing.search_seconds
    assert [row["search_seconds"] for row in run.rows()] == [
        timing.search_seconds for timing in run.store.timings()
    ]
    monkeypatch.setattr(Slow, "waits", False)
    quick = examined(kind, tmp_path / "quick")
    assert [*quick.samples()] == [*run.samples()], "however long it takes"


def test_looking_at_a_memory_is_no_part_of_memorizing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Looks(Shelf):
        async def add(self, text: str) -> None:  # type: ignore[override]
            clock.pass_seconds(1)
            self.texts.append(text)

        async def stats(self) -> dict[str, int]:
            clock.pass_seconds(60)
            return {"memories": len(self.texts)}

    clock = Clock(of_all_threads=True)
    monkeypatch.setattr("mabench.runs.memorizing.memorizer.time", clock)
    assert recorded(examined(Looks, tmp_path / "run"))["seconds"] == 3


def test_questions_at_a_time_have_the_time_of_their_own_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ByQuestion(Shelf):
        def search(self, query: str, k: int) -> list[str]:
            place = next(n for n, (question, _) in enumerate(PAIRS) if question in query)
            clock.pass_seconds(place)
            return super().search(query, k)

    clock = Clock()
    monkeypatch.setattr("mabench.contract.answers.time", clock)
    run = examined(ByQuestion, tmp_path / "run", limits=Limits(questions=4))
    seconds = {timing.question_index: timing.search_seconds for timing in run.store.timings()}
    assert [seconds[place] for place in range(4)] == [0, 1, 2, 3]


def test_a_memory_that_breaks_or_does_not_become_ready_fails_its_row(tmp_path: Path) -> None:
    class Breaks(Forgetful):
        def add(self, text: str) -> None:
            if "Cleo" in text:
                raise OSError("full")
            super().add(text)

    never = like(Shelf, ready=lambda self: time.sleep(60))
    for agent, kind, memories in ((Breaks, "OSError: full", 1), (never, "TimeoutError", None)):
        run = examined(agent, tmp_path / kind, limits=Limits(memorize_seconds=0.2))
        took = figures(run, "memory")
        assert (took.failed, took.rows, took.memories) == (1, 1, memories)
        assert took.add is took.ready is figures(run) is None
        assert figures(run, "errors") == 4
        error = next(run.samples()).error or ""
        assert error.startswith(f"memorizing failed: {kind}")
        call = "chunk 3" if agent is Breaks else "ready of tests.runs"
        assert call in error


class Refused(Shelf):
    def search(self, query: str, k: int) -> list[str]:
        raise RuntimeError("401 Bearer none")


def test_an_error_names_the_memory_and_the_call(tmp_path: Path) -> None:
    run = examined(Refused, tmp_path / "run", limits=Limits(questions=1))
    errors = {sample.error for sample in run.samples()}
    assert errors == {
        "RuntimeError: 401 Bearer none (search of tests.runs.test_diagnostics:Refused)"
    }


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
def test_the_harness_adds_less_than_a_millisecond(tmp_path: Path, memory: Any) -> None:
    attempts = (measure(memory, 500, tmp_path / f"{number}") for number in range(5))
    assert any(max(added.between_adds, added.add, added.search) < 0.001 for added in attempts)


# Where points are lost: each question has one part.
SOURCE = "factconsolidation_sh_6k"


def test_a_memory_that_drops_a_third_and_a_reader_that_misreads_a_fifth(tmp_path: Path) -> None:
    specs = row_specs(SOURCE, 5, tokens=6_000, rows=6, questions=60)
    made = list(make_rows(specs))
    chance = random.Random(2)
    keys = {
        question.question: (question.answers[0], question.evidence[0], chance.random() < 1 / 5)
        for each in made
        for question in each.flatten()
        if question.evidence
    }

    class Lossy:
        def __init__(self) -> None:
            self.kept: list[str] = []

        def memorize(self, chunk: str) -> None:
            if chance.random() >= 1 / 3:
                self.kept.append(chunk)

        def answer(self, query: Query) -> Answer:
            gold, statement, misread = keys[query.question]
            there = any(statement in chunk for chunk in self.kept)
            return Answer(gold if there and not misread else "Nobody Knows", self.kept)

    data = Dataset.from_rows("made up", lambda: made)
    run = parts.run(Lossy, data, out=tmp_path / "run", chunk_tokens=40)
    source: Any = run.summary.sources[SOURCE]
    assert (source.n, source.retrieval.by, sum(source.parts.values())) == (360, "evidence", 360)
    for part, share in {"missed": 1 / 3, "misread": 2 / 15, "right": 8 / 15}.items():
        intervals = source.parts_intervals[part]
        for limits in (intervals.these_histories, intervals.new_histories):
            assert limits[0] <= 100 * share <= limits[1], part
            assert limits[1] - limits[0] < 20
    assert source.misread_less_missed.new_histories[1] < 0


class Says:
    """Answers ``said``, having found ``found``."""

    def __init__(self, said: str | None, found: list[str] | None) -> None:
        self.said, self.found = said, found

    def __call__(self) -> Says:
        return self

    def memorize(self, chunk: str) -> None: ...

    def answer(self, query: Query) -> Any:
        if self.said is None:
            raise OSError("down")
        return Answer(self.said, self.found or [])


OLD, NEW, BOB = "0. Ann lives in Rome.", "2. Ann lives in Bern.", "1. Bob lives in Oslo."
BARE = row(SOURCE, FACTS, [("Where does Ann live?", ["Bern"])])
STATED = BARE.model_copy(update={"evidence": [[NEW, BOB]]})
ZOE = row(SOURCE, FACTS, [("Who is Zoe?", ["a smith"])])
LABELS = row("icl_trec_coarse_6600shot_balance", "a text\nlabel: 3\n\n", [("Which is it?", ["3"])])
OPTIONS = "Who did it?\nA. The cook\nB. The groom\nC. The vicar\nD. The smith"
CHOICE = row("detective_qa", "A long story.", [(OPTIONS, ["A. The cook"])])
VAGUE = "It is hard to tell from this."


@pytest.mark.parametrize(
    ("agent", "asked", "part", "by"),
    [
        (Says("Bern", [OLD, BOB, NEW]), STATED, "right", "evidence"),
        # A fact that is replaced is no evidence, nor is half of what is needed.
        (Says("Bern", [OLD, BOB]), STATED, "right_unretrieved", "evidence"),
        (Says("Rome", [NEW]), STATED, "missed", "evidence"),
        (Says("Rome", [NEW, BOB]), STATED, "misread", "evidence"),
        (Says("", [NEW, BOB]), STATED, "no_form", "evidence"),
        (Says(None, [NEW]), STATED, "failed", None),
        # In words of the memory's own nothing can be found but a mention.
        (Says("Rome", ["Ann, a woman, has moved to Bern for good."]), STATED, "misread", "mention"),
        (Says("Rome", ["Ann, a woman, has moved away for good."]), STATED, "missed", "mention"),
        (Says("Rome", None), STATED, "unclear", "evidence"),
        (Says("Bern", None), STATED, "right", "evidence"),
        # What is searched for in vain is missed.
        (like(Shelf, search=lambda self, query, k: []), BARE, "missed", "mention"),
        (Says("Nobody Knows", [NEW]), BARE, "misread", "mention"),
        (Says("Nobody Knows", [NEW]), ZOE, "missed", "mention"),
        # An answer of another form is told from a wrong one.
        *((Says(VAGUE, []), asked, "no_form", None) for asked in (LABELS, CHOICE)),
        (Says("5", []), LABELS, "unclear", None),
        (Says("B. The groom", []), CHOICE, "unclear", None),
    ],
)
def test_each_question_has_one_part(
    tmp_path: Path, agent: Any, asked: Row, part: str, by: str | None
) -> None:
    run = parts.run(agent, dataset([asked]), out=tmp_path / "run")
    summary = run.summary.sources[asked.source]
    assert {name: n for name, n in summary.parts.items() if n} == {part: 1}
    assert {*summary.parts} == {*PARTS}
    (scored,) = run.questions()
    assert (scored.part, scored.sample.hit_by) == (part, by)
    (flat,) = run.rows()
    assert (flat["part"], flat["hit_by"]) == (part, by)
    assert summary.retrieval is None or summary.retrieval.by == by
