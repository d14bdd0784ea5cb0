"""Strategies by which Hypothesis draws histories: of one client, or of several at a time.

What is drawn decides all: another order or number of draws gives every seed another history.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from mabench.errors import require
from mabench.stressing.abilities import Abilities
from mabench.stressing.histories.composer import BURSTS, Composer
from mabench.stressing.histories.history import History
from mabench.stressing.operations import TIMES, USERS

# A history is drawn in pieces, since Hypothesis makes short lists.
_PIECES, _LONGEST_PIECE = 5, 8
_TEXTS_BEFORE = (24, 0, 60)  # Texts that are there before several clients begin.
_MOST_USERS = 3
_MODEL_FAULT_SEEDS = 999

# How often each is drawn; the first is what others are shrunk to.
_WEIGHTS = {
    "add": 6, "search": 5, "search-again": 4, "update": 4, "delete": 3, "add-again": 1, "list": 2,
    "delete-user": 1, "burst": 1, "reopen": 1, "ready": 3, "maintain": 2, "repeat": 1, "copy": 1,
    "replace": 1, "correct": 1, "retract": 1, "bound": 1, "record": 1, "secret": 1,
    "instruction": 1, "paraphrase": 2,
}  # fmt: skip
_DURING_FAULTS = ("add", "search", "update", "delete", "ready")
_CONCURRENT = ("add", "search", "update", "delete", "list")


class Disturbance(NamedTuple):
    """What happens from outside in the middle of a history, by its operations."""

    begin: str
    ends: Sequence[str] = ()  # In order; none if it is over at once.


def one_client(abilities: Abilities, disturbance: Disturbance | None = None) -> Any:
    """Return the strategy of histories of one client."""
    st = require("hypothesis.strategies", "stress")
    has = {*abilities.kinds, "burst", "search-again", "repeat"}
    if abilities.by_user:
        has.add("copy")
    if has & {"delete", "delete-user"}:
        has.add("add-again")
    kinds = _DURING_FAULTS if disturbance else (*_WEIGHTS,)
    draw = st.tuples(  # The fields of `Draw`.
        st.sampled_from([kind for kind in kinds if kind in has for _ in range(_WEIGHTS[kind])]),
        st.integers(0, _MOST_USERS - 1),
        st.integers(0, 11),
        st.integers(0, 2 * len(TIMES)),
        st.booleans(),
        st.booleans(),
    )
    piece = st.lists(draw, min_size=1 if disturbance else 0, max_size=_LONGEST_PIECE)
    pieces = st.tuples(*[piece] * (1 if disturbance else _PIECES))
    during = piece if disturbance and disturbance.ends else st.just([])
    spoils_models = disturbance is not None and disturbance.begin == "model-spoiled"
    fault_seed = st.integers(0, _MODEL_FAULT_SEEDS) if spoils_models else st.none()

    def compose(drawn: Any) -> History:
        users, before, meanwhile, seed = drawn
        composer = Composer(abilities, users).compose(chain(*before))
        if disturbance:
            composer.append(disturbance.begin, version=seed).compose(meanwhile)
            if spoils_models:  # Of several writes one may meet all that goes wrong.
                composer.compose([("burst", 0, 0, 0, False, False)])
            for op in disturbance.ends:
                composer.append(op)
        return composer.finish()

    return st.tuples(_users(abilities, 1), pieces, during, fault_seed).map(compose)


def several_clients(abilities: Abilities) -> Any:
    """Return the strategy of histories in which several clients write and search at a time."""
    st = require("hypothesis.strategies", "stress")
    kinds = [op for op in _CONCURRENT if op in abilities.kinds]
    bulk = st.tuples(  # The fields of `BulkDraw`.
        st.sampled_from(["add", *kinds]),
        st.integers(0, 1),
        st.sampled_from(BURSTS),
        st.sampled_from((2, 4, 8, 1)),
        st.booleans(),
        st.sampled_from((1, 6)),
    )

    def compose(drawn: Any) -> History:
        users, before, bulks, company = drawn
        composer = Composer(abilities, users).compose_concurrent(before, [*bulks, *company])
        return composer.finish(look_at_all=True)

    # Calls of every two kinds meet: of locks that two kinds take in another order, say.
    every_kind = [(kind, 0, BURSTS[0], 4, False, 1) for kind in kinds]
    searches = [("search", 0, BURSTS[0], 2, False, 6)]
    company = st.sampled_from([[], searches, every_kind])
    bulks = st.lists(bulk, min_size=1, max_size=4)
    drawn = st.tuples(_users(abilities, 2), st.sampled_from(_TEXTS_BEFORE), bulks, company)
    return drawn.map(compose)


def _users(abilities: Abilities, least: int) -> Any:
    """Return the strategy of the users of a history, at least ``least``; None without users."""
    st = require("hypothesis.strategies", "stress")
    if not abilities.by_user:
        return st.just([None])
    return st.lists(st.sampled_from(USERS), unique=True, min_size=least, max_size=_MOST_USERS)
