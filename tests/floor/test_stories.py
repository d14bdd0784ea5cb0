"""Stories: what happens next, and which option the text supports."""

from collections.abc import Callable
from itertools import repeat
from random import Random
from statistics import fmean

import pytest

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
