"""What pages tell of a run, of a data set and of questions."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.injection import protocol_named
from mabench.page.charts import Dot, Scale, draw_curves
from mabench.page.data_pages import data_page
from mabench.page.document import explorer_of, questions_of
from mabench.page.run_pages import run_page, run_sections
from mabench.progress import NoProgress
from mabench.reports.tables import Value
from mabench.results import Background, Judgment, Measure, ReadPassage, Run, ScoredQuestion
from mabench.results.records.store import RunFolder
from tests.command_line import succeed
from tests.comparison.made import FACTS, QA
from tests.page.made import chats, failed, hostile, plain, sample, towers, unpacked, written, wrong
from tests.rows import dataset, moves, write_rows

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("vl_convert", "jinja2"))), reason="pip install -e '.[page]'"
)


def figures(run: Run, name: str, number: int = 0) -> list[Sequence[Value]]:
    """Return the figures of a section of a run's page."""
    for section in run_sections(run.summary, questions_of(run)):
        if section.name == name:
            tables = [*(chart.table for chart in section.charts), *section.tables]
            return [*tables[number].values]
    return []


def scores(rows: list[Sequence[Value]]) -> dict[Value, float | None]:
    return {row[0]: row[1].value if isinstance(row[1], Measure) else None for row in rows}


def test_each_fifth_of_the_history_has_its_score_and_its_hits(tmp_path: Path) -> None:
    bins = figures(plain(tmp_path / "run"), "place")
    # Even questions are right: as many in each fifth.
    assert scores(bins) == {f"{n}\u2013{n + 20} %": 50.0 for n in range(0, 100, 20)}
    # Of the failed ones nobody knows where the gold stands.
    assert [row[3] for row in bins] == [8] * 5
    # Chunks 0 and 1: questions 0, 10 (hit), 1 (hit), 11 (hit) of two sources.
    hit, n = bins[0][4], bins[0][6]
    assert isinstance(hit, Measure)
    assert (n, hit.value) == (8, 75.0)
    assert hit.these is not None
    assert 0 < hit.these[0] < 75 < hit.these[1] < 100
    assert bins[0][5] == f"{hit.these[0]:.1f} to {hit.these[1]:.1f}"
    # It stands where it stands last, unless its history is gone.
    run = written(tmp_path / "last", [sample(0, gold_chunks=(0, 9)), sample(1, gold_chunks=())])
    assert [row[0] for row in figures(run, "place")] == ["80\u2013100 %"]
    (question,) = questions_of(written(tmp_path / "gone", [sample(0)]))
    assert "came from memory" in (question.background.without or "")


def test_lengths_are_compared_within_a_source_and_lines_end_at_a_gap(tmp_path: Path) -> None:
    samples = [sample(0), wrong(0, row=1), sample(0, row=6), sample(0, FACTS, row=2)]
    run = written(tmp_path / "run", samples)
    # Of 6,000, 15,000 and 60,000 tokens.
    assert scores(figures(run, "length")) == {
        "4k\u20138k": 100.0,
        "8k\u201316k": 0.0,
        "16k\u201332k": None,
        "32k\u201364k": 100.0,
    }
    text = run_page(run)
    assert f"{QA}: score and hit by length" in text
    assert f"{FACTS}: score and hit by length" not in text
    dots = [Dot(label, "score", 50.0) for label in "abd"]
    drawing = draw_curves(dots, "abcd", "place", Scale("score"))
    lines = re.findall(r'<path d="(M[^"]*)" stroke="[^"]*" stroke-width="2"/>', drawing)
    assert [line.count("L") for line in lines] == [1, 0]
    # Marks of several series stay nearer to their own label than to the next.
    labels = [str(n) for n in range(100)]
    dots = [Dot(label, f"series {n}", 50.0) for n in range(3) for label in labels]
    drawing = draw_curves(dots, labels, "histories", Scale("score"))
    lines = re.findall(r'<path d="M([^"]*)" stroke="[^"]*" stroke-width="2"/>', drawing)
    first, _, last = ([float(at.split(",")[0]) for at in line.split("L")] for line in lines)
    assert 0 < last[0] - first[0] < (first[1] - first[0])


def test_times_are_told_only_where_all_are_known_and_errors_by_kind(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [sample(0), sample(1)])
    assert figures(run, "time")[0][1:4] == ["0.100"] * 3
    lines = (run.folder / "timings.jsonl").read_text().splitlines()
    (run.folder / "timings.jsonl").write_text(lines[0] + "\n")
    assert figures(Run(run.folder), "time")[0][1:4] == [None] * 3
    other = wrong(0, prediction=None, error="OSError: gone")
    run = written(tmp_path / "failed", [other, failed(1), failed(2), sample(3)])
    assert figures(run, "errors") == [
        ["TimeoutError", 2, "no answer within 5 s"],
        ["OSError", 1, "gone"],
    ]


def packed(*runs: Sequence[ScoredQuestion]) -> str:
    names = [f"{number}" for number, _ in enumerate(runs)]
    return str(explorer_of(names, names, runs, {})["data"])


def test_what_a_judge_said_is_told(tmp_path: Path) -> None:
    unclear = sample(4, verdict="unclear")
    run = written(tmp_path / "judged", [unclear])
    judgment = Judgment(
        *("Accurate_Retrieval", 0, 4, QA, "judge", "3" * 16, unclear.answer_hash),
        verdict={"correct": 0},
        value=0,
    )
    RunFolder(run.folder).append_judgment(judgment)
    (question,) = questions_of(Run(run.folder))
    assert (question.part, question.official, question.corrected) == ("unclear", 1, 0)
    (result,) = unpacked(packed([question]))[0]["results"]
    assert result["judges"] == ["judge: correct 0"]


_SCORES: dict[str, Any] = {
    "metric": "f1",
    "official": 1.0,
    "corrected": 1.0,
    "verdict": "right",
    "rule": None,
    "judge": None,
    "part": "right",
}


def made(
    hit: int | None = None, passages: tuple[ReadPassage, ...] = (), **fields: Any
) -> ScoredQuestion:
    if hit is not None:
        fields |= {"hit_by": "mention", "hit_rank": hit, "shown_tokens": 1}
    background = Background(golds=None if hit is None else (), passages=passages)
    return ScoredQuestion(sample=replace(sample(0), **fields), background=background, **_SCORES)


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_arrives_as_it_is(text: str) -> None:
    (question,) = unpacked(packed([made(question=text, prediction=text)]))
    same = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert question["question"] == same
    assert question["results"][0]["answer"] == same


def test_texts_are_no_longer_than_needed_and_trimmed_until_the_questions_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (question,) = unpacked(packed([made(question="x" * 1_000_000)]))
    assert len(question["question"]) < 5000
    assert question["question"].endswith("… [996,000 characters more]")
    texts = [Random(number).randbytes(300).hex() for number in range(100)]
    questions = [made(question_index=n, question=text) for n, text in enumerate(texts)]
    whole = packed(questions)
    monkeypatch.setattr("mabench.page.document._MOST_BYTES", 20_000)
    trimmed = packed(questions)
    assert len(trimmed) < len(whole)
    assert len(unpacked(trimmed)) == 100


def test_the_best_passages_and_those_with_golds_have_what_stands_around_these() -> None:
    def result(hit: int, passages: Sequence[ReadPassage]) -> Any:
        (question,) = unpacked(packed([made(hit, tuple(passages))]))
        return question["results"][0]

    text = f"{'before ' * 100}gold{' after' * 100}"
    start = text.index("gold")
    passage = ReadPassage(
        rank=1, text=text, chunk=3, score=1.0, marks=((start, start + 4),), evidence=False
    )
    before, gold, after = result(1, [passage])["passages"][0]["text"]
    assert gold == "gold"
    assert (before[0], before[-8:], after[:6], after[-1]) == ("…", " before ", " after", "…")
    assert len(before) + len(after) < 400
    passages = [replace(passage, rank=rank, text="text", marks=()) for rank in range(1, 31)]
    shown = result(7, passages)
    assert [one["rank"] for one in shown["passages"] if "text" in one] == [1, 2, 3, 7]
    assert len(shown["passages"]) + shown["more"] == 30
    passages[8] = replace(passages[8], evidence=True)
    listed = result(7, passages)["passages"]
    assert [one["rank"] for one in listed if "text" in one] == [1, 2, 3, 7, 9]
    assert [one["rank"] for one in listed if "evidence" in one] == [9]


def test_results_of_runs_stand_beside_each_other_and_stay_the_same(tmp_path: Path) -> None:
    first, second = (questions_of(plain(tmp_path / name)) for name in "ab")
    questions = unpacked(packed(first, second[1:]))
    assert [len(question["results"]) for question in questions] == [2] * len(first)
    assert questions[0]["results"][1] is None
    questions = questions_of(hostile(tmp_path / "run"))
    assert packed(questions) == packed(questions)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of moves, towers and chats."""
    folder = tmp_path_factory.mktemp("page")
    write_rows(folder / "rows.jsonl", [moves(), towers(), chats()])
    done = succeed("data", "page", "rows.jsonl", "--out", "page.html", cwd=folder)
    assert "written: page.html (0." in done.stderr
    return (folder / "page.html").read_text(encoding="utf-8")


@pytest.fixture
def asked(page: str) -> dict[str, Any]:
    """Its questions."""
    data = re.search(r'<template id="data"[^>]*>([^<]*)<', page)
    assert data
    return {one["question"]: one for one in unpacked(data[1])}


def test_the_file_has_inventory_strips_and_questions_but_no_history(
    page: str, asked: dict[str, Any]
) -> None:
    text = html.unescape(re.sub(r"<wbr>|<[^>]*>", "", page))
    assert "Whole histories are left out" in text
    assert "It is old. " * 40 not in page
    assert "no rows of: ruler_qa2_421K" in text
    assert "2 of 22" in text
    (lengths,) = re.findall(r"<figcaption>Length of .*?</figure>", page, re.DOTALL)
    assert lengths.count("<svg") == 1
    assert "longmemeval_s*" in html.unescape(lengths.replace("<wbr>", ""))
    assert page.count("<svg") == 4
    assert "golds of 1 of 2 questions at 2 places" in text
    assert "older values of 20 of 40 questions at 20 places" in text
    assert re.search(r"evidence of 2 of 2 questions at 2 places", text)
    assert len(asked) == 44


def test_a_question_has_its_golds_as_scored_flags_and_the_text_around(
    asked: dict[str, Any],
) -> None:
    high, new = asked["How high?"], asked["What is new?"]
    assert high["answers"] == ["300 metres", "4 m"]
    assert high["forms"] == [
        ["300 metres", None, "the 300 Metres"],
        ["4 m", "candidates-contradict"],
    ]
    assert [reason for reason, _ in high["flags"]] == ["candidates-contradict"]
    assert high["marks"]["golds"] == [[0, 0], [999, 0]]
    (first, *parts), last = high["texts"]["golds"]
    assert first == 0.0
    assert parts == ["The tower is ", "300 metres", parts[2]]
    assert last[0] > 99.9
    assert (new["marks"]["golds"], new["texts"]["golds"]) == ([], [])
    assert [reason for reason, _ in new["flags"]] == ["gold-absent"]


def test_older_facts_and_sessions_with_evidence_are_marked(asked: dict[str, Any]) -> None:
    moved, settled = asked["Where does Pe4 live?"], asked["Where does Pf5 live?"]
    ((depth, before, fact, _),) = moved["texts"]["older values"]
    assert fact == "4. Pe4 lives in Old4."
    assert "3. Pd3" in before
    assert moved["marks"]["older values"] == [
        [int(10 * depth + 0.5), moved["marks"]["older values"][0][1]]
    ]
    assert settled["marks"]["older values"] == []
    two = asked["How many?"]
    ((_, before, turn, *_),) = two["texts"]["evidence"]
    assert turn == "Today I bought 2 red apples."
    assert "Chat Time: 2" in before
    # All of its session, one of four.
    ((start, width),) = two["marks"]["evidence"]
    assert 480 <= start <= 520
    assert 220 <= width <= 260
    assert "golds" not in two["marks"]
    assert two["type"] == "single-session-user"


def test_chunks_are_those_of_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    page = data_page(dataset([towers()]), NoProgress())
    ticks = re.findall(r'<path class="border" d="([^"]*)"', page)
    (chunks,) = protocol_named("structured").list_chunks(dataset([towers()]))
    assert [each.count("M") for each in ticks] == [chunks.chunks]
    assert chunks.chunks > 10
    monkeypatch.setattr(
        "mabench.injection.protocols.cut_as_published", lambda *_, **__: ["a", "b", "cc"]
    )
    page = data_page(dataset([towers()]), NoProgress(), "paper")
    assert '<path class="border" d="M0 26v7M250 26v7M500 26v7"' in page
    assert "under protocol paper" in page
