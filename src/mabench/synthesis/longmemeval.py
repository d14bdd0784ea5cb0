"""LongMemEval rows: half a year of chats of one user with an assistant.

``haystack_sessions`` holds, for each question, the sessions that its answer rests on, with
``has_answer`` on the gold turns; it is empty for a question that cannot be answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random

from mabench.dataset.schema import RowContent, Turn
from mabench.synthesis.english import time_stamp
from mabench.synthesis.longmemeval_threads import Diary, Exchange, Thread, make_threads
from mabench.synthesis.longmemeval_wordings import TOPICS
from mabench.synthesis.rows import Item, row_content
from mabench.synthesis.streams import stream

_SESSIONS = 60
_FIRST_DAY = datetime(2022, 11, 1)
_MINUTES_A_DAY = 24 * 60


def make_rows(seed: int) -> list[RowContent]:
    """Return one row of 24 questions, asked in the weeks after the last session."""
    rng = stream(seed, "longmemeval")
    moments = _moments(rng)
    threads = make_threads(Diary(rng, moments))
    evidence = {s: exchange for thread in threads for s, exchange in thread.exchanges.items()}
    sessions = [_session(rng, evidence.get(i)) for i in range(_SESSIONS)]
    asked = [_after(rng, moments[-1]) for _ in threads]
    items = [
        Item(f"Current Date: {date},\n\n Now Answer the Question: {t.question}", (t.answer,))
        for t, date in zip(threads, asked, strict=True)
    ]
    return [
        row_content(
            "longmemeval_s*",
            _literal(moments, sessions),
            items,
            question_dates=asked,
            question_ids=[_question_id(rng, thread) for thread in threads],
            question_types=[thread.question_type for thread in threads],
            haystack_sessions=[
                [] if t.abstains else [sessions[i] for i in t.exchanges] for t in threads
            ],
        )
    ]


def _moments(rng: Random) -> list[datetime]:
    """Return when the sessions began, every few days and never twice on one day."""
    moments, day = [], _FIRST_DAY
    for _ in range(_SESSIONS):
        day += timedelta(days=rng.choice((1, 2, 3, 5)))
        moments.append(day + timedelta(minutes=rng.randrange(_MINUTES_A_DAY)))
    return moments


def _after(rng: Random, last: datetime) -> str:
    return time_stamp(last + timedelta(minutes=rng.randrange(_MINUTES_A_DAY, 30 * _MINUTES_A_DAY)))


def _question_id(rng: Random, thread: Thread) -> str:
    return f"{rng.getrandbits(32):08x}{'_abs' if thread.abstains else ''}"


def _session(rng: Random, evidence: Exchange | None) -> list[Turn]:
    """Return the turns of a session, with the evidence somewhere in its small talk."""
    exchanges = list(_small_talk(rng))
    if evidence:
        exchanges.insert(rng.randrange(len(exchanges) + 1), evidence)
    return [turn for exchange in exchanges for turn in _turns(exchange)]


def _small_talk(rng: Random) -> Iterator[Exchange]:
    asks, tips = rng.choice(list(TOPICS.values()))
    for ask in rng.sample(asks, rng.choice((2, 3))):
        yield Exchange(ask, " ".join(rng.sample(tips, 4)))


def _turns(exchange: Exchange) -> Iterator[Turn]:
    for role, content in (("user", exchange.user), ("assistant", exchange.assistant)):
        yield Turn(content=content, role=role, has_answer=exchange.gold_role == role)


def _literal(moments: Sequence[datetime], sessions: Sequence[list[Turn]]) -> str:
    """Return the context as on the hub: a list literal of times and lists of turns."""
    entries: list[object] = []
    for moment, session in zip(moments, sessions, strict=True):
        entries += [
            f"Chat Time: {time_stamp(moment)}",
            [
                {"role": turn.role, "content": turn.content, "has_answer": turn.has_answer}
                for turn in session
            ],
        ]
    return repr(entries)
