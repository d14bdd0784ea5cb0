"""EventQA rows: the story tells the gold and none of the other options."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from mabench.data.schema import Row
from mabench.text import options_in
from tests.synthesis.families.story_events import events_told, summarized
from tests.synthesis.small import small


def test_reading_the_story_settles_every_question(rows_of: Callable[[str], list[Row]]) -> None:
    (row,) = rows_of("eventqa_full")
    told = list(events_told(row.context))
    assert len(told) > 100
    at = -1
    for question, answers in zip(row.questions, row.answers, strict=True):
        options = [option.text for option in options_in(question)]
        true = [option for option in options if summarized(option) in told]
        assert true == answers
        assert told.index(summarized(true[0])) > at
        at = told.index(summarized(true[0]))


def test_questions_have_the_shape_of_the_hub(rows_of: Callable[[str], list[Row]]) -> None:
    (row,) = rows_of("eventqa_full")
    for i, question in enumerate(row.questions):
        head, _, rest = question.partition(
            "\n\n\nBelow is a list of possible subsequent events:\n\n"
        )
        opening, _, shown = head.partition("\n\n")
        assert opening == "These are the events that have already occurred:"
        assert shown.startswith("...\n") is (i >= 5)
        numbers = [int(n) for n in re.findall(r"^(\d+)\. ", shown, re.MULTILINE)]
        assert numbers == list(range(max(1, i - 3), i + 2))
        options, _, task = rest.partition("]\n\n")
        assert len(options_in(question)) == len({o.text for o in options_in(question)}) == 6
        assert options.startswith("[")
        assert task.endswith(".")


def test_each_gold_joins_the_events_of_the_next_question(
    rows_of: Callable[[str], list[Row]],
) -> None:
    (row,) = rows_of("eventqa_full")
    previous = row.metadata.previous_events or []
    assert [event.partition(". ")[0] for event in previous] == [
        str(i) for i in range(1, len(row.questions) + 1)
    ]
    for i, answers in enumerate(row.answers[:-1]):
        assert previous[i + 1] == f"{i + 2}. {answers[0]}"
        assert previous[i + 1] in row.questions[i + 1]


def test_the_gold_does_not_stand_out_from_the_options() -> None:
    """Picking the option whose words the others share most gains little over guessing."""
    right = total = 0
    for seed in range(10):
        row = next(row for row in small(seed).rows if row.source == "eventqa_full")
        for question, answers in zip(row.questions, row.answers, strict=True):
            options = [option.text for option in options_in(question)]
            counts = Counter(word for option in options for word in set(option.split()))
            typical = max(options, key=lambda o: sum(counts[w] for w in set(o.split())))
            right += typical == answers[0]
            total += 1
    assert right / total < 1 / 6 + 0.1
