"""Small talk of a user with an assistant: requests for advice, and advice.

Requests and advice are built from parts that vary independently, so a long history rarely
repeats itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mabench_synthetic.language.english import sentence
from mabench_synthetic.language.wordings import table

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
