"""Makes rows of LongMemEval: half a year of chats of one user with an assistant.

``haystack_sessions`` has, for each question, the sessions that its answer needs, with
``has_answer`` on the gold turns. It is empty for a question that cannot be answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, islice
from random import Random

from mabench.data.schema import RowContent, Turn
from mabench.text.names import NameInventor
from mabench_synthetic.families.longmemeval.threads import (
    DEEDS,
    DETAILS,
    REPLIES,
    TOTALS,
    UPDATES,
    Diary,
    Exchange,
    Thread,
    make_threads,
    mix_of,
    today,
)
from mabench_synthetic.generator import (
    Generator,
    Knob,
    QAPair,
    RowSpec,
    id_stem_of,
    random_stream,
    row_content,
)
from mabench_synthetic.language import (
    phrases,
    rate_of,
    sentence,
    table,
    time_stamp,
    tokens_of,
    with_article,
)

_KNOBS = (
    Knob("abstention", 0.08, 0.0, 0.3, "share of the questions that cannot be answered"),
    Knob("distance", 1.0, 0.01, 1.0, "longest distance from an old value to its update, a share"),
    Knob("lookalikes", 0.25, 0.0, 1.0, "share of the sessions in which others do similar things"),
)
_SESSION_TOKENS = 900
# At most this share of the sessions holds evidence.
_EVIDENCE = 0.75
_EXCHANGE_TOKENS = 170
_TURN_TOKENS = 15.0
_TIME_TOKENS = 20.0
# The share of lookalikes that say something else than the user says.
_OTHERWISE = 0.4
_FIRST_DAY = datetime(2022, 11, 1)
_MINUTES_A_DAY = 24 * 60
# What is said of somebody else and sounds like evidence.
_LOOKALIKES = phrases("chats", "lookalikes")
# How somebody else's words are passed on, who says of themselves what the user may say, too.
_QUOTED = phrases("chats", "quoted")
# By topic: what the user asks, which ends with a question mark, and pieces of advice.
_TOPICS = table("chats", "topics")
# Small talk, requests and advice, of parts that vary independently: it rarely repeats itself.
_OPENINGS = phrases("chats", "openings")
_CIRCUMSTANCES = phrases("chats", "circumstances")
_GREETINGS = phrases("chats", "greetings")
_LEADS = phrases("chats", "leads")
_REASONS = phrases("chats", "reasons")
_FEWEST, _MOST = 4, 7
_SPAN_DAYS = 250


def _make_row(spec: RowSpec) -> RowContent:
    """Make a row with questions that are asked in the weeks after the last session.

    Raises:
        UsageError: when there is not enough to ask about.
    """
    rng = random_stream(spec.seed, "longmemeval", spec.row)
    mix = mix_of(spec.questions, spec.knobs["abstention"])
    for_evidence, for_length = mix.sessions / _EVIDENCE, spec.tokens / _SESSION_TOKENS
    moments = _moments(rng, max(round(for_evidence), round(for_length), 1))
    threads = make_threads(Diary(rng, moments, spec.knobs["distance"]), mix)
    evidence: dict[int, Exchange] = {}  # By session; no two threads share one.
    for thread in threads:
        evidence |= thread.exchanges
    sessions = _sessions(rng, spec, evidence, len(moments))
    dates = [_date_after(rng, moments[-1]) for _ in threads]
    pairs = [
        QAPair(dated_question(date, thread.question), (thread.answer,))
        for thread, date in zip(threads, dates, strict=True)
    ]
    return row_content(
        spec.source,
        context_literal(moments, sessions),
        pairs,
        id_stem=id_stem_of(spec),
        question_dates=dates,
        question_ids=[_question_id(rng, thread) for thread in threads],
        question_types=[thread.question_type for thread in threads],
        haystack_sessions=[
            [] if thread.abstains else [sessions[i] for i in thread.exchanges] for thread in threads
        ],
    )


def dated_question(date: str, question: str) -> str:
    """Return a question as on the hub, with the day on which it is asked."""
    return f"Current Date: {date},\n\n Now Answer the Question: {question}"


def _moments(rng: Random, sessions: int) -> list[datetime]:
    """Return the times of the sessions, at uneven intervals over most of a year."""
    gaps = [rng.uniform(0.2, 1.8) * _SPAN_DAYS * _MINUTES_A_DAY / sessions for _ in range(sessions)]
    return [_FIRST_DAY + timedelta(minutes=int(passed)) for passed in accumulate(gaps)]


def _date_after(rng: Random, last: datetime) -> str:
    """Return the time of a question: one to thirty days after the last session."""
    return time_stamp(last + timedelta(minutes=rng.randrange(_MINUTES_A_DAY, 30 * _MINUTES_A_DAY)))


def _question_id(rng: Random, thread: Thread) -> str:
    """Return a random id, which ends in ``_abs`` if the question cannot be answered."""
    return f"{rng.getrandbits(32):08x}{'_abs' if thread.abstains else ''}"


def _sessions(
    rng: Random, spec: RowSpec, evidence: Mapping[int, Exchange], count: int
) -> list[list[Turn]]:
    """Return the turns of all sessions, with the total length of the spec."""
    names = NameInventor(random_stream(spec.seed, "longmemeval", spec.row, "others"))
    sessions: list[list[Turn]] = []
    left = spec.tokens / rate_of("chats")
    for i in range(count):
        left -= _TIME_TOKENS
        exchanges = [evidence[i]] if i in evidence else []
        if rng.random() < spec.knobs["lookalikes"]:
            exchanges.append(_lookalike(rng, names))
        spare = left / (count - i) - sum(map(_tokens, exchanges))
        exchanges += islice(_small_talk(rng), max(1, round(spare / _EXCHANGE_TOKENS)))
        rng.shuffle(exchanges)
        left -= sum(map(_tokens, exchanges))
        sessions.append([turn for exchange in exchanges for turn in _turns(exchange)])
    return sessions


def _small_talk(rng: Random) -> Iterator[Exchange]:
    """Yield requests and advice, each pair on one topic, without end."""
    texts = rng.choice(list(_TOPICS.values()))
    asks = [text for text in texts if text.endswith("?")]
    tips = [text for text in texts if not text.endswith("?")]
    while True:
        request = _request(rng, rng.choice(asks))
        chosen = rng.sample(tips, rng.randint(_FEWEST, _MOST))
        advice = _joined(rng.choice(_GREETINGS), *(_tip(rng, tip) for tip in chosen))
        yield Exchange(request, advice)


def _request(rng: Random, ask: str) -> str:
    """Return a request of the user, perhaps behind an opening and with a circumstance."""
    opening = rng.choice(_OPENINGS)
    if opening.endswith((",", "but")) and not ask.startswith("I "):
        ask = ask[0].lower() + ask[1:]
    return _joined(opening, ask, rng.choice(_CIRCUMSTANCES))


def _tip(rng: Random, tip: str) -> str:
    """Return a piece of advice, perhaps behind a lead and with a reason."""
    lead = rng.choice(_LEADS)
    if lead:
        tip = tip[0].lower() + tip[1:]
    return sentence(_joined(lead, tip, rng.choice(_REASONS)))


def _joined(*parts: str) -> str:
    """Join the parts that are not empty."""
    return " ".join(filter(None, parts))


def _tokens(exchange: Exchange) -> float:
    """Estimate the tokens of an exchange, with what surrounds its two turns."""
    return tokens_of(exchange.user) + tokens_of(exchange.assistant) + 2 * _TURN_TOKENS


def _lookalike(rng: Random, names: NameInventor) -> Exchange:
    """Return an exchange about somebody else, which looks like evidence but is none."""
    detail = rng.choice(DETAILS)
    wordings = _LOOKALIKES if rng.random() < _OTHERWISE else _QUOTED
    message = rng.choice(wordings).format(
        name=names.word(),
        other=names.word(),
        city=names.word(),
        number=rng.randrange(20, 900),
        an_item=with_article(rng.choice(rng.choice(detail.items))),
        said=_said_by_others(rng),
    )
    return Exchange(message, rng.choice(REPLIES))


def _said_by_others(rng: Random) -> str:
    """Return statements of others about deeds, amounts and values that users also make."""
    statements = [statement for statement, *_ in (*TOTALS, *UPDATES)]
    statement = rng.choice([*statements, today(rng.choice(DEEDS))])
    return statement.format(number=rng.randrange(2, 90))


def _turns(exchange: Exchange) -> Iterator[Turn]:
    """Yield the two turns of an exchange, the gold one marked."""
    for role, content in (("user", exchange.user), ("assistant", exchange.assistant)):
        yield Turn(content=content, role=role, has_answer=exchange.gold_role == role)


def context_literal(moments: Sequence[datetime], sessions: Sequence[list[Turn]]) -> str:
    """Return the context as on the hub: a list literal of times and lists of turns."""
    entries: list[object] = []
    for moment, session in zip(moments, sessions, strict=True):
        entries += [
            f"Chat Time: {time_stamp(moment)}",
            [{name: t.get(name) for name in ("role", "content", "has_answer")} for t in session],
        ]
    return repr(entries)


GENERATOR = Generator(family="longmemeval", make_row=_make_row, knobs=_KNOBS)
