"""What a run writes down of memories, of what was retrieved, of time, and of lost points."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from benchmarks.overhead import MEMORIES, measure

from mabench.contract import Answer, Query
from mabench.data import Dataset, Row
from mabench.reports.run_report import diagnosis
from mabench.results import PARTS, Run
from mabench.results.records.store import RunFolder
from mabench.specs import Limits
from mabench_synthetic import make_rows, row_specs
from tests import parts
from tests.rows import FACTS, dataset, row, two_rows
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


def test_failing_to_tell_is_no_error_of_the_row_and_no_part_of_memorizing(tmp_path: Path) -> None:
    class Raises(Shelf):
        def stats(self) -> dict[str, int]:
            time.sleep(0.1)
            raise OSError("no connection")

    class OnceOpened(Shelf):
        def stats(self) -> dict[str, int]:
            if not self.texts:
                raise OSError("not open yet")
            time.sleep(0.1)
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
    assert opened["seconds"] < 0.2
    hangs = examined(Hangs, tmp_path / "hangs", limits=Limits(memorize_seconds=0.2))
    assert Hangs.asked == 1
    assert figures(hangs, "errors") == 0
    assert recorded(hangs)["seconds"] < 0.2


def test_a_row_that_failed_is_counted_with_what_was_stored(tmp_path: Path) -> None:
    class Breaks(Forgetful):
        def add(self, text: str) -> None:
            if "Cleo" in text:
                raise OSError("full")
            super().add(text)

    run = examined(Breaks, tmp_path / "run")
    memory = figures(run, "memory")
    assert (memory["rows"], memory["failed"], memory["memories"]) == (1, 1, 1)
    assert figures(run) is None


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
    (said,) = diagnosis(run.summary)
    assert said == "Every chunk was retrieved, so this does not test search."
    (run.folder / "memories.jsonl").unlink()
    assert figures(Run(run.folder)).every_chunk is None, "the number of chunks is not known"


def test_hits_are_shares_of_the_questions_asked(tmp_path: Path) -> None:
    class Knows(Shelf):
        """Answers the first question only, and fails the last."""

        def memorize(self, chunk: str) -> None:
            self.add(chunk)

        def answer(self, query: Query) -> Answer:
            if "left" in query.question:
                raise OSError("down")
            return Answer("Ann" if "Rome" in query.question else "?", self.search("", 2))

    found = figures(examined(Knows, tmp_path / "run"))
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


def test_the_share_of_the_history_that_was_dropped(tmp_path: Path) -> None:
    class Drops(Shelf):
        """Fails one question; its share is that of the others."""

        def memorize(self, chunk: str) -> None: ...

        def answer(self, query: Query) -> Answer:
            if "left" in query.question:
                raise OSError("down")
            return Answer("?", dropped_tokens=9)

    run = examined(Drops, tmp_path / "run")
    share = figures(run, "memory")["dropped_share"]
    assert share == pytest.approx(100 * 9 / recorded(run)["tokens"])


def test_no_figure_depends_on_how_much_happens_at_a_time(tmp_path: Path) -> None:
    rows, found = [ruler_row(index) for index in range(5)], []
    for limits in (Limits(), Limits(4, 3)):
        run = examined("bm25", tmp_path / str(limits.rows), rows, limits=limits)
        memory = replace(figures(run, "memory"), add=None, add_per_1000_tokens=None, search=None)
        found.append((memory, figures(run)))
        assert (found[0][0]["chunks"], found[0][1]["hit"]) == (15, 75)
    assert found[0] == found[1]


def test_rows_are_told_apart(tmp_path: Path) -> None:
    long = "\n\n".join(f"Document {n}:\nAnn paints in town {n}." for n in range(1, 15))
    rows = [ruler_row(), row(RULER, long, PAIRS, 1)]
    found = figures(examined(Shelf, tmp_path / "run", rows))
    assert (found.questions, found.every_chunk) == (8, 4)


class Slow(Shelf):
    """Takes 30 ms to add a text, 100 ms until it is found, and 10 ms to search."""

    waits = True

    def __init__(self) -> None:
        super().__init__()
        self.is_ready = False

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds * self.waits)

    def add(self, text: str) -> None:
        self.sleep(0.03)
        super().add(text)

    def ready(self) -> None:
        self.sleep(0.1)
        self.is_ready = True

    def search(self, query: str, k: int) -> list[str]:
        assert self.is_ready
        self.sleep(0.01)
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
    assert [row.search_seconds for row in run.rows()] == [
        timing.search_seconds for timing in run.store.timings()
    ]
    monkeypatch.setattr(Slow, "waits", False)
    quick = examined(kind, tmp_path / "quick")
    assert [*quick.samples()] == [*run.samples()], "however long it takes"


def test_questions_at_a_time_have_the_time_of_their_own_search(tmp_path: Path) -> None:
    class ByQuestion(Shelf):
        def search(self, query: str, k: int) -> list[str]:
            place = next(n for n, (question, _) in enumerate(PAIRS) if question in query)
            time.sleep(0.1 * place)
            return super().search(query, k)

    run = examined(ByQuestion, tmp_path / "run", limits=Limits(questions=4))
    seconds = {timing.question_index: timing.search_seconds for timing in run.store.timings()}
    assert [int(10 * (seconds[place] or 0)) for place in range(4)] == [0, 1, 2, 3]


def test_a_memory_that_does_not_become_ready_fails_its_row(tmp_path: Path) -> None:
    never = like(Shelf, ready=lambda self: time.sleep(60))
    run = examined(never, tmp_path / "run", limits=Limits(memorize_seconds=0.2))
    assert figures(run, "errors") == 4
    took = figures(run, "memory")
    assert (took.failed, took.add, took.ready) == (1, None, None)
    assert "memorizing failed: TimeoutError" in (next(run.samples()).error or "")


def test_rows_of_several_sources_and_processes_add_up_and_have_the_percentiles_of_all_calls(
    tmp_path: Path,
) -> None:
    rows = [*(ruler_row(index) for index in range(4)), two_rows()[0]]
    run = examined("bm25", tmp_path / "run", rows, executor="processes", limits=Limits(2))
    of_sources: list[Any] = [source.memory for source in run.summary.sources.values()]
    memory, whole = figures(run, "memory"), cast(Any, run.summary.memory)
    assert (memory.add.n, memory.search.n) == (12, 16)
    assert whole.add.n == sum(one.add.n for one in of_sources)


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
def test_the_harness_adds_less_than_a_millisecond(tmp_path: Path, memory: Any) -> None:
    attempts = (measure(memory, 500, tmp_path / f"{number}") for number in range(5))
    assert any(max(added.between_adds, added.add, added.search) < 0.001 for added in attempts)


# Where points are lost: each question has one part.
SOURCE = "factconsolidation_sh_6k"
ICL, CHOICE = "icl_trec_coarse_6600shot_balance", "detective_qa"


def counts(run: Run, source: str) -> dict[str, int]:
    return {part: n for part, n in run.summary.sources[source].parts.items() if n}


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


def stated(questions: list[tuple[str, list[str]]], evidence: list[list[str]]) -> Row:
    made = row(SOURCE, FACTS, questions)
    return made.model_copy(update={"evidence": evidence})


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


@pytest.mark.parametrize(
    ("said", "found", "part", "by"),
    [
        ("Bern", [OLD, BOB, NEW], "right", "evidence"),
        # A fact that is replaced is no evidence, nor is half of what is needed.
        ("Bern", [OLD, BOB], "right_unretrieved", "evidence"),
        ("Rome", [NEW], "missed", "evidence"),
        ("Rome", [NEW, BOB], "misread", "evidence"),
        ("", [NEW, BOB], "no_form", "evidence"),
        (None, [NEW], "failed", None),
        # In words of the memory's own nothing can be found but a mention.
        ("Rome", ["Ann, a woman, has moved to Bern for good."], "misread", "mention"),
        ("Rome", ["Ann, a woman, has moved away for good."], "missed", "mention"),
        ("Rome", None, "unclear", "evidence"),
        ("Bern", None, "right", "evidence"),
    ],
)
def test_each_question_has_one_part(
    tmp_path: Path, said: str | None, found: list[str] | None, part: str, by: str | None
) -> None:
    rows = [stated([("Where does Ann live?", ["Bern"])], [[NEW, BOB]])]
    run = parts.run(Says(said, found), dataset(rows), out=tmp_path / "run")
    assert counts(run, SOURCE) == {part: 1}
    (scored,) = run.questions()
    assert (scored.part, scored.sample.hit_by) == (part, by)
    (flat,) = run.rows()
    assert (flat.part, flat.hit_by) == (part, by)
    assert set(run.summary.sources[SOURCE].parts) == {*PARTS}


def test_what_is_searched_for_in_vain_is_missed_and_a_mention_is_called_one(
    tmp_path: Path,
) -> None:
    bare = row(SOURCE, FACTS, [("Where does Ann live?", ["Bern"]), ("Who is Zoe?", ["a smith"])])
    empty = like(Shelf, search=lambda self, query, k: [])
    run = parts.run(empty, dataset([bare]), out=tmp_path / "empty")
    assert counts(run, SOURCE) == {"missed": 2}
    run = parts.run(Says("Nobody Knows", [NEW]), dataset([bare]), out=tmp_path / "finds")
    assert counts(run, SOURCE) == {"missed": 1, "misread": 1}
    retrieval: Any = run.summary.sources[SOURCE].retrieval
    assert retrieval.by == "mention"


@pytest.mark.parametrize(
    ("source", "question", "gold"),
    [
        (ICL, "Which is it?", "3"),
        (
            CHOICE,
            "Who did it?\nA. The cook\nB. The groom\nC. The vicar\nD. The smith",
            "A. The cook",
        ),
    ],
)
def test_an_answer_of_another_form_is_told_from_a_wrong_one(
    tmp_path: Path, source: str, question: str, gold: str
) -> None:
    rows = dataset([row(source, "a text\nlabel: 3\n\n", [(question, [gold])])])
    run = parts.run(Says("It is hard to tell from this.", []), rows, out=tmp_path / "form")
    assert counts(run, source) == {"no_form": 1}
    wrong = {"3": "5", "A. The cook": "B. The groom"}[gold]
    run = parts.run(Says(wrong, []), rows, out=tmp_path / "wrong")
    assert counts(run, source) == {"unclear": 1}
