"""What a user tells an assistant that questions rest on, and what is like it.

Slots of evidence: name and other (invented names), city, number, and the item of a detail with a
like item that was never mentioned. A gold repeats one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from mabench_synthetic.language import phrases, sentence, table


class Detail(NamedTuple):
    """Something the user mentions once: the statement, the question for it, and the answer.

    ``items`` are pairs of similar things. One of them is mentioned; a question about the other
    has no answer.
    """

    statement: str
    question: str
    gold: str
    items: tuple[tuple[str, str], ...]


_DETAILS = table("chats", "details")


def _detail(statement: str, question: str, gold: str, *items: str) -> Detail:
    pairs = (item.split(" / ") for item in items)
    return Detail(statement, question, gold, tuple((item, like) for item, like in pairs))


DETAILS = tuple(_detail(*texts) for texts in _DETAILS.values())

# Kinds of places that the assistant recommends.
PLACES = phrases("chats", "places")

# What the user prefers, a later request, what a good answer takes into account, and what may stand
# for {this} and {that}: the same request has another answer in another history.
PREFERENCES = tuple(table("chats", "preferences").values())

# What comes in several purchases or finds: how it is said, and how the total is asked for.
TOTALS = tuple(
    (f"I {verb} {{number}} {things} today.", f"How many {things} did I {base} in total?")
    for things, (verb, base) in table("chats", "totals").items()
)

# What the user does on one day, in the past tense.
DEEDS = phrases("chats", "deeds")

# A value that changes: how it is said, asked for, and given as an answer.
UPDATES = tuple(table("chats", "updates").values())

# What is said of somebody else and sounds like evidence.
LOOKALIKES = phrases("chats", "lookalikes")
# How somebody else's words are passed on, who says of themselves what the user may say, too.
QUOTED = phrases("chats", "quoted")
# How a statement ends, so that no two histories have it in the same words.
WITNESSES = (
    ", as I told {name}",
    ", and {name} was the first to hear of it",
    ", which {name} of {city} would not believe",
    ", as {name} and {other} can confirm",
)

REPLIES = phrases("chats", "replies")


# Small talk, requests and advice, of parts that vary independently: it rarely repeats itself.
_OPENINGS = (
    "", "", "Another question: ", "Since we talk so often: ", "You may laugh, but ", "Well, ",
    "I have been wondering: ", "My sister wants to know: ", "Before I forget: ", "Tell me, ",
)  # fmt: skip
_CIRCUMSTANCES = (
    "", "", " I have asked around, and nobody could tell me.", " I have about an hour.",
    " I would rather not spend much on it.", " Last year it went quite wrong.",
    " My father always did it by feeling.", " Be honest, please.", " I am quite new to this.",
    " There is no hurry.", " I tried it once and gave up.", " I want to do it properly this time.",
)  # fmt: skip
_GREETINGS = (
    "", "", "Gladly. ", "Good question. ", "There is more than one answer. ", "Let me think. ",
    "Here is what usually works. ", "Many people ask this. ", "It depends, but not on much. ",
)  # fmt: skip
_LEADS = (
    "", "", "As a rule: ", "To begin with: ", "If you have the time: ", "Old hands say: ",
    "One thing is often forgotten: ", "It sounds odd, but it is true: ", "Above all: ",
    "Next: ", "For a lasting result: ", "When in doubt: ", "A small trick: ",
)  # fmt: skip
_REASONS = (
    "", "", " You will notice the difference within a week.", " It costs next to nothing.",
    " Most people learn this too late.", " The rest is a matter of habit.",
    " This is worth the trouble.", " Do not expect wonders on the first day.",
    " Start small and see how it goes.", " It is easier than it sounds.",
    " Some would disagree, but not many.", " Give it a fair trial first.",
    " You can always change your mind later.", " Write down what you did.",
)  # fmt: skip
_FEWEST, _MOST = 4, 7


def small_talk(rng: Random) -> Iterator[tuple[str, str]]:
    """Yield requests with the advice for them, all on one topic, without end."""
    texts = rng.choice(list(_TOPICS.values()))
    asks = [text for text in texts if text.endswith("?")]
    tips = [text for text in texts if not text.endswith("?")]
    while True:
        yield _request(rng, rng.choice(asks)), _advice(rng, tips)


def _request(rng: Random, ask: str) -> str:
    opening = rng.choice(_OPENINGS)
    if opening.endswith((", ", "but ")):
        ask = ask[0].lower() + ask[1:] if not ask.startswith("I ") else ask
    return f"{opening}{ask}{rng.choice(_CIRCUMSTANCES)}"


def _advice(rng: Random, tips: list[str]) -> str:
    chosen = rng.sample(tips, rng.randint(_FEWEST, _MOST))
    return rng.choice(_GREETINGS) + " ".join(_tip(rng, tip) for tip in chosen)


def _tip(rng: Random, tip: str) -> str:
    lead = rng.choice(_LEADS)
    return sentence(f"{lead}{tip[0].lower() + tip[1:] if lead else tip}{rng.choice(_REASONS)}")


# By topic: what the user asks, which ends with a question mark, and pieces of advice.
_TOPICS = table("chats", "topics")
