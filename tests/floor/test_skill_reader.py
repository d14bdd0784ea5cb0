"""The reader without a language model: what it makes of passages, by the form of the query."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabench.contract import Passage
from mabench.text import estimate_tokens
from mabench_floor.reader import SkillReader
from tests.agents.queries import ask


def read(question: str, *texts: str, max_tokens: int = 50, prompt: str | None = None) -> str:
    passages = [Passage(text) for text in texts]
    return SkillReader().read(ask(question, max_tokens, prompt=prompt), passages)


# Plain questions: the statement that answers best, and the span within it.

FACTS = """Some facts:
0. Orla Venn was born in the city of Karsk.
1. The capital of Freedonia is Marxville.
2. The capital of Sylvania is Draybridge.
3. Orla Venn is married to Tobin Ash.
4. The capital of Freedonia is Port Hollow.
5. Tobin Ash plays the position of goalkeeper.
6. Ida Moor plays the position of striker.
7. Jon Pike plays the position of full-back.
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the capital of Sylvania?", "Draybridge"),
        ("Who is Orla Venn married to?", "Tobin Ash"),
        ("Where was Orla Venn born?", "Karsk"),
        ("Which position does Tobin Ash play?", "goalkeeper"),
    ],
)
def test_the_answer_is_what_the_question_does_not_say(question: str, answer: str) -> None:
    assert read(question, FACTS) == answer


def test_the_larger_serial_number_supersedes_whatever_the_order_of_passages() -> None:
    old, new = FACTS[: FACTS.index("3. ")], "3. x is y.\n" + FACTS[FACTS.index("4. ") :] + "8. z"
    assert read("What is the capital of Freedonia?", FACTS) == "Port Hollow"
    assert read("What is the capital of Freedonia?", old, new) == "Port Hollow"
    assert read("What is the capital of Freedonia?", new, old) == "Port Hollow"


def test_serial_numbers_are_found_where_line_breaks_were_lost() -> None:
    flat = " ".join(FACTS.split())
    assert read("What is the capital of Freedonia?", flat) == "Port Hollow"
    assert read("Where was Orla Venn born?", flat) == "Karsk"


def test_the_first_fact_of_a_chunk_counts_without_its_number() -> None:
    chunk = "The capital of Freedonia is Nook. 10. A is B. 11. C is D. 12. E is F."
    assert read("What is the capital of Freedonia?", FACTS, chunk) == "Nook"
    assert read("What is the capital of Freedonia?", chunk, FACTS) == "Nook"


def test_a_chain_is_walked_through_several_passages() -> None:
    half = FACTS.index("3. ")
    question = "Which position does the spouse whom Orla Venn is married to play?"
    for order in ((FACTS[:half], FACTS[half:]), (FACTS[half:], FACTS[:half])):
        assert read(question, *order) == "goalkeeper"


def test_a_later_sentence_of_the_same_text_supersedes() -> None:
    text = "The ferry to Isk costs four crowns. Fog came. The ferry to Isk costs nine crowns."
    assert read("How much does the ferry to Isk cost?", text) == "nine"


PROSE = """Halden Keep is a castle on the river Marn. It was built in 1312 by Duke Osric Vane
after the siege of Tarn. About 4,500 people visit Halden Keep every week in summer.

Lowick Abbey is a ruin near Tarn. It was built in 1207 by Abbess Hilda."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Halden Keep built?", "1312"),
        ("Who built Halden Keep after the siege?", "Duke Osric Vane"),
        ("How many people visit Halden Keep every week?", "4,500"),
        ("When was Lowick Abbey built?", "1207"),
    ],
)
def test_question_words_prefer_names_dates_and_numbers(question: str, answer: str) -> None:
    assert read(question, PROSE) == answer


def test_a_paragraph_tells_what_its_sentences_are_about() -> None:
    towns = [f"{name} is a town.\nFog is common.\nIt has {n} mills." for name, n in TOWNS.items()]
    for name, mills in TOWNS.items():
        assert read(f"How many mills are there in {name}?", "\n\n".join(towns)) == mills


TOWNS = {"Arl": "21", "Brind": "35", "Cosk": "48"}


def test_the_texts_of_a_chat_that_is_kept_as_a_literal_are_read() -> None:
    turns = [
        {"role": "user", "content": 'I bought a "used" canoe, it\'s red. Is that\na bad sign?'},
        {"role": "assistant", "content": "Paint is no sign of age."},
        {"role": "user", "content": "The canoe was built by Mara Holt."},
    ]
    for chat in (str(turns), json.dumps(turns)):
        assert read("Who built the canoe?", chat) == "Mara Holt"
        assert read("What is red?", chat) == "canoe"


def test_a_word_of_the_question_that_is_said_again_belongs_to_the_answer() -> None:
    fact = "The river of Hollow Land is the Land Water."
    assert read("Which river is in Hollow Land?", fact) == "Land Water"


def test_the_question_counts_and_not_the_prompt_around_it() -> None:
    prompt = "Tell us about Draybridge, Sylvania.\nWhat is the capital of Freedonia?"
    assert read("What is the capital of Freedonia?", FACTS, prompt=prompt) == "Port Hollow"


@pytest.mark.parametrize("texts", [(), ("",), ("Nothing of the kind.",)])
def test_without_a_shared_word_it_does_not_know(texts: tuple[str, ...]) -> None:
    assert read("Where was Orla Venn born?", *texts) == "I could only guess."


# Options.

STORY = """Morning came. Ilse packed the brass telescope into a crate. Rain fell on the harbour.
At noon the captain sold his parrot to a baker. The baker laughed at the price."""
EVENTS = [
    "Ilse packed the silver kettle.",
    "Ilse packed the brass telescope.",
    "Ilse packed a hat.",
]


def test_the_supported_option_of_a_list_is_answered_by_its_text() -> None:
    question = f"1. Morning came.\nWhat is next?\n{EVENTS}\nGive only the event."
    assert read(question, STORY) == "Ilse packed the brass telescope."


def test_the_supported_lettered_option_is_answered_as_it_is_written() -> None:
    question = (
        "Who bought the parrot?\nA. The captain's aunt\nB. Ilse\nC.A baker\nD. Nobody\n Output:"
    )
    assert read(question, STORY) == "C.A baker"


def test_words_that_all_options_share_support_none_of_them() -> None:
    question = "Which crate?\n['the crate of tin', 'the crate of rope']"
    answers = {read(question, f"{'The crate. ' * n}Rope lay there.") for n in range(3)}
    assert answers == {"the crate of rope"}


def test_the_place_near_the_words_of_the_question_decides() -> None:
    text = "Rain fell in Tarn. Snow fell in Karsk. " + "Filler stands here. " * 3
    assert read("What fell in Karsk?\nA. Rain\nB. Snow", text) == "B. Snow"
    assert read("What fell in Tarn?\nA. Snow\nB. Rain", text) == "B. Rain"


def test_an_option_is_guessed_where_nothing_supports_any() -> None:
    guesses = {read(f"Case {n}: which?\n['alpha', 'omega']", "Unrelated.") for n in range(20)}
    assert guesses == {"alpha", "omega"}


# Demonstrations.

SHOWN = [
    ("I lost my library card", "7"),
    ("my card was lost on the bus", "7"),
    ("please renew the book I have", "12"),
    ("can you renew my two books", "12"),
    ("the reading room is too cold", "3"),
    ("why is it so cold upstairs", "3"),
    ("I cannot find my card, it is lost", "7"),
    ("who renews a book for me", "12"),
    ("it is cold by the window", "3"),
    ("somebody lost this card", "7"),
    ("may I renew the book again", "12"),
    ("the hall is cold today", "3"),
]


@pytest.mark.parametrize("form", ["{}\nlabel: {}", "{}.\n  class: {}", "{} topic: {}"])
@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("someone has lost a card", "7"),
        ("Could I renew this book?", "12"),
        ("It is cold in here.", "3"),
    ],
)
def test_the_value_of_the_nearest_demonstrations_is_answered(
    form: str, question: str, value: str
) -> None:
    blocks = [form.format(text, shown) for text, shown in SHOWN * 2]
    assert read(question, "\n\n".join(blocks[::2]), "\n\n".join(blocks[1::2])) == value


def test_several_near_demonstrations_outvote_one() -> None:
    days = [(f"the gate is shut on day {n}", "4") for n in range(9)]
    shown = [("the gate is shut on day ten", "9"), *days]
    text = "\n\n".join(f"{line}\nkind: {value}" for line, value in shown)
    assert read("the gate was shut on day forty", text) == "4"


def test_text_with_a_few_colons_is_not_a_set_of_demonstrations() -> None:
    text = "The keeper of Brindle is Ann.\n\nNote: it rains\n\nA word\nlabel: 7\n\nIt is late."
    assert read("Who is the keeper of Brindle?", text) == "Ann"


# Open dialogues.

DIALOGUES = """Dialogue 1:
System: What do you like?
User: Scary ones with haunted houses, like Pale Corridor (1981)
System: Watch The Attic Door (1994) then, it is a haunted house too
User: thanks

Dialogue 2:
User: any haunted house films?
System: The Attic Door (1994) and Cellar of Ash (2003)

Dialogue 3:
User: I want a comedy with dogs
System: what about Dog Days of Summer (2010), or Two Left Paws (2012)"""
OPEN = (
    "\nUser: Hello, I loved Cellar of Ash\nSystem: Do you like haunted houses?\nUser: Yes\nSystem: "
)


def test_items_of_like_dialogues_are_recommended_best_first() -> None:
    lines = read(OPEN, DIALOGUES, max_tokens=300).splitlines()
    assert lines[:2] == ["1. The Attic Door (1994)", "2. Pale Corridor (1981)"]
    assert {line[3:] for line in lines[2:]} == {"Dog Days of Summer (2010)", "Two Left Paws (2012)"}


def test_items_are_found_where_line_breaks_were_lost() -> None:
    flat = DIALOGUES.replace("\nUser:", " User:").replace("\n\n", " ")
    lines = read(OPEN, flat, max_tokens=300).splitlines()
    assert lines[0] == "1. The Attic Door (1994)"
    assert not any("User" in line or "Ash" in line for line in lines)


def test_recommendations_stop_at_twenty_lines_and_at_the_budget() -> None:
    many = "\n\n".join(f"User: haunted?\nSystem: Old House No {n} (19{n})" for n in range(10, 60))
    lines = read(OPEN, many, max_tokens=1000).splitlines()
    assert [line.partition(".")[0] for line in lines] == [str(n) for n in range(1, 21)]
    short = read(OPEN, many, max_tokens=40)
    assert all(line.endswith(")") for line in short.splitlines())
    assert 1 < len(short.splitlines()) < 5


def test_names_stand_in_for_items_without_years() -> None:
    text = "User: a haunted house?\nSystem: you should see Attic Door or maybe Pale Corridor"
    assert read(OPEN, text, max_tokens=300) == "1. Attic Door\n2. Pale Corridor"


def test_a_dialogue_that_is_complete_is_no_request_for_items() -> None:
    question = "User: hi\nSystem: hello\nWhat is the capital of Freedonia?"
    assert read(question, FACTS) == "Port Hollow"


# Summaries.

CHAPTERS = [
    f"Chapter {n} begins. " + " ".join(f"Ilse met pilot number {n}{k} at sea." for k in range(40))
    for n in range(4)
]


@pytest.mark.parametrize("ask_for_it", ["Now summarize the book.", "Please write a summary."])
def test_a_summary_draws_on_every_passage_in_order_within_the_budget(ask_for_it: str) -> None:
    summary = read(ask_for_it, *CHAPTERS, max_tokens=400)
    assert 250 < estimate_tokens(summary) <= 400
    positions = ["\n".join(CHAPTERS).index(s) for s in summary.removesuffix(".").split(". ")]
    assert positions == sorted(positions)
    assert all(f"number {n}" in summary for n in range(4))


def test_a_short_answer_about_a_summary_is_no_summary() -> None:
    text = "The summary of Orla Venn was printed in Karsk."
    assert read("Where was the summary of Orla Venn printed?", text, max_tokens=50) == "Karsk"


# All forms.


@pytest.mark.parametrize(
    "passage",
    [
        "word " * 30_000,
        "".join(f"{i}. " for i in range(2_000)),
        "label: 1 " * 5_000,
        "User: " * 5_000,
        "['a': 'b' " * 5_000,
    ],
)
@pytest.mark.parametrize("question", ["What is it?", "User: hi\nSystem: hello\nUser:"])
def test_hostile_passages_are_survived(passage: str, question: str) -> None:
    assert read(question, passage, passage)


def test_the_same_passages_give_the_same_answer_whatever_was_asked_before() -> None:
    reader = SkillReader()
    passages = [Passage(FACTS), Passage(PROSE)]
    alone = [SkillReader().read(ask(q, 50), passages) for q in QUESTIONS]
    assert [reader.read(ask(q, 50), passages) for q in QUESTIONS * 2] == alone * 2


QUESTIONS = ["What is the capital of Sylvania?", "When was Halden Keep built?", OPEN]

FORMS = ["Who?", OPEN, "Summarize it.", "Which?\n['a b', 'c d']", "What?\nA. x y\nB. z"]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(FORMS) | st.text(max_size=80),
    st.lists(st.text(max_size=200) | st.sampled_from([FACTS, DIALOGUES, PROSE]), max_size=4),
    st.integers(1, 400),
)
def test_any_query_gets_the_same_answer_within_its_budget(
    question: str, texts: list[str], max_tokens: int
) -> None:
    answer = read(question, *texts, max_tokens=max_tokens)
    assert estimate_tokens(answer) <= max_tokens
    assert answer == read(question, *texts, max_tokens=max_tokens)
