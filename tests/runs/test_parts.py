"""Where points are lost: each question has one part, and the parts are what was made to happen."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from mabench.contract import Answer, Query
from mabench.data import Dataset, Row
from mabench.results import PARTS, Run
from mabench_synthetic import make_rows, row_specs
from tests import parts
from tests.rows import FACTS, dataset, row
from tests.runs.agents import Shelf

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


class Finds:
    """Answers ``said``, having found ``found``."""

    def __init__(self, said: str | None, found: list[str] | None) -> None:
        self.said, self.found = said, found

    def __call__(self) -> Finds:
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
    run = parts.run(Finds(said, found), dataset(rows), out=tmp_path / "run")
    assert counts(run, SOURCE) == {part: 1}
    (scored,) = run.questions()
    assert (scored.part, scored.sample.hit_by) == (part, by)
    (flat,) = run.rows()
    assert (flat.part, flat.hit_by) == (part, by)
    assert set(run.summary.sources[SOURCE].parts) == {*PARTS}


def test_what_is_searched_for_in_vain_is_missed_and_a_mention_is_called_one(
    tmp_path: Path,
) -> None:
    class Empty(Shelf):
        def search(self, query: str, k: int) -> list[str]:
            return []

    bare = row(SOURCE, FACTS, [("Where does Ann live?", ["Bern"]), ("Who is Zoe?", ["a smith"])])
    run = parts.run(Empty, dataset([bare]), out=tmp_path / "empty")
    assert counts(run, SOURCE) == {"missed": 2}
    run = parts.run(Finds("Nobody Knows", [NEW]), dataset([bare]), out=tmp_path / "finds")
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
    run = parts.run(Finds("It is hard to tell from this.", []), rows, out=tmp_path / "form")
    assert counts(run, source) == {"no_form": 1}
    wrong = {"3": "5", "A. The cook": "B. The groom"}[gold]
    run = parts.run(Finds(wrong, []), rows, out=tmp_path / "wrong")
    assert counts(run, source) == {"unclear": 1}
