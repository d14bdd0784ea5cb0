from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.contract.interfaces import Answer, conformance_problems
from mabench.lookup import make_agent, resolve
from mabench.text import estimate_tokens
from mabench_floor import FloorAgent
from tests.agents.queries import ask
from tests.floor.demonstrations_material import make_demonstrations
from tests.floor.facts_material import make_material
from tests.floor.telling import in_lines, told
from tests.hash_seeds import outputs

FACTS = make_material(1, 60).context
SHOWN, _ = make_demonstrations(1, 6)
PROSE = "The old mill was built by Ruth Ames in 1804. It burnt down twice.\n\n" * 3


def test_it_is_found_by_name_and_conforms() -> None:
    agent = make_agent(resolve("floor"))
    assert isinstance(agent, FloorAgent)
    assert conformance_problems(agent) == []


def test_prose_is_answered_from_what_a_search_finds() -> None:
    agent = make_agent(resolve("floor"))
    agent.memorize(PROSE)
    answer = agent.answer(ask("Who built the old mill?"))
    assert isinstance(answer, Answer)
    assert answer.text.splitlines()[0] == "Ruth Ames"
    assert answer.retrieved


def test_facts_are_reported_with_their_serial_numbers() -> None:
    agent = make_agent(resolve("floor"))
    agent.memorize(
        "0. Ann plays the harp.\n1. Bob plays the lute.\n"
        "2. Cy plays the drum.\n3. Ann plays the flute."
    )
    answer = agent.answer(ask("What does Ann play?"))
    assert isinstance(answer, Answer)
    assert (answer.text, list(answer.retrieved)) == ("flute", ["3. Ann plays the flute."])


def test_what_is_memorized_after_a_question_counts_for_the_next() -> None:
    agent = make_agent(resolve("floor"))
    agent.memorize("0. Ann plays the harp.\n1. Bob plays the lute.\n2. Cy plays the drum.")
    question = ask("What does Ann play?")
    first = agent.answer(question)
    agent.memorize("3. Ann plays the flute.")
    second = agent.answer(question)
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (first.text, second.text) == ("harp", "flute")


@pytest.mark.parametrize("history", [FACTS, SHOWN, PROSE, ""])
@settings(max_examples=20)
@given(question=st.text(max_size=60), budget=st.integers(1, 40))
def test_any_question_is_answered_within_the_budget(
    history: str, question: str, budget: int
) -> None:
    # Learnt once for all examples: answering leaves what was learnt as it is.
    assert estimate_tokens(_reply(history)(question, budget)) <= budget


_replies: dict[str, Callable[..., str]] = {}


def _reply(history: str) -> Callable[..., str]:
    if history not in _replies:
        _replies[history] = told(in_lines(history))
    return _replies[history]


@settings(max_examples=30)
@given(chunks=st.lists(st.text(max_size=300), max_size=4))
def test_any_text_can_be_memorized(chunks: list[str]) -> None:
    assert isinstance(told(chunks)("Who is it?"), str)


@settings(max_examples=30)
@given(names=st.lists(st.text(min_size=1, max_size=12), min_size=4, max_size=12))
def test_facts_about_any_names_can_be_memorized(names: list[str]) -> None:
    lines = [f"{i}. {name} lives in the town of Oldham." for i, name in enumerate(names)]
    assert isinstance(told(["\n".join(lines)])(f"Where does {names[0]} live?"), str)


@pytest.mark.parametrize(
    "chunk",
    [
        "word " * 30_000,
        "\U0001f600\u0301 " * 10_000,
        "".join(f"{i}. " for i in range(2_000)),
        "".join(f"{i}. {'is ' * 30}\n" for i in range(500)),
        "label: 1 " * 5_000,
    ],
)
def test_odd_and_huge_texts_are_survived(chunk: str) -> None:
    assert isinstance(told([chunk])("What is it?"), str)


@pytest.mark.parametrize("history", [FACTS, SHOWN])
def test_the_same_history_gives_the_same_answers(history: str) -> None:
    questions = [line.split(". ", 1)[-1] for line in history.splitlines()[:40]]
    one, other = told(in_lines(history)), told(in_lines(history))
    assert [one(question) for question in questions] == [other(question) for question in questions]


SCRIPT = """
from tests.floor.demonstrations_material import make_demonstrations
from tests.floor.facts_material import make_material
from tests.floor.telling import told
material = make_material(2, 150, questions=30)
context, asked = make_demonstrations(2, 4)
reply, label = told([material.context]), told([context])
print([reply(question) for question, _ in material.single + material.multiple])
print([label(text) for text, _ in asked])
"""


def test_answers_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    (printed,) = outputs(SCRIPT, tmp_path)
    assert printed
