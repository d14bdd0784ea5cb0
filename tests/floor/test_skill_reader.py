"""The reader without a language model: what it makes of passages, by the form of the query.

Its skills are the floor agent's, and what they make of a whole history is tested with that one.
"""

import pytest

from mabench.contract import Passage
from mabench_floor.reader import SkillReader
from tests.agents.queries import ask
from tests.floor.informed import QUESTIONS, TEXTS

FACTS, STORY, DIALOGUES = (TEXTS[name] for name in ("facts", "telescope", "dialogues"))
CAPITAL = "What is the capital of Freedonia?"


def read(question: str, *texts: str, max_tokens: int = 50, prompt: str | None = None) -> str:
    passages = [Passage(text) for text in texts]
    return SkillReader().read(ask(question, max_tokens, prompt=prompt), passages)


def test_facts_hold_whatever_the_order_of_passages() -> None:
    old, new = FACTS[: FACTS.index("3. ")], "3. x is y.\n" + FACTS[FACTS.index("4. ") :] + "8. z"
    for texts in ([FACTS], [old, new], [new, old], [" ".join(FACTS.split())]):
        assert read(CAPITAL, *texts) == "Port Hollow"
        assert read("Where was Orla Venn born?", *texts) == "Karsk"
    # The first fact of a chunk counts without its number.
    chunk = "The capital of Freedonia is Nook. 10. A is B. 11. C is D. 12. E is F."
    assert read(CAPITAL, FACTS, chunk) == read(CAPITAL, chunk, FACTS) == "Nook"
    half = FACTS.index("3. ")
    question = "Which position does the spouse whom Orla Venn is married to play?"
    for order in ((FACTS[:half], FACTS[half:]), (FACTS[half:], FACTS[:half])):
        assert read(question, *order) == "goalkeeper"
    # The question counts, and not the prompt around it.
    prompt = f"Tell us about Draybridge, Sylvania.\n{CAPITAL}"
    assert read(CAPITAL, FACTS, prompt=prompt) == "Port Hollow"


@pytest.mark.parametrize(("text", "question", "answer"), QUESTIONS["reader"])
def test_a_question_is_answered_as_its_form_asks(text: str, question: str, answer: str) -> None:
    assert read(question, text) == answer


SHOWN = {
    "7": ["I lost my library card", "my card was lost on the bus"],
    "12": [
        "please renew the book I have",
        "can you renew my two books",
        "who renews a book for me",
    ],
    "3": ["the reading room is too cold", "why is it so cold upstairs", "the hall is cold today"],
}


@pytest.mark.parametrize("form", ["{}\nlabel: {}", "{}.\n  class: {}", "{} topic: {}"])
def test_the_value_of_the_nearest_demonstrations_is_answered(form: str) -> None:
    blocks = [form.format(text, value) for value in SHOWN for text in SHOWN[value] * 3]
    passages = "\n\n".join(blocks[::2]), "\n\n".join(blocks[1::2])
    asked = ("someone has lost a card", "Could I renew this book?", "It is cold in here.")
    assert [read(question, *passages) for question in asked] == ["7", "12", "3"]


def test_several_near_demonstrations_outvote_one() -> None:
    days = [(f"the gate is shut on day {n}", "4") for n in range(9)]
    shown = [("the gate is shut on day ten", "9"), *days]
    text = "\n\n".join(f"{line}\nkind: {value}" for line, value in shown)
    assert read("the gate was shut on day forty", text) == "4"


OPEN = (
    "\nUser: Hello, I loved Cellar of Ash\nSystem: Do you like haunted houses?\nUser: Yes\nSystem: "
)


def test_items_of_like_dialogues_are_recommended_best_first() -> None:
    first, second, *others = read(OPEN, DIALOGUES, max_tokens=300).splitlines()
    assert (first, second) == ("1. The Attic Door (1994)", "2. Pale Corridor (1981)")
    assert {line[3:] for line in others} == {"Dog Days of Summer (2010)", "Two Left Paws (2012)"}
    flat = DIALOGUES.replace("\nUser:", " User:").replace("\n\n", " ")
    lines = read(OPEN, flat, max_tokens=300).splitlines()
    assert lines[0] == first
    assert not any("User" in line or "Ash" in line for line in lines)


def test_names_stand_in_for_items_without_years() -> None:
    text = "User: a haunted house?\nSystem: you should see Attic Door or maybe Pale Corridor"
    assert read(OPEN, text, max_tokens=300) == "1. Attic Door\n2. Pale Corridor"


def test_the_same_passages_give_the_same_answer_whatever_was_asked_before() -> None:
    reader, passages = SkillReader(), [Passage(FACTS), Passage(STORY)]
    questions = [CAPITAL, "Who laughed at the price?", OPEN]
    alone = [SkillReader().read(ask(q, 50), passages) for q in questions]
    assert [reader.read(ask(q, 50), passages) for q in questions * 2] == alone * 2
