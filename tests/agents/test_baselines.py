from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabench.agents.baselines import NoMemory, Oracle
from mabench.contract import AgentError, Query
from tests.agents.queries import ask

LETTERED = "Who took the clock?\nA. Ann Lee\nB.Ben Moor\nC) Cy Pell\nD. Dee Ray\n Output:"


def guess(query: Query) -> str:
    agent = NoMemory()
    agent.memorize("The clock was taken by Cy Pell.")
    return agent.answer(query)


def test_a_guess_names_an_option_by_the_question_alone() -> None:
    written = {"A. Ann Lee", "B.Ben Moor", "C) Cy Pell", "D. Dee Ray"}
    assert {guess(ask(f"{number}. {LETTERED}")) for number in range(40)} == written
    assert guess(ask("What is next?\n['Ann left.', 'Ben left.']\n")) in {"Ann left.", "Ben left."}
    prompts = [f"At {hour}:00\n{LETTERED}" for hour in range(20)]
    assert len({guess(ask(LETTERED, prompt=prompt)) for prompt in prompts}) == 1
    assert guess(ask("Who took the clock?")) == "I could only guess."
    assert guess(ask("Who took the clock?", max_tokens=2)) == "I could"


def test_guesses_are_right_as_often_as_chance_has_it() -> None:
    texts = [f"Question {number}: which?\n['a1', 'b2', 'c3', 'd4']" for number in range(2000)]
    counts = Counter(guess(ask(text)) for text in texts)
    # 500 each; five standard deviations of the binomial are 97.
    assert all(403 <= counts[option] <= 597 for option in ("a1", "b2", "c3", "d4"))


@given(st.text(), st.integers(1, 40))
def test_any_question_has_a_guess(question: str, max_tokens: int) -> None:
    assert isinstance(guess(ask(question, max_tokens)), str)


@given(st.text())
def test_the_oracle_answers_what_it_was_told_once(gold: str) -> None:
    oracle = Oracle()
    oracle.memorize("something else")
    oracle.receive_gold(gold)
    assert oracle.answer(ask("?")) == gold
    with pytest.raises(AgentError, match="no gold answer"):
        oracle.answer(ask("another"))
