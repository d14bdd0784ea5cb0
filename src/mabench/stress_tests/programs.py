"""Random histories: Hypothesis draws numbers, which are read as operations that make sense.

Any numbers make a history, so that Hypothesis can leave out and lower whichever it likes when it
shrinks one: a text is named by its place among those that there are, and what means nothing at its
place is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from mabench.errors import require
from mabench.stress_tests.operations import READS, TIMES, USERS, VERSIONS, Operation

_DEEP = 50  # Results asked for where not only as many as there are texts.
_BURSTS = (12, 60, 130)
_BEFORE = (24, 0, 60)  # Texts that are there before several clients begin.
_SWEPT = 15  # Texts at either end of a long history that are looked up when it is over.
_PIECES, _PIECE = 5, 8  # Of a history, since Hypothesis makes short lists.
_MOST_CHANGES = 40  # By several clients at a time.
_REPEATED = 4  # Searches that may be made again.
_DEEPEST = 1000  # Results asked for where others add texts at the same time.


@dataclass(frozen=True, slots=True)
class Abilities:
    """What can be done with a memory, by what it declares and by what it did when tried.

    Attributes:
        kinds: the operations that it has.
        timed: those of ``add``, ``update`` and ``search`` that take a time.
        by_user: whether what is stored and searched has a user.
        exact: whether one text stored is one result, so that no more need be asked for.
        has_ready: whether it says when all can be found.
    """

    kinds: frozenset[str]
    timed: frozenset[str] = frozenset()
    by_user: bool = False
    exact: bool = True
    has_ready: bool = False


class Program(NamedTuple):
    """A history to be carried out.

    Attributes:
        operations: what is done; what is of one step, at the same time.
        own: how many of them are its own; the rest looks at all that there is then.
    """

    operations: Sequence[Operation]
    own: int


class Draws(NamedTuple):
    """Numbers that become an operation."""

    kind: str
    who: int
    which: int
    when: int
    aside: bool  # Whether another user searches.
    exact: bool  # Whether no more is asked for than there is.


# How often each is drawn; the first is what others are shrunk to.
_WEIGHTS = {
    "add": 6, "search": 5, "search-again": 4, "update": 4, "delete": 3, "add-again": 1, "list": 2,
    "delete-user": 1, "burst": 1, "reopen": 1, "ready": 3,
}  # fmt: skip


def draws_of(abilities: Abilities, kinds: Sequence[str] = (*_WEIGHTS,)) -> Any:
    """Return the strategy of one operation among some kinds, as far as a memory has them."""
    st = require("hypothesis.strategies", "stress")
    has = {*abilities.kinds, "burst", "search-again"}
    if has & {"delete", "delete-user"}:
        has.add("add-again")
    weighted = [kind for kind in kinds if kind in has for _ in range(_WEIGHTS[kind])]
    return st.builds(
        Draws,
        st.sampled_from(weighted),
        st.integers(0, 2),
        st.integers(0, 11),
        st.integers(0, 2 * len(TIMES)),
        st.booleans(),
        st.booleans(),
    )


def _lists(strategy: Any, pieces: int = _PIECES, least: int = 0) -> Any:
    st = require("hypothesis.strategies", "stress")
    piece = st.lists(strategy, min_size=least, max_size=_PIECE)
    return st.tuples(*[piece] * pieces).map(lambda several: [*chain(*several)])


def _users(abilities: Abilities, least: int = 1) -> Any:
    st = require("hypothesis.strategies", "stress")
    if not abilities.by_user:
        return st.just([None])
    return st.lists(st.sampled_from(USERS), unique=True, min_size=least, max_size=3)


def one_by_one(abilities: Abilities) -> Any:
    """Return the strategy of histories of one client."""
    st = require("hypothesis.strategies", "stress")

    def read(drawn: tuple[list[str | None], list[Draws]]) -> Program:
        return _Composer(abilities, drawn[0]).read(drawn[1]).finish()

    return st.tuples(_users(abilities), _lists(draws_of(abilities))).map(read)


class Bulk(NamedTuple):
    """Numbers that become many operations of a kind, so many at a time."""

    kind: str
    who: int
    texts: int
    width: int
    late: bool  # Whether it is about the later texts.
    rounds: int  # How often it is done, if it is a search.


def at_once(abilities: Abilities) -> Any:
    """Return the strategy of histories in which several clients write and search at a time."""
    st = require("hypothesis.strategies", "stress")
    kinds = [
        each for each in ("add", "search", "update", "delete", "list") if each in abilities.kinds
    ]
    bulk = st.builds(
        Bulk,
        st.sampled_from([kind for kind in ("add", *kinds) if kind in abilities.kinds]),
        st.integers(0, 1),
        st.sampled_from(_BURSTS),
        st.sampled_from((2, 4, 8, 1)),
        st.booleans(),
        st.sampled_from((1, 6)),
    )

    def read(drawn: Any) -> Program:
        users, before, bulks, company = drawn
        composer = _Composer(abilities, users).read_together(before, [*bulks, *company])
        return composer.finish(everything=True)

    watch = Bulk("search", 0, _BURSTS[0], 2, late=False, rounds=6)
    # Calls of every two kinds meet: of locks that two kinds take in another order, say.
    everything = [Bulk(kind, 0, _BURSTS[0], 4, late=False, rounds=1) for kind in kinds]
    company = st.sampled_from([[], [watch], everything])
    bulks = st.lists(bulk, min_size=1, max_size=4)
    return st.tuples(_users(abilities, 2), st.sampled_from(_BEFORE), bulks, company).map(read)


def until_killed(abilities: Abilities) -> Any:
    """Return the strategy of histories that end with a kill and a reopening."""
    st = require("hypothesis.strategies", "stress")
    kinds = ("add", "search", "update", "delete", "ready")

    def read(drawn: tuple[list[str | None], list[Draws]]) -> Program:
        return _Composer(abilities, drawn[0]).read(drawn[1]).put("kill").finish()

    return st.tuples(_users(abilities), _lists(draws_of(abilities, kinds), 1, 1)).map(read)


def in_trouble(abilities: Abilities, begins: str, ends: str, reopens: bool) -> Any:
    """Return the strategy of histories with a fault from outside for a while."""
    st = require("hypothesis.strategies", "stress")
    kinds = ("add", "update", "delete", "search")

    def read(drawn: tuple[list[str | None], list[Draws], list[Draws]]) -> Program:
        users, before, after = drawn
        reading = _Composer(abilities, users).read(before).put(begins).read(after).put(ends)
        return (reading.put("reopen") if reopens else reading).finish()

    draws = _lists(draws_of(abilities, kinds), 1, 1)
    return st.tuples(_users(abilities), draws, draws).map(read)


@dataclass(slots=True)
class _Text:
    fact: int
    user: str | None
    time: datetime | None
    version: int = 0
    live: bool = True


class _Composer:
    """Reads draws as operations, and knows which texts there are after those."""

    def __init__(self, abilities: Abilities, users: Sequence[str | None]) -> None:
        self.abilities, self.users = abilities, users
        self.operations: list[Operation] = []
        self._texts: list[_Text] = []
        self._facts = self._step = 0
        self._client = 0  # The one before, where several do something.

    def read(self, draws: Sequence[Draws]) -> _Composer:
        """Read what one client does, a step each."""
        for draw in draws:
            self._step += 1
            self._read(draw)
        return self

    def read_together(self, before: int, bulks: Sequence[Bulk]) -> _Composer:
        """Read what several clients do in one step, over so many texts that were there before."""
        for user in self.users if before else ():
            self._step += 1
            self._burst(user, TIMES[0], before // len(self.users), 1)
        self._step += 1
        old = [*self._texts]
        for bulk in bulks:
            self._client += 1
            first = bulk.who % len(self.users)
            if bulk.kind == "add":
                self._burst(self.users[first], TIMES[0], bulk.texts, bulk.width)
                self._client += bulk.width - 1
            # All users search at a time; one changes something.
            for user in self.users if bulk.kind == "search" else [self.users[first]]:
                own = [text for text in old if text.user == user]
                part = own[len(own) // 2 :] if bulk.late else own
                if part and bulk.kind != "add":
                    self._change_all(bulk, part[: min(bulk.texts, _MOST_CHANGES)])
                    self._client += bulk.width
        self._client = 0
        return self

    def _change_all(self, bulk: Bulk, texts: Sequence[_Text]) -> None:
        what: dict[str, Any] = {"count": len(texts), "clients": min(bulk.width, len(texts))}
        user, first = texts[0].user, texts[0].fact
        if bulk.kind == "update":
            version = 1 + max(text.version for text in texts)
            for text in texts:
                text.version = version
            time = texts[0].time if "update" in self.abilities.timed else None
            self._do("update", user=user, fact=first, version=version, time=time, **what)
        elif bulk.kind == "search":
            for _ in range(bulk.rounds):
                self._do("search", user=user, fact=first, k=_DEEPEST, **what)
        else:
            for text in texts:
                text.live = text.live and bulk.kind != "delete"
            self._do(bulk.kind, user=user, fact=first, **what)

    def put(self, op: str) -> _Composer:
        """Put in an operation that is about no text."""
        return self._do(op, new_step=True)

    def finish(self, everything: bool = False) -> Program:
        """Return the operations, and after them a look at all that there is, or at much of it."""
        own = len(self.operations)
        ends = () if everything else (*self._texts[:_SWEPT], *self._texts[-_SWEPT:])
        swept = {text.fact: text for text in ends or self._texts}
        if self.abilities.has_ready:
            self._do("ready", new_step=True)
        for text in swept.values():
            self._step += 1
            self._search(text, text.user, None, exact=False)
            if "search" in self.abilities.timed and len(self._texts) < _SWEPT:
                for time in dict.fromkeys((text.time, TIMES[-1])):
                    self._step += 1
                    self._search(text, text.user, time, exact=False)
        if "list" in self.abilities.kinds:
            for user in self.users:
                self._do("list", new_step=True, user=user)
        looks = [each for each in self.operations[own:] if each.op in READS]
        some = [*looks[:2], *looks[-2:]]
        killed = any(each.op == "kill" for each in self.operations)
        for reopens in (False, True)[: 1 + ("reopen" in self.abilities.kinds and not killed)]:
            if reopens:
                self._do("reopen", new_step=True)
            self._look(some)
        for look in some[:2]:
            others = [user for user in self.users if user != look.user]
            self._look([replace(look, user=user) for user in others if look.op == "search"])
        for kind in ("update", "delete"):
            changed = [text for text in swept.values() if text.live][-1:]
            if changed and kind in self.abilities.kinds and not killed:
                self._step += 1
                self._change(kind, changed[0], TIMES[0])
                own_looks = [each for each in looks if each.fact in (None, changed[0].fact)]
                self._look(own_looks[:4], ready=True)
        return Program(self.operations, own)

    def _look(self, looks: Sequence[Operation], ready: bool = False) -> None:
        """Search or list as before, once all is ready."""
        if ready and self.abilities.has_ready:
            self._do("ready", new_step=True)
        for look in looks:
            self._step += 1
            self.operations.append(replace(look, step=self._step))

    def _do(self, op: str, new_step: bool = False, **what: Any) -> _Composer:
        self._step += new_step
        done = Operation(op=op, step=self._step, client=max(self._client, 1), **what)
        self.operations.append(done)
        return self

    def _read(self, draw: Draws) -> None:
        user = self.users[draw.who % len(self.users)]
        time = TIMES[draw.when % len(TIMES)]
        if draw.kind in ("list", "delete-user"):
            self._do(draw.kind, user=user)
            for each in self._texts:
                each.live = each.live and (draw.kind == "list" or each.user != user)
        elif draw.kind in ("ready", "reopen"):
            self._do(draw.kind)
        elif draw.kind == "add":
            self._add(user, time)
        elif draw.kind == "burst":
            self._burst(user, time, _BURSTS[draw.which % len(_BURSTS)], 1)
        elif draw.kind == "search":
            if text := self._pick(draw.which):
                as_of = time if draw.when >= len(TIMES) else None
                self._search(text, user if draw.aside else text.user, as_of, draw.exact)
        elif draw.kind == "search-again":
            self._repeat(draw.which, user if draw.aside else None)
        elif text := self._pick(draw.which, live=draw.kind != "add-again"):
            self._change(draw.kind, text, time)

    def _repeat(self, which: int, user: str | None) -> None:
        """Search as before: one of the last times, but for another user where one is given."""
        searches = [each for each in self.operations if each.op == "search"][-_REPEATED:]
        if searches:
            search = searches[-1 - which % len(searches)]
            own = sum(text.live and text.user == search.user for text in self._texts)
            again = replace(search, step=self._step, user=user or search.user)
            self.operations.append(replace(again, k=max(own, search.k or 1)))

    def _pick(self, which: int, live: bool | None = None) -> _Text | None:
        texts = [text for text in self._texts if live in (None, text.live)]
        return texts[which % len(texts)] if texts else None

    def _add(self, user: str | None, time: datetime) -> None:
        known = time if "add" in self.abilities.timed else None
        self._texts.append(_Text(self._facts, user, known))
        self._do("add", user=user, fact=self._facts, version=0, time=known)
        self._facts += 1

    def _burst(self, user: str | None, time: datetime, count: int, width: int) -> None:
        known = time if "add" in self.abilities.timed else None
        facts = range(self._facts, self._facts + count)
        self._texts += [_Text(fact, user, known) for fact in facts]
        what: dict[str, Any] = {"count": count, "clients": width, "time": known}
        self._do("add", user=user, fact=facts[0], version=0, **what)
        self._facts += count

    def _change(self, kind: str, text: _Text, time: datetime) -> None:
        if kind == "delete":
            text.live = False
            self._do("delete", user=text.user, fact=text.fact)
            return
        if kind == "update":
            if text.version + 1 >= VERSIONS:
                return
            text.version += 1
            if text.time is not None and "update" in self.abilities.timed:
                text.time = max(text.time, time)
        text.live = True
        known = text.time if kind == "add-again" or "update" in self.abilities.timed else None
        op = "add" if kind == "add-again" else "update"
        self._do(op, user=text.user, fact=text.fact, version=text.version, time=known)

    def _search(
        self, text: _Text, user: str | None, time: datetime | None, exact: bool = True
    ) -> None:
        own = [each for each in self._texts if each.user == user]
        live = sum(each.live for each in own)
        k = max(1, live) if exact and self.abilities.exact else max(_DEEP, 2 * len(self._texts))
        as_of = time if "search" in self.abilities.timed else None
        self._do("search", user=user, fact=text.fact, time=as_of, k=k)
