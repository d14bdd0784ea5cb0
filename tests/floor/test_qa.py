"""Finding facts: the right sentence, the right span of it, and what follows from several."""

import json

import pytest

from mabench.contract import answer_of
from mabench.contract.answers import passages_of
from mabench_floor.qa.questions import holder_of
from tests.agents.queries import ask
from tests.floor.informed import QUESTIONS, TEXTS, cut, flat, informed, reply

PROSE = TEXTS["harbour"]


def first_line(chunks: list[str], question: str, max_tokens: int = 50) -> str:
    return reply(informed(chunks), question, max_tokens).partition("\n")[0]


@pytest.mark.parametrize("chunks", [[PROSE], [flat(PROSE)], cut(flat(PROSE), 200)])
@pytest.mark.parametrize(("question", "answer"), QUESTIONS["harbour"])
def test_the_first_line_is_what_the_question_asks_for(
    chunks: list[str], question: str, answer: str
) -> None:
    assert first_line(chunks, question) == answer


def test_evidence_is_reported_and_follows_the_span_where_it_is_asked_for() -> None:
    question = "Who built the Tern Lighthouse?"
    built = "The Tern Lighthouse was built in 1802 by Osric de la Vane."
    answer = answer_of(informed([PROSE]).answer(ask(question, 50)))
    assert (answer.text, passages_of(answer.retrieved)[0].text) == ("Osric de la Vane", built)
    lines = reply(informed([PROSE], evidence=True), question).splitlines()
    assert lines[:2] == ["Osric de la Vane", built]


def test_a_pronoun_stands_for_the_name_that_the_paragraph_told_before() -> None:
    towns = "\n\n".join(f"{t} is a port.\nSnow is rare.\nIt has {n} cranes." for t, n in CRANES)
    for town, cranes in CRANES:
        assert first_line([towns], f"How many cranes does {town} have?") == cranes


CRANES = [("Arlmouth", "21"), ("Brindle Bay", "35"), ("Coskerry", "48")]


def test_a_misspelt_name_is_found_by_its_letters() -> None:
    towns = "\n\n".join(f"{town} is a port with {cranes} cranes." for town, cranes in CRANES)
    assert first_line([towns], "How many cranes does Cosskery have?") == "48"
    assert first_line([towns], "How many cranes does Brindel Bay have?") == "35"


def test_a_title_is_no_part_of_a_sentence_and_no_evidence() -> None:
    body = "The pier was designed in 1888 by Hanne Quist. " + "It was mended many times since. " * 4
    for text in (f"Document 1:\nHolm Pier\n{body}", f"Holm Pier\n{flat(body)}"):
        agent = informed([text], evidence=True)
        answer = reply(agent, "Who designed Holm Pier?", 100).splitlines()
        assert answer[:2] == ["Hanne Quist", "The pier was designed in 1888 by Hanne Quist."]
        assert "Holm Pier" not in answer


def test_a_second_hop_finds_what_only_another_paragraph_tells() -> None:
    others = "\n\n".join(
        f"{name} Sorrel was a weaver. In old age she kept bees at {name}wick." for name in NAMES
    )
    comet = "The comet of Saltby was discovered by Wenna Trask with a home-made lens."
    weaver = "Wenna Trask was a weaver. In old age she kept bees at Fennick."
    told = "\n\n".join((others, comet, weaver, others.replace("Sorrel", "Teasel")))
    question = "Where did the woman who discovered the comet of Saltby keep bees in old age?"
    assert "Fennick" in reply(informed([told]), question)


NAMES = ("Ada", "Bela", "Cora", "Dora", "Elna", "Fria")
CHATS = [repr(TEXTS["chat"]), json.dumps(TEXTS["chat"])]


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("size", [5000, 300])
@pytest.mark.parametrize(("question", "answer"), QUESTIONS["chat"])
def test_dated_chats_tell_what_is_newest_and_how_long_ago(
    chat: str, size: int, question: str, answer: str
) -> None:
    agent = informed(cut(chat, size))
    prompt = f"Current Date: 2023/03/11 (Sat) 08:00,\n\n Now Answer the Question: {question}"
    assert reply(agent, question, prompt=prompt).partition("\n")[0] == answer


def test_no_shared_word_means_no_claim() -> None:
    assert reply(informed([PROSE]), "Xyzzy?") == "I could only guess."
    assert reply(informed([]), "Who dug Quillan Harbour?") == "I could only guess."


@pytest.mark.parametrize(("text", "question", "answer"), QUESTIONS["documents"])
def test_the_answer_is_the_span(text: str, question: str, answer: str) -> None:
    assert reply(informed([text]), question) == answer


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("In which city was the band formed that recorded Ness?", "band"),
        ("Who is the singer of the band that recorded Ness?", "band"),
        ("Ness is a song by a band formed in which city?", "band"),
        ("Who tells the story of Ness?", ""),
        ("Whom does Ann count as the closest of friends?", ""),
    ],
)
def test_what_an_answer_is_about_has_a_noun(question: str, noun: str) -> None:
    verbs = ("formed", "recorded", "tells", "count")
    assert holder_of(question, verbs.__contains__)[0] == noun


def test_no_month_answers_who() -> None:
    assert reply(informed(["Press House opened in May with Ann Lee."]), "Who opened it?") != "May"
