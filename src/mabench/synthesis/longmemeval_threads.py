"""The threads of a user's life: what is said in which session, the question and its gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random
from typing import NamedTuple

from mabench.synthesis.english import number_word, sentence
from mabench.synthesis.longmemeval_wordings import (
    COUNTED,
    DETAILS,
    DONE,
    PLACES,
    PREFERENCES,
    REPLIES,
    UPDATED,
    Detail,
)
from mabench.synthesis.names import Names


class Exchange(NamedTuple):
    """A message of the user and the reply, and which of the two, if any, is gold."""

    user: str
    assistant: str
    gold_role: str = ""


class Thread(NamedTuple):
    """A question, its gold, and the exchanges it rests on, by index of the session."""

    question_type: str
    question: str
    answer: str
    exchanges: dict[int, Exchange]
    abstains: bool = False


class Diary:
    """Hands out the sessions that threads may use, each once, and says when they were."""

    def __init__(self, rng: Random, moments: Sequence[datetime]) -> None:
        self.rng = rng
        self.names = Names(rng)
        self.moments = moments
        self._free = rng.sample(range(len(moments)), len(moments))

    def take(self, count: int) -> list[int]:
        """Return ``count`` unused sessions in the order of time."""
        return sorted(self._free.pop() for _ in range(count))

    def said(self, text: str) -> Exchange:
        """Return an exchange in which the user says something that is gold."""
        return Exchange(text, self.rng.choice(REPLIES), "user")


def make_threads(diary: Diary) -> list[Thread]:
    """Return 24 threads: every question type, and two questions without an answer."""
    details = diary.rng.sample(DETAILS, len(DETAILS))
    threads = [_detail(diary, detail) for detail in details[:5]]
    threads += [_unmentioned(diary, detail) for detail in details[5:]]
    threads += [_recommended(diary, place) for place in diary.rng.sample(PLACES, 4)]
    threads += [_preference(diary, *words) for words in diary.rng.sample(PREFERENCES, 3)]
    threads += [_counted(diary, *words) for words in diary.rng.sample(COUNTED, 4)]
    done = diary.rng.sample(DONE, 8)
    ways: tuple[Callable[[Diary, str, str], Thread], ...] = (_apart, _first, _apart, _first)
    threads += [way(diary, *done[2 * i : 2 * i + 2]) for i, way in enumerate(ways)]
    threads += [_updated(diary, *words) for words in diary.rng.sample(UPDATED, 2)]
    diary.rng.shuffle(threads)
    return threads


def _slots(diary: Diary) -> dict[str, str]:
    return {
        "name": diary.names.word(),
        "other": diary.names.word(),
        "city": diary.names.word(),
        "number": str(diary.rng.randrange(20, 900)),
    }


def _detail(diary: Diary, detail: Detail) -> Thread:
    slots = _slots(diary)
    (session,) = diary.take(1)
    return Thread(
        "single-session-user",
        detail.question.format(**slots),
        detail.gold.format(**slots),
        {session: diary.said(detail.said.format(**slots))},
    )


def _unmentioned(diary: Diary, detail: Detail) -> Thread:
    """Mention one thing and ask for a like one: the right answer is that it is not known."""
    slots = _slots(diary)
    (session,) = diary.take(1)
    return Thread(
        "single-session-user",
        detail.unasked.format(**slots),
        f"You did not mention this. You mentioned {detail.known}.",
        {session: diary.said(detail.said.format(**slots))._replace(gold_role="")},
        abstains=True,
    )


def _recommended(diary: Diary, place: str) -> Thread:
    city, *found = (diary.names.word() for _ in range(4))
    order = ("first", "second", "third")
    i = diary.rng.randrange(len(found))
    plural = place.removesuffix("y") + "ies" if place.endswith("y") else place + "s"
    exchange = Exchange(
        f"I will be in {city} soon. Which {plural} would you recommend there?",
        f"First of all {found[0]}, which is small and friendly. Second comes {found[1]}, near the "
        f"bridge. As a third choice there is {found[2]}, which opens late.",
        "assistant",
    )
    question = f"When I asked you for {plural} in {city}, which one did you name {order[i]}?"
    (session,) = diary.take(1)
    return Thread("single-session-assistant", question, found[i], {session: exchange})


def _preference(diary: Diary, said: str, question: str, rubric: str) -> Thread:
    (session,) = diary.take(1)
    return Thread("single-session-preference", question, rubric, {session: diary.said(said)})


def _counted(diary: Diary, said: str, question: str) -> Thread:
    numbers = [diary.rng.randrange(2, 30) for _ in range(3)]
    exchanges = {
        session: diary.said(said.format(number=number))
        for session, number in zip(diary.take(3), numbers, strict=True)
    }
    return Thread("multi-session", question, str(sum(numbers)), exchanges)


def _apart(diary: Diary, one: str, other: str) -> Thread:
    sessions = diary.take(2)
    first, second = (diary.moments[session].date() for session in sessions)
    question = f"How many days passed between the day I {one} and the day I {other}?"
    days = (second - first).days
    gold = f"{number_word(days)} {'day' if days == 1 else 'days'}"
    return Thread("temporal-reasoning", question, gold, _did(diary, sessions, (one, other)))


def _first(diary: Diary, one: str, other: str) -> Thread:
    sessions = diary.take(2)
    asked = diary.rng.sample((one, other), 2)
    question = f"Which came first: that I {asked[0]}, or that I {asked[1]}?"
    gold = sentence(f"you {one} first.")
    return Thread("temporal-reasoning", question, gold, _did(diary, sessions, (one, other)))


def _did(diary: Diary, sessions: Sequence[int], done: Sequence[str]) -> dict[int, Exchange]:
    return {
        session: diary.said(f"Today I {deed}, and I am quite pleased with it.")
        for session, deed in zip(sessions, done, strict=True)
    }


def _updated(diary: Diary, said: str, question: str, gold: str) -> Thread:
    sessions = diary.take(2)
    numbers = diary.rng.sample(range(30, 90), 2)
    exchanges = {
        session: diary.said(said.format(number=number))
        for session, number in zip(sessions, numbers, strict=True)
    }
    answer = gold.format(number=numbers[-1])
    return Thread("knowledge-update", question, answer, exchanges)
