"""The families' forms, golds and prose, read from the rows alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.dataset.schema import Row
from mabench.metrics import normalize
from mabench.synthesis import SyntheticRows, small
from mabench.text import options_in

Rows = Callable[[str], list[Row]]
OPTION_FREE = ("ruler_qa1_197K", "factconsolidation_sh_6k", "factconsolidation_mh_6k")


def _documents(row: Row) -> list[str]:
    return re.split(r"\n\n(?=Document \d+:\n)", row.context)


@pytest.mark.parametrize("source", ["ruler_qa1_197K", "ruler_qa2_421K"])
def test_documents_are_numbered_from_one(rows_of: Rows, source: str) -> None:
    (row,) = rows_of(source)
    headings = [document.splitlines()[0] for document in _documents(row)]
    assert headings == [f"Document {number}:" for number in range(1, len(headings) + 1)]


def test_single_hop_golds_stand_in_a_document_and_have_three_or_four_forms(rows_of: Rows) -> None:
    (row,) = rows_of("ruler_qa1_197K")
    for answers in row.answers:
        assert len(answers) in {3, 4}
        assert any(answer in row.context for answer in answers)


def test_multi_hop_documents_open_with_the_title_they_tell_of(rows_of: Rows) -> None:
    (row,) = rows_of("ruler_qa2_421K")
    titles = [document.splitlines()[1] for document in _documents(row)]
    assert len(set(titles)) == len(titles)
    assert {"yes", "no"} <= {answer for answers in row.answers for answer in answers}
    for answers in row.answers:
        assert answers[0] in {"yes", "no"} or answers[0] in row.context


def test_the_next_event_is_one_of_six_and_the_events_so_far_are_numbered(rows_of: Rows) -> None:
    (row,) = rows_of("eventqa_full")
    previous = row.metadata.previous_events or []
    for number, question in enumerate(row.flatten(), start=1):
        options = [option.text for option in options_in(question.question)]
        assert len(set(options)) == 6
        assert options.count(question.answers[0]) == 1
        assert question.previous_events == previous[number - 1]
        assert previous[number - 1] in question.question
        assert ("\n...\n" in question.question) == (number > 5)
    # What comes next is what the following question says has occurred.
    for answers, later in zip(row.answers, previous[1:], strict=False):
        assert later.partition(". ")[2] == answers[0]


def test_sessions_are_a_literal_of_dates_and_turns(rows_of: Rows) -> None:
    (row,) = rows_of("longmemeval_s*")
    items = ast.literal_eval(row.context)
    dates, sessions = items[::2], items[1::2]
    times = [datetime.strptime(date, "Chat Time: %Y/%m/%d (%a) %H:%M") for date in dates]
    assert [f"Chat Time: {time:%Y/%m/%d (%a) %H:%M}" for time in times] == dates
    assert times == sorted(times)
    assert all({turn["role"] for turn in turns} == {"user", "assistant"} for turns in sessions)


def test_every_kind_of_question_is_asked_and_its_evidence_marked(rows_of: Rows) -> None:
    (row,) = rows_of("longmemeval_s*")
    assert len(set(row.metadata.question_types or ())) == 6
    haystacks = row.metadata.haystack_sessions or []
    for question, haystack in zip(row.flatten(), haystacks, strict=True):
        marked = [turn for session in haystack for turn in session if turn.has_answer]
        assert bool(marked) != ("_abs" in (question.question_id or ""))
        assert all(repr(turn.content) in row.context for turn in marked)
        assert question.question.startswith(f"Current Date: {question.question_date},")
    assert any("_abs" in (name or "") for name in row.metadata.question_ids or ())


def test_a_mystery_has_four_options_of_which_one_is_the_gold(rows_of: Rows) -> None:
    for row in rows_of("detective_qa"):
        for question in row.flatten():
            options = [
                f"{option.letter}. {option.text}" for option in options_in(question.question)
            ]
            assert len(options) == 4
            assert options.count(question.answers[0]) == 1
            assert question.question.rstrip().endswith("Output:")


def test_a_summary_names_who_stands_in_the_story(rows_of: Rows) -> None:
    for row in rows_of("infbench_sum_eng_shots2"):
        (summary,) = row.answers[0]
        names = set(re.findall(r"\b[A-Z][a-z]{4,}\b", summary)) - {"The", "Chapter"}
        assert names
        assert all(name in row.context for name in names)
        assert row.metadata.demo
        assert row.metadata.demo in row.questions[0]
        assert all(point in summary for point in row.metadata.keypoints or ["none"])


def test_no_gold_is_empty_once_normalised(data: SyntheticRows) -> None:
    for row in data.rows:
        assert all(normalize(answer) for answers in row.answers for answer in answers)


@pytest.mark.parametrize("source", OPTION_FREE)
def test_no_question_gives_its_gold_away(rows_of: Rows, source: str) -> None:
    (row,) = rows_of(source)
    for question, answers in zip(row.questions, row.answers, strict=True):
        assert not any(normalize(answer) in normalize(question) for answer in answers)


@given(st.integers(0, 10**9))
@settings(max_examples=8, deadline=None)
def test_the_prose_is_well_formed(seed: int) -> None:
    for row in small(seed).rows:
        if row.source == "longmemeval_s*":
            continue  # Its text is a literal, checked as one.
        assert not re.search(r"[{}]|  |\bNone\b|\ba [aeio]|\.\.|,,", row.context), row.source
        for paragraph in row.context.split("\n\n"):
            assert paragraph.count('"') % 2 == 0
            assert not re.search(r"[.!?] [a-z]", paragraph), paragraph
