"""Reads the store of a memory: its list, and whether that is all of it.

A list that is visibly cut never says that something is not there.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import NamedTuple

from mabench.contract.answers import Listing
from mabench.data.evidence import Evidence
from mabench.results import Holding
from mabench.runs.conversation import Conversation
from mabench.runs.stages.records import StoreContent, Support
from mabench.tasks.threads import in_thread

# Lengths that lists have by default: one of exactly such a length may be the first page of more.
_PAGE_LENGTHS = (10, 20, 25, 30, 50, 100, 200, 250, 500, 1000)


class StoreReading(NamedTuple):
    """What a store held at one moment, as far as its list tells."""

    content: StoreContent
    records: int  # How many were listed.
    is_cut: bool  # Whether the list is visibly not all.

    def holding(self, support: Support) -> Holding | None:
        """Return whether the store holds what supports a question; None if it may lie beyond."""
        return self._sure(self.content.holding(support))

    def holding_of(self, statement: str, support: Support) -> Holding | None:
        """Return the same of one statement, or of mentions if it is empty."""
        if not statement:
            return self.holding(support)
        return self._sure(self.content.holding_of(statement, support))

    def _sure(self, held: Holding) -> Holding | None:
        """Return what was found, unless a part of the list that was cut off may say more."""
        if self.is_cut and held != "whole":
            return None
        return held


class StoreReader:
    """Lists the store of an agent; raises what the agent raises."""

    def __init__(self, agent: Conversation, evidence: Evidence) -> None:
        self._agent, self._evidence = agent, evidence

    def user_of(self, user: str | None) -> str | None:
        """Return the user whose store is listed for a question of ``user``; None for all users."""
        return user if "user" in self._agent.takes.fields.get("list", ()) else None

    async def read(self, user: str | None, told: int) -> StoreReading:
        """Return what the store holds of a user, after it was told this many texts."""
        listing = await self._agent.list_records(user)
        count = None
        if user is None:  # Else the count may be that of all users.
            with suppress(Exception):  # Without a count, less is known.
                count = (await self._agent.stats()).memories
        content = await in_thread(partial(StoreContent, self._evidence, listing.texts))
        return StoreReading(content, len(listing.texts), _is_cut(listing, count, told))


def _is_cut(listing: Listing, count: int | None, told: int) -> bool:
    """Return whether a list is visibly not all that is held.

    ``count`` is how many memories there are by the agent's ``stats``; where that is None, a list of
    a common length that is shorter than what was ``told`` counts as cut.
    """
    listed = len(listing.texts)
    if listing.is_cut:
        return True
    if count is not None:
        return listed < count
    return listed in _PAGE_LENGTHS and listed < told
