"""The threads of a user's life: which sessions say what, the question and its gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random
from typing import NamedTuple

from mabench.errors import UsageError
from mabench.printable import write_count
from mabench.text.names import NameInventor
from mabench_synthetic.language import number_word, phrases, table

# What a user tells an assistant that questions rest on. Slots: name and other (invented names),
# city, number, and the item of a detail with a like item that was never mentioned. A gold repeats
# one of them.


class Detail(NamedTuple):
    """Something that the user mentions once: the statement, its question and the answer.

    ``items`` are pairs of similar things. One of a pair is mentioned; a question about the other
    has no answer.
    """

    statement: str
    question: str
    gold: str
    items: list[list[str]]


DETAILS = [
    Detail(statement, question, gold, [pair.split(" / ") for pair in items])
    for statement, question, gold, *items in table("chats", "details").values()
]
# What comes in several purchases or finds: how it is said, and how the total is asked for.
TOTALS = [
    (f"I {verb} {{number}} {things} today.", f"How many {things} did I {base} in total?")
    for things, (verb, base) in table("chats", "totals").items()
]
# What the user does on one day, in the past tense.
DEEDS = phrases("chats", "deeds")
# A value that changes: how it is said, asked for, and given as an answer.
UPDATES = tuple(table("chats", "updates").values())
REPLIES = phrases("chats", "replies")
# Kinds of places that the assistant recommends.
_PLACES = phrases("chats", "places")
# What the user prefers, a later request, what a good answer takes into account, and what may
# replace {this} and {that}: the same request has another answer in another history.
_PREFERENCES = tuple(table("chats", "preferences").values())
# How a statement ends, so that no two histories have it in the same words.
_WITNESSES = phrases("chats", "witnesses")
# How many parts a total has.
_TOTAL_PARTS = 3
_PAIRS = [(detail, pair) for detail in DETAILS for pair in detail.items]


class Exchange(NamedTuple):
    """A message of the user and its reply, and which of the two, if any, is gold."""

    user: str
    assistant: str
    gold_role: str = ""


class Thread(NamedTuple):
    """A question, its gold, and the exchanges that it needs, by the index of the session."""

    question_type: str
    question: str
    answer: str
    exchanges: dict[int, Exchange]
    abstains: bool = False


class Mix(NamedTuple):
    """The number of threads of each kind."""

    details: int
    unmentioned: int
    recommendations: int
    preferences: int
    totals: int
    times: int
    updates: int

    @property
    def sessions(self) -> int:
        """How many sessions contain evidence."""
        singles = self.details + self.unmentioned + self.recommendations + self.preferences
        return singles + _TOTAL_PARTS * self.totals + 2 * (self.times + self.updates)


def mix_of(questions: int, abstention: float) -> Mix:
    """Return the number of questions of each kind, in about the shares of the public rows.

    Their sum is ``questions``, or more if the share of unanswerable ones is large.

    Raises:
        UsageError: when there is not enough to ask about.
    """
    shares = {"details": 0.2, "recommendations": 0.12, "preferences": 0.07, "updates": 0.12}
    counts = {kind: int(share * questions) for kind, share in shares.items()}
    counts |= {"unmentioned": round(abstention * questions), "totals": int(0.24 * questions)}
    mix = Mix(**counts, times=max(0, questions - sum(counts.values())))
    most = {"details": len(_PAIRS) - mix.unmentioned, "preferences": len(_PREFERENCES),
            "totals": len(TOTALS), "times": len(DEEDS) // 2, "updates": len(UPDATES)}  # fmt: skip
    if any(getattr(mix, kind) > limit for kind, limit in most.items()):
        raise UsageError(
            f"a history of chats cannot hold {write_count(questions, 'question')}; ask for fewer"
        )
    return mix


class Diary:
    """Gives each thread sessions that no other thread uses, and knows their times.

    ``distance`` is the largest distance of the two sessions of an update, as a share of all.
    """

    def __init__(self, rng: Random, moments: Sequence[datetime], distance: float) -> None:
        self.rng = rng
        self.names = NameInventor(rng)
        self.moments = moments
        self._window = max(1, round(distance * len(moments)))
        self._free = rng.sample(range(len(moments)), len(moments))

    def take(self, count: int) -> list[int]:
        """Return ``count`` unused sessions, in the order of time."""
        return sorted(self._free.pop() for _ in range(count))

    def take_days(self) -> list[int]:
        """Return two unused sessions on different days, in the order of time."""
        return self._take_two(lambda a, b: self.moments[a].date() != self.moments[b].date())

    def take_near(self) -> list[int]:
        """Return two unused sessions that are near enough for an update."""
        return self._take_two(lambda a, b: abs(a - b) <= self._window)

    def exchange(self, statement: str, gold_role: str = "user") -> Exchange:
        """Return a message of the user, with a new name, and a reply to it."""
        names = {slot: self.names.word() for slot in ("name", "other", "city")}
        ending = self.rng.choice(_WITNESSES).format(**names)
        said = f"{statement.removesuffix('.')}, {ending}."
        return Exchange(said, self.rng.choice(REPLIES), gold_role)

    def _take_two(self, fits: Callable[[int, int], bool]) -> list[int]:
        """Return an unused session, and the next one that fits it, else the nearest."""
        first = self._free.pop()
        fitting = [session for session in self._free if fits(first, session)]
        if fitting:
            second = fitting[-1]
        else:
            second = min(self._free, key=lambda session: abs(session - first))
        self._free.remove(second)
        return sorted((first, second))


def make_threads(diary: Diary, mix: Mix) -> list[Thread]:
    """Return threads of all question types, and some questions without an answer."""
    pairs = diary.rng.sample(_PAIRS, mix.details + mix.unmentioned)
    # Either of two similar things may be mentioned, so that a question does not show whether it has
    # an answer.
    similar = [(detail, diary.rng.sample(pair, 2)) for detail, pair in pairs]
    threads = [
        _detail(diary, detail, things, abstains=number >= mix.details)
        for number, (detail, things) in enumerate(similar)
    ]
    for _ in range(mix.recommendations):
        place = diary.rng.choice(_PLACES)
        threads.append(_recommendation(diary, place))
    preferences = diary.rng.sample(_PREFERENCES, mix.preferences)
    threads += [_preference(diary, *wordings) for wordings in preferences]
    totals = diary.rng.sample(TOTALS, mix.totals)
    threads += [_total(diary, statement, question) for statement, question in totals]
    deeds = diary.rng.sample(DEEDS, 2 * mix.times)
    for i, (one, other) in enumerate(zip(deeds[::2], deeds[1::2], strict=True)):
        ask = _days_apart if i % 2 == 0 else _which_first
        threads.append(ask(diary, one, other))
    updates = diary.rng.sample(UPDATES, mix.updates)
    threads += [_update(diary, *wordings) for wordings in updates]
    diary.rng.shuffle(threads)
    return threads


def _detail(diary: Diary, detail: Detail, alike: Sequence[str], *, abstains: bool) -> Thread:
    """Mention one thing, and ask about it or about a similar one that was not mentioned."""
    mentioned, like = alike
    slots = {slot: diary.names.word() for slot in ("name", "other", "city")}
    slots["number"] = str(diary.rng.randrange(20, 900))
    question = detail.question.format(**slots, item=like if abstains else mentioned)
    gold = detail.gold.format(**slots, item=mentioned)
    if abstains:
        gold = f"You did not mention this. You spoke of the {mentioned}, not of the {like}."
    statement = detail.statement.format(**slots, item=mentioned)
    (session,) = diary.take(1)
    exchange = diary.exchange(statement, "" if abstains else "user")
    return Thread("single-session-user", question, gold, {session: exchange}, abstains)


def _recommendation(diary: Diary, place: str) -> Thread:
    """Let the assistant name three places, and ask for one of them."""
    city, *names = (diary.names.word() for _ in range(4))
    ranks = ("first", "second", "third")
    i = diary.rng.randrange(len(names))
    plural = place.removesuffix("y") + "ies" if place.endswith("y") else place + "s"
    exchange = Exchange(
        f"I will be in {city} soon. Which {plural} would you recommend there?",
        f"First of all {names[0]}, which is small and friendly. Second comes {names[1]}, near the "
        f"bridge. As a third choice there is {names[2]}, which opens late.",
        "assistant",
    )
    question = f"When I asked you for {plural} in {city}, which one did you name {ranks[i]}?"
    (session,) = diary.take(1)
    return Thread("single-session-assistant", question, names[i], {session: exchange})


def _preference(diary: Diary, statement: str, question: str, rubric: str, *choices: str) -> Thread:
    """State a preference, and ask for advice that should take it into account.

    ``choices`` are the lists of what may replace ``{this}`` and ``{that}``.
    """
    this, that = (diary.rng.choice(listed.split(", ")) for listed in choices)
    said, answer = (text.format(this=this, that=that) for text in (statement, rubric))
    kind = "single-session-preference"
    return _thread(diary, kind, question, answer, diary.take(1), said)


def _total(diary: Diary, statement: str, question: str) -> Thread:
    """Tell numbers in several sessions, and ask for their sum."""
    numbers = [diary.rng.randrange(2, 30) for _ in range(_TOTAL_PARTS)]
    statements = [statement.format(number=number) for number in numbers]
    sessions, total = diary.take(_TOTAL_PARTS), str(sum(numbers))
    return _thread(diary, "multi-session", question, total, sessions, *statements)


def _days_apart(diary: Diary, one: str, other: str) -> Thread:
    """Ask how many days passed between two deeds."""
    sessions = diary.take_days()
    first, second = (diary.moments[session].date() for session in sessions)
    question = f"How many days passed between the day I {one} and the day I {other}?"
    days = (second - first).days
    gold = f"{number_word(days)} {'day' if days == 1 else 'days'}"
    return _thread(diary, "temporal-reasoning", question, gold, sessions, today(one), today(other))


def _which_first(diary: Diary, one: str, other: str) -> Thread:
    """Ask which of two deeds came first; it is ``one``, and the question may name it last."""
    sessions = diary.take_days()
    a, b = diary.rng.sample((one, other), 2)
    question, gold = f"Which came first: that I {a}, or that I {b}?", f"You {one} first."
    return _thread(diary, "temporal-reasoning", question, gold, sessions, today(one), today(other))


def today(deed: str) -> str:
    """Return what somebody says on the day of a deed."""
    return f"Today I {deed}, and I am quite pleased with it."


def _update(diary: Diary, statement: str, question: str, gold: str) -> Thread:
    """Tell a value and later a new one, and ask for it."""
    sessions = diary.take_near()
    old, new = diary.rng.sample(range(30, 90), 2)
    statements = [statement.format(number=number) for number in (old, new)]
    answer = gold.format(number=new)
    return _thread(diary, "knowledge-update", question, answer, sessions, *statements)


def _thread(
    diary: Diary, kind: str, question: str, answer: str, sessions: list[int], *statements: str
) -> Thread:
    """Return a thread with one gold statement in each of its sessions."""
    pairs = zip(sessions, statements, strict=True)
    exchanges = {session: diary.exchange(statement) for session, statement in pairs}
    return Thread(kind, question, answer, exchanges)
