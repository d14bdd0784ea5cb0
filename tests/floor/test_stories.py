"""Stories: what happens next, which option the text supports, and summaries."""

from collections.abc import Callable
from itertools import repeat
from random import Random
from statistics import fmean

import pytest

from mabench.text import estimate_tokens, split_sentences
from tests.floor.informed import QUESTIONS, TEXTS, cut, flat, informed, reply, told
from tests.synthetic.small import small

THINGS = (
    *("anvil", "barrel", "candle", "drum", "easel", "fiddle"),
    *("goblet", "hammer", "inkpot", "jug", "kite", "ladle"),
)
PEOPLE = ("Aldous", "Brenna", "Corwin", "Dagny", "Edda", "Falk")


def event(number: int) -> str:
    person, thing = PEOPLE[number % 6], THINGS[number % 12]
    return f"{person} carried the {thing} past gate {number} at last"


def story() -> str:
    rng = Random(3)
    weather = ("Rain fell.", "The wind turned.", "Dogs barked far away.", "It grew late.")
    return "\n\n".join(
        f"{rng.choice(weather)} {event(n)}. {rng.choice(weather)} Nobody spoke of it."
        for n in range(48)
    )


def what_next(past: list[int], options: list[str]) -> str:
    listed = "\n".join(f"{i}. {event(n)}." for i, n in enumerate(past, start=1))
    return f"So far:\n\n{listed}\n\nWhich of these is next?\n\n{options!r}\n\nGive only the event."


@pytest.mark.parametrize("text", [story(), flat(story())])
def test_the_option_soonest_after_the_events_told_is_chosen(text: str) -> None:
    agent = informed(cut(text, 400))
    for at in range(4, 40, 5):
        earlier, later = event((at + 24) % 48), event((at + 14) % 48)
        options = [later, event(at + 1), earlier]
        assert reply(agent, what_next([at - 3, at - 1, at], options)) == options[1]


def test_an_option_that_is_not_in_the_text_or_adds_to_it_loses() -> None:
    agent = informed([story()])
    made_up = ["Brenna carried a zeppelin over the moat", "Edda painted a walrus", "Falk sang"]
    for at in range(20, 40, 3):
        options = [*made_up, f"{event(at)} beneath seven purple zebras", event(at)]
        assert reply(agent, what_next([at - 3, at - 2, at - 1], options)) == options[-1]


@pytest.mark.parametrize(
    ("sources", "seeds", "least"),
    [(("ruler", "longmemeval"), (11, 12), 0.4), (("eventqa",), (50, 51, 52), 0.35)],
)
def test_made_up_rows_are_answered_well_above_chance(
    sources: tuple[str, ...], seeds: tuple[int, ...], least: float
) -> None:
    right = [
        any(gold in answer for gold in golds)
        for seed in seeds
        for row in small(seed).rows
        if row.source.startswith(sources)
        for answer, golds in zip(
            map(told(cut(row.context, 2000)), row.questions, repeat(50)), row.answers, strict=False
        )
    ]
    assert fmean(right) >= least


CASE = TEXTS["case"]


@pytest.mark.parametrize("form", [str, flat])
@pytest.mark.parametrize(("text", "question", "answer"), QUESTIONS["options"])
def test_the_option_that_the_text_supports_is_chosen(
    text: str, question: str, answer: str, form: Callable[[str], str]
) -> None:
    assert reply(informed([form(text)]), question) == answer


def test_an_option_is_guessed_where_the_text_supports_none() -> None:
    agent = informed(["Nothing of the kind."])
    answers = {reply(agent, f"Case {n}?\n['alpha', 'omega']") for n in range(20)}
    assert answers == {"alpha", "omega"}
    assert reply(informed([]), "Which?\n1. It rained.\n['alpha', 'omega']") in {"alpha", "omega"}


def chapters(count: int) -> str:
    rng = Random(8)
    acts = ("crossed the river", "sold the mare", "wrote to the bishop", "mended the old roof")
    return "\n\n".join(
        f"Dust lay on the road to mill {n} again. "
        f"Orla Finch {rng.choice(acts)} with Captain Bray at stage {n} there. It was noon."
        for n in range(count)
    )


def summary(text: str, task: str, max_tokens: int = 1200) -> str:
    return reply(informed([text]), task, max_tokens)


@pytest.mark.parametrize("text", [chapters(400), flat(chapters(400))])
@pytest.mark.parametrize(
    ("task", "least", "most"),
    [
        ("Summarize the book in about 200 to 300 words.", 250, 300),
        ("Write a summary of 120 words.", 90, 120),
        ("Write a summary.", 500, 1200),
    ],
)
def test_a_summary_has_the_length_asked_for_and_runs_from_beginning_to_end(
    text: str, task: str, least: int, most: int
) -> None:
    summed = summary(text, task)
    assert least <= len(summed.split()) <= most
    assert estimate_tokens(summed) <= 1200
    pieces = [piece.strip() for piece in split_sentences(summed)]
    places = [flat(text).index(piece) for piece in pieces]
    assert places == sorted(places)
    assert places[0] < len(text) / 8
    assert places[-1] > len(text) * 7 / 8


def test_a_summary_is_told_of_the_main_characters_in_sentences_that_end() -> None:
    endless = "Orla Finch and Captain Bray " + "went on and " * 20 + "on."
    text = chapters(100).replace("It was noon.", f"{endless} It was noon.")
    summed = summary(text, "Summarize it in 150 words.")
    assert summed.count("Orla Finch") > 5
    assert "went on" not in summed


def test_the_budget_bounds_a_summary_that_is_asked_to_be_longer() -> None:
    summed = summary(chapters(400), "Summarize the book in 5,000 words.", max_tokens=400)
    assert 300 < estimate_tokens(summed) <= 400
    assert summary("word " * 5000, "Summarize it.", 300)  # One endless sentence.
