import ast
import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from typing import Any

import pytest

from mabench.data.schema import Row
from mabench_synthetic import make_rows, row_specs

_RANKED = r"First of all (\w+).+Second comes (\w+).+there is (\w+)"


@pytest.fixture(
    scope="module", params=[range(2), pytest.param(range(2, 50), marks=pytest.mark.slow)]
)
def rows(request: pytest.FixtureRequest) -> list[Row]:
    return [
        row
        for seed in request.param
        for row in make_rows(row_specs("longmemeval_s*", seed, tokens=20_000, rows=1, questions=24))
    ]


def _moment(stamp: str) -> datetime:
    """Read ``2022/11/17 (Thu) 12:04`` and check the weekday."""
    moment = datetime.strptime(re.sub(r" \(\w+\)", "", stamp), "%Y/%m/%d %H:%M")
    assert f"({['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][moment.weekday()]})" in stamp
    return moment


@cache
def _sessions(context: str) -> list[tuple[datetime, list[dict[str, Any]]]]:
    literal = ast.literal_eval(context)
    times = [_moment(entry.removeprefix("Chat Time: ")) for entry in literal[::2]]
    return list(zip(times, literal[1::2], strict=True))


def _gold_turns(row: Row, i: int) -> list[tuple[date, str]]:
    """Return the day and the text of the gold turns of a question, in the order of time."""
    sessions = (row.metadata.get("haystack_sessions") or [])[i]
    turns = [turn for session in sessions for turn in session]
    wanted = {turn["content"] for turn in turns if turn.get("has_answer")}
    return [
        (moment.date(), turn["content"])
        for moment, turns in _sessions(row.context)
        for turn in turns
        if turn["has_answer"] and turn["content"] in wanted
    ]


def _asked(rows: list[Row], kind: str) -> Iterator[tuple[str, str, list[tuple[date, str]]]]:
    """Yield the questions of a kind that have an answer, with it and their gold turns."""
    for row in rows:
        for i, question in enumerate(row.flatten()):
            if question.question_type == kind and "_abs" not in (question.question_id or ""):
                yield question.question, question.answers[0], _gold_turns(row, i)


def test_sessions_are_in_order_and_questions_of_all_types_come_after_them(rows: list[Row]) -> None:
    for row in rows:
        moments = [moment for moment, _ in _sessions(row.context)]
        assert moments == sorted(moments)
        dates = row.metadata.get("question_dates") or []
        assert all(_moment(stamp) > moments[-1] for stamp in dates)
        for question, stamp in zip(row.questions, dates, strict=True):
            assert question.startswith(f"Current Date: {stamp},\n\n Now Answer the Question: ")
        assert {*(row.metadata.get("question_types") or [])} == {
            *("single-session-user", "single-session-assistant", "single-session-preference"),
            *("multi-session", "temporal-reasoning", "knowledge-update"),
        }
        ids = row.metadata.get("question_ids") or []
        assert sum(question_id.endswith("_abs") for question_id in ids) == 2
        assert len({*ids}) == len(ids)
        for i, question_id in enumerate(ids):
            assert bool(_gold_turns(row, i)) is not question_id.endswith("_abs")
            if question_id.endswith("_abs"):
                assert row.answers[i][0].startswith("You did not mention this.")
        turns = [turn for _, of_session in _sessions(row.context) for turn in of_session]
        golds = [text for i in range(len(row.questions)) for _, text in _gold_turns(row, i)]
        assert sorted(turn["content"] for turn in turns if turn["has_answer"]) == sorted(golds)
        assert all(list(turn) == ["role", "content", "has_answer"] for turn in turns)


def test_answers_stand_in_the_gold_turns_or_follow_from_them(rows: list[Row]) -> None:
    for role in ("user", "assistant"):
        for question, answer, [(_, said)] in _asked(rows, f"single-session-{role}"):
            assert answer in said
            assert answer not in question
            if role == "assistant":  # Recommendations, which are found by their rank.
                named = re.search(_RANKED, said)
                assert named
                rank = question.rstrip("?").split()[-1]
                assert named[1 + ("first", "second", "third").index(rank)] == answer
    for _, answer, golds in _asked(rows, "multi-session"):
        numbers = [int(re.findall(r"\d+", said)[0]) for _, said in golds]
        assert (len(numbers), answer) == (3, str(sum(numbers)))
    for _, answer, golds in _asked(rows, "knowledge-update"):
        values = [re.findall(r"\d+", said)[0] for _, said in golds]
        assert len({*values}) == 2
        assert re.findall(r"\d+", answer) == values[-1:]
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for _, answer, [(first, done), (second, _)] in _asked(rows, "temporal-reasoning"):
        deed = done.removeprefix("Today I ").partition(",")[0]
        days = (second - first).days
        spelled = words[days] if days <= 10 else str(days)
        assert answer in (f"{spelled} day{'s' * (days != 1)}", f"You {deed} first.")
