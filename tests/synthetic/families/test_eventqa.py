import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from mabench.data.schema import Row
from mabench.errors import UsageError
from mabench.text import options_in
from mabench_synthetic import make_rows, row_specs
from tests.synthetic.wordings import events_told, summarized


def _row(seed: int, tokens: int, questions: int, **knobs: float) -> Row:
    specs = row_specs("eventqa_full", seed, tokens=tokens, rows=1, questions=questions, knobs=knobs)
    (row,) = make_rows(specs)
    return row


def _solved(row: Row) -> Iterator[list[str]]:
    """Yield, for each question, the option that is told first after the last event listed."""
    told = list(events_told(row.context))
    for question in row.questions:
        shown = [summarized(e) for e in re.findall(r"^\d+\. (.+)$", question, re.MULTILINE)]
        reached = told.index(shown[-1])
        options = [option.text for option in options_in(question)]
        at = {o: told.index(e) for o in options if (e := summarized(o)) in told}
        later = {option: place for option, place in at.items() if place > reached}
        yield [option for option in later if later[option] == min(later.values())]


@pytest.mark.parametrize("seeds", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_reading_the_story_settles_every_question(seeds: int) -> None:
    for seed in range(seeds):
        row = _row(seed, 16_000, 20)
        assert list(_solved(row)) == row.answers, seed


def test_questions_have_the_shape_of_the_hub_and_their_options_the_same_actors() -> None:
    row = _row(0, 9_000, 20)
    assert len(list(events_told(row.context))) > 100
    for i, question in enumerate(row.questions):
        events = [summarized(option.text) for option in options_in(question)]
        assert len({frozenset((event.actor, event.other)) for event in events}) == 1
        assert len({bool(event.place) for event in events}) == 1
        assert len({event.thing for event in events}) > 1
        head, rest = question.split("\n\n\nBelow is a list of possible subsequent events:\n\n")
        opening, _, shown = head.partition("\n\n")
        assert opening == "These are the events that have already occurred:"
        assert shown.startswith("...\n") is (i >= 5)
        numbers = [int(n) for n in re.findall(r"^(\d+)\. ", shown, re.MULTILINE)]
        assert numbers == list(range(max(1, i - 3), i + 2))
        options, _, task = rest.partition("]\n\n")
        assert len(events) == len({o.text for o in options_in(question)}) == 6
        assert options.startswith("[")
        assert task.endswith(".")
    first, *later = row.metadata.get("previous_events") or []
    assert first.startswith("1. ")
    assert later == [f"{i}. {answers[0]}" for i, answers in enumerate(row.answers[:-1], start=2)]
    assert all(event in asked for event, asked in zip(later, row.questions[1:], strict=True))


def test_some_wrong_options_did_happen_but_not_next() -> None:
    assert [_happened(seed, 0) for seed in range(3)] == [0, 0, 0]
    assert all(_happened(seed, 3) > 20 for seed in range(3))


_FEW_THINGS = """
from mabench_synthetic import make_rows, row_specs
for seed, things in ((seed, things) for seed in (0, 8, 10) for things in (1, 2)):
    size = {"tokens": 3_000, "rows": 1, "questions": 10, "knobs": {"things": things}}
    (row,) = make_rows(row_specs("eventqa_full", seed, **size))
    assert len(row.questions) == 10
"""


def test_options_of_few_things_are_found_in_a_short_story() -> None:
    """Where all deeds with these things were done, another thing is spoken of."""
    # In a process of its own, since the search for an option could have no end.
    subprocess.run([sys.executable, "-c", _FEW_THINGS], check=True, timeout=60)


def _happened(seed: int, elsewhere: int) -> int:
    """Return how many wrong options the story tells."""
    row = _row(seed, 16_000, 20, elsewhere=elsewhere)
    told = set(events_told(row.context))
    return sum(
        option.text not in answers and summarized(option.text) in told
        for question, answers in zip(row.questions, row.answers, strict=True)
        for option in options_in(question)
    )


def test_however_short_a_story_it_becomes_a_row_or_an_error() -> None:
    """Short ones have too few things near a question: a row was once sought for ever."""
    for seed in range(12):
        for tokens in (150, 400, 1_000):
            with contextlib.suppress(UsageError):
                row = _row(seed, tokens, 3)
                assert tokens > 150
                assert all(len(set(options_in(question))) == 6 for question in row.questions)


def test_the_length_that_a_short_story_asks_for_is_enough() -> None:
    for tokens, questions in ((200, 20), (1_000, 100)):
        with pytest.raises(UsageError, match="at most, or for") as refused:
            _row(0, tokens, questions)
        enough = int(str(refused.value).split()[-2].replace(",", ""))
        assert len(_row(0, enough, questions).questions) == questions
