"""Random histories: Hypothesis draws numbers, which are read as operations that make sense.

Any numbers make a history, so that Hypothesis can leave out and lower whichever it likes when it
shrinks one: a text is named by its place among those that there are, and what means nothing at its
place is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any

from mabench.bench.versioned_facts import VersionedFacts
from mabench.errors import require
from mabench.stressing.operations import (
    TIMES,
    USERS,
    Abilities,
    Operation,
    Program,
)

_DEEP = 50  # Results asked for where not only as many as there are texts.
_BURSTS = (12, 60, 130)
_BEFORE = (24, 0, 60)  # Texts that are there before several clients begin.
_SWEPT = 15  # Texts at either end of a long history that are looked up when it is over.
_PIECES, _PIECE = 5, 8  # Of a history, since Hypothesis makes short lists.
_MOST_CHANGES = 40  # By several clients at a time.
_REPEATED = 4  # Searches that may be made again.
_DEEPEST = 1000  # Results asked for where others add texts at the same time.


# How often each is drawn; the first is what others are shrunk to.
_WEIGHTS = {
    "add": 6, "search": 5, "search-again": 4, "update": 4, "delete": 3, "add-again": 1, "list": 2,
    "delete-user": 1, "burst": 1, "reopen": 1, "ready": 3,
}  # fmt: skip
_IN_TROUBLE = ("add", "search", "update", "delete", "ready")


def _users(abilities: Abilities, least: int) -> Any:
    st = require("hypothesis.strategies", "stress")
    if not abilities.by_user:
        return st.just([None])
    return st.lists(st.sampled_from(USERS), unique=True, min_size=least, max_size=3)


def one_by_one(abilities: Abilities, begins: str | None = None, *ends: str) -> Any:
    """Return the strategy of histories of one client.

    With trouble from outside, which ``begins`` and ``ends`` so; a kill needs no end.
    """
    st = require("hypothesis.strategies", "stress")
    has = {*abilities.kinds, "burst", "search-again"}
    if has & {"delete", "delete-user"}:
        has.add("add-again")
    kinds = _IN_TROUBLE if begins else (*_WEIGHTS,)
    draw = st.tuples(
        st.sampled_from([kind for kind in kinds if kind in has for _ in range(_WEIGHTS[kind])]),
        st.integers(0, 2),  # Who does it,
        st.integers(0, 11),  # with which text,
        st.integers(0, 2 * len(TIMES)),  # and when.
        st.booleans(),  # Whether another user searches.
        st.booleans(),  # Whether no more is asked for than there is.
    )
    piece = st.lists(draw, min_size=1 if begins else 0, max_size=_PIECE)
    pieces = st.tuples(*[piece] * (1 if begins else _PIECES))

    def read(drawn: Any) -> Program:
        users, before, meanwhile, number = drawn
        composer = _Composer(abilities, users).read(chain(*before))
        if begins:
            composer.do(begins, version=number).read(meanwhile)
        if begins == "model-spoiled":  # Of several writes one may meet all that goes wrong.
            composer.read([("burst", 0, 0, 0, False, False)])
        for op in ends:
            composer.do(op)
        return composer.finish()

    number = st.integers(0, 999) if begins == "model-spoiled" else st.none()
    return st.tuples(_users(abilities, 1), pieces, piece if ends else st.just([]), number).map(read)


_Bulk = tuple[str, int, int, int, bool, int]  # As ``at_once`` says of its draws.


def at_once(abilities: Abilities) -> Any:
    """Return the strategy of histories in which several clients write and search at a time."""
    st = require("hypothesis.strategies", "stress")
    kinds = [op for op in ("add", "search", "update", "delete", "list") if op in abilities.kinds]
    bulk = st.tuples(
        st.sampled_from(["add", *kinds]),
        st.integers(0, 1),  # Who does it,
        st.sampled_from(_BURSTS),  # with how many texts,
        st.sampled_from((2, 4, 8, 1)),  # so many at a time.
        st.booleans(),  # Whether it is about the later texts.
        st.sampled_from((1, 6)),  # How often it is done, if it is a search.
    )

    def read(drawn: Any) -> Program:
        users, before, bulks, company = drawn
        composer = _Composer(abilities, users).read_together(before, [*bulks, *company])
        return composer.finish(everything=True)

    # Calls of every two kinds meet: of locks that two kinds take in another order, say.
    everything = [(kind, 0, _BURSTS[0], 4, False, 1) for kind in kinds]
    company = st.sampled_from([[], [("search", 0, _BURSTS[0], 2, False, 6)], everything])
    bulks = st.lists(bulk, min_size=1, max_size=4)
    return st.tuples(_users(abilities, 2), st.sampled_from(_BEFORE), bulks, company).map(read)


@dataclass(slots=True)
class _Text:
    fact: int
    user: str | None
    time: datetime
    version: int = 0
    live: bool = True


@dataclass(slots=True)
class _Composer:
    """Reads draws as operations, and knows which texts there are after those."""

    abilities: Abilities
    users: Sequence[str | None]
    operations: list[Operation] = field(default_factory=list)
    texts: list[_Text] = field(default_factory=list)  # By their facts, which are numbered.
    step: int = 0
    client: int = 0  # Who does something while others do; 0 where one does all.

    def read(self, draws: Iterable[tuple[str, int, int, int, bool, bool]]) -> _Composer:
        """Read what one client does."""
        for kind, who, which, when, aside, exact in draws:
            user, time = self.users[who % len(self.users)], TIMES[when % len(TIMES)]
            match kind:
                case "ready" | "reopen":
                    self.do(kind)
                case "list" | "delete-user":
                    self.do(kind, user=user)
                    gone = [each for each in self.texts if each.user == user]
                    for each in gone if kind == "delete-user" else ():
                        each.live = False
                case "add":
                    self._add(user, time)
                case "burst":
                    self._add(user, time, count=_BURSTS[which % len(_BURSTS)], clients=1)
                case "search":
                    if text := self._pick(which):
                        as_of = time if when >= len(TIMES) else None
                        self._search(text, user if aside else text.user, as_of, exact)
                case "search-again":
                    searches = [each for each in self.operations if each.op == "search"]
                    if recent := searches[-_REPEATED:]:
                        search = recent[-1 - which % len(recent)]
                        live = sum(text.live and text.user == search.user for text in self.texts)
                        whose, k = user if aside else search.user, max(live, search.k or 1)
                        self._put(replace(search, user=whose or search.user, k=k))
                case _:
                    if text := self._pick(which, live=kind != "add-again"):
                        self._change(kind, [text], time)
        return self

    def read_together(self, before: int, bulks: Sequence[_Bulk]) -> _Composer:
        """Read what several clients do in one step, over so many texts that were there before."""
        for user in self.users if before else ():
            self._add(user, TIMES[0], count=before // len(self.users), clients=1)
        self.step += 1
        old = [*self.texts]
        for kind, who, most, width, late, rounds in bulks:
            self.client += 1
            first = self.users[who % len(self.users)]
            if kind == "add":
                self._add(first, TIMES[0], count=most, clients=width)
                self.client += width - 1
                continue
            # All users search at a time; one changes something.
            for user in self.users if kind == "search" else [first]:
                own = [text for text in old if text.user == user]
                part = own[len(own) // 2 if late else 0 :][: min(most, _MOST_CHANGES)]
                if not part:
                    continue
                what: dict[str, Any] = {"count": len(part), "clients": min(width, len(part))}
                if kind in ("update", "delete"):
                    self._change(kind, part, TIMES[0], **what)
                else:
                    search = kind == "search"
                    what |= {"user": user, "fact": part[0].fact, "k": _DEEPEST if search else None}
                    for _ in range(rounds if search else 1):
                        self.do(kind, **what)
                self.client += width
        self.client = 0
        return self

    def do(self, op: Any, **what: Any) -> _Composer:
        """Put in an operation that there is: in a step of its own, or beside other clients'."""
        return self._put(Operation(op=op, **what))

    def _put(self, *operations: Operation) -> _Composer:
        for each in filter(None, map(self.abilities.fit, operations)):
            self.step += not self.client
            self.operations.append(replace(each, step=self.step, client=max(self.client, 1)))
        return self

    def finish(self, everything: bool = False) -> Program:
        """Return the operations, and after them a look at all that there is, or at much of it."""
        own = len(self.operations)
        ends = () if everything else (*self.texts[:_SWEPT], *self.texts[-_SWEPT:])
        swept = {text.fact: text for text in ends or self.texts}
        self.do("ready")
        for text in swept.values():
            self._search(text, text.user, None, exact=False)
            if text.version or not text.live:  # An index may still know what no longer holds.
                self._put(replace(self.operations[-1], version=max(0, text.version - text.live)))
            if "search" in self.abilities.timed and len(self.texts) < _SWEPT:
                for time in dict.fromkeys((text.time, TIMES[-1])):
                    self._search(text, text.user, time, exact=False)
        for user in self.users:
            self.do("list", user=user)
        looks = [each for each in self.operations[own:] if each.reads]
        some = [*looks[:2], *looks[-2:]]
        self._put(*some)
        killed = any(each.op == "kill" for each in self.operations)
        if "reopen" in self.abilities.kinds and not killed:
            self.do("reopen")._put(*some)
        for look in some[:2]:
            others = [user for user in self.users if user != look.user]
            self._put(*(replace(look, user=user) for user in others if look.op == "search"))
        for kind in ("update", "delete"):
            changed = [text for text in swept.values() if text.live][-1:]
            if changed and kind in self.abilities.kinds and not killed:
                self._change(kind, changed, TIMES[0])
                again = [each for each in looks if each.fact in (None, changed[0].fact)]
                self.do("ready")._put(*again[:4])
        return Program(self.operations, own)

    def _pick(self, which: int, live: bool | None = None) -> _Text | None:
        texts = [text for text in self.texts if live in (None, text.live)]
        return texts[which % len(texts)] if texts else None

    def _add(self, user: str | None, time: datetime, **what: int) -> None:
        fact = len(self.texts)
        self.texts += [_Text(fact + n, user, time) for n in range(what.get("count", 1))]
        self.do("add", user=user, fact=fact, version=0, time=time, **what)

    def _search(
        self, text: _Text, user: str | None, time: datetime | None, exact: bool = True
    ) -> None:
        live = sum(each.live and each.user == user for each in self.texts)
        few = exact and self.abilities.records == 1
        k = max(1, live) if few else max(_DEEP, 2 * len(self.texts))
        self.do("search", user=user, fact=text.fact, time=time, k=k)

    def _change(self, kind: str, texts: Sequence[_Text], time: datetime, **what: Any) -> None:
        first = texts[0]
        what |= {"user": first.user, "fact": first.fact}
        if kind == "update":
            version = 1 + max(text.version for text in texts)
            if version >= VersionedFacts.VERSIONS:
                return
            for text in texts:
                text.version = version
                if "update" in self.abilities.timed:
                    text.time = max(text.time, time)
        for text in texts if kind != "update" else ():
            text.live = kind == "add-again"
        if kind != "delete":
            what |= {"version": first.version, "time": first.time}
        self.do("add" if kind == "add-again" else kind, **what)
