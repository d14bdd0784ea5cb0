from __future__ import annotations

import time

import pytest

from mabench.scoring import answer_finder


@pytest.mark.parametrize(
    ("text", "answers", "stands"),
    [
        ("The tower is 300 metres high.", ["300 metres"], True),
        ("The tower is 1,300 metres high.", ["300 metres"], False),
        ("Romeo went home.", ["Rome"], False),
        ("He was vice-president.", ["president"], False),
        ("He was vice-president, and then president.", ["president"], True),
        ("president-elect and vice-president", ["president"], False),
        ("He was vice-president.", ["vice president"], True),
        ("They met in  the CAF\u00c9 Central.", ["the Cafe Central"], True),
        ("One of twenty-one.", ["21"], True),
        ("Anything.", ["", "The", "..."], False),
        ("Anything.", ["", "anything"], True),
        ("Anything.", [], False),
        ("", ["anything"], False),
    ],
)
def test_an_answer_stands_as_whole_words(text: str, answers: list[str], stands: bool) -> None:
    assert answer_finder(text)(answers) is stands


def test_a_mention_that_is_no_answer_still_stands_in_a_passage() -> None:
    passage = "Israel (fact 12), superseded by Kenya (fact 410)."
    assert answer_finder(passage)(["Israel"])
    assert answer_finder("Not Rome.")(["Rome"])


@pytest.mark.slow
def test_many_questions_of_one_text_take_little_more_than_one() -> None:
    text = " ".join(f"word{number} vice-president" for number in range(20_000))
    find = answer_finder(text)
    start = time.process_time()
    assert not any(find([f"nobody{number}"]) for number in range(500))
    assert time.process_time() - start < 5  # About 0.1 s; reading it again each time takes 100 s.
