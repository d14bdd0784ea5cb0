"""Memories with one fault in one stage each, and the stage; ``RIGHT`` have none."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from mabench.contract import Answer, Passage, Query
from tests.runs.stages.histories import Careful, Fact, Notes

# Never written.


class OnlyLongTexts(Notes):
    def add(self, text: str) -> object:
        return super().add(text) if len(text) % 3 else None


class FirstSession(Notes):
    def add(self, text: str) -> object:
        return super().add(text) if len(self.records) < 23 else None


class EveryFourth(Notes):
    told = 0

    def add(self, text: str) -> object:
        self.told += 1
        return super().add(text) if self.told % 4 == 0 else None


class SkipsCapitals(Notes):
    def add(self, text: str) -> object:
        fact = Fact.find(text)
        return super().add(text) if fact and fact.person < "L" else None


class OneRelation(Notes):
    def add(self, text: str) -> object:
        return super().add(text) if "door code" in text else None


class SaysItNoted(Notes):
    def add(self, text: str) -> object:
        return super().add(text if len(text) % 2 else "A text was noted.")


# Changed.


class DropsDigits(Notes):
    def add(self, text: str) -> object:
        return super().add(re.sub(r" \d+", "", text))


class RoundsNumbers(Notes):
    def add(self, text: str) -> object:
        return super().add(re.sub(r"(\d+)\d\d\b", r"\g<1>00", text))


class ForgetsNames(Notes):
    def add(self, text: str) -> object:
        return super().add(Fact.rewrite(text, person="Somebody"))


class MergesSubjects(Notes):
    before = "Nobody"

    def add(self, text: str) -> object:
        fact, before = Fact.find(text), self.before
        self.before = fact.person if fact else before
        return super().add(Fact.rewrite(text, person=before))


class GivesOthersValues(Notes):
    before = "Rome 100"

    def add(self, text: str) -> object:
        fact, before = Fact.find(text), self.before
        self.before = fact.value if fact else before
        return super().add(Fact.rewrite(text, value=before))


class HidesValues(Notes):
    def add(self, text: str) -> object:
        return super().add(Fact.rewrite(text, value="known"))


# Lost later.


class KeepsTheLatest(Notes):
    def add(self, text: str) -> object:
        del self.records[:-11]
        return super().add(text)


class ForgetsAtNight(Notes):
    told = 0

    def add(self, text: str) -> object:
        self.told += 1
        if self.told % 24 == 0:
            self.records.clear()
        return super().add(text)


class OnePerRelation(Notes):
    """Deletes on update: whatever else has the relation is taken for its old value."""

    def add(self, text: str) -> object:
        fact = Fact.find(text)
        self.records = [one for one in self.records if not fact or fact.relation not in one]
        return super().add(text)


class ConsolidatesToLongest(Notes):
    told = 0

    def add(self, text: str) -> object:
        self.told += 1
        super().add(text)
        if self.told % 8 == 0:
            self.records[-8:] = [max(self.records[-8:], key=len)]
        return None


class Overwrites(Notes):
    def add(self, text: str) -> object:
        place = sum(map(ord, text)) % 13
        self.records = [one for one in self.records if sum(map(ord, one)) % 13 != place]
        return super().add(text)


class SwapsOut(Notes):
    def add(self, text: str) -> object:
        if len(self.records) > 14:
            del self.records[len(text) % 14]
        return super().add(text)


# Not found.


class SortsByLength(Notes):
    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        return sorted(records, key=len)


class NewestFirst(Notes):
    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        return [*reversed(records)]


class IndexesLate(Notes):
    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        return super().ranked(query, records[:20])


class WorstFirst(Notes):
    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        return [*reversed(super().ranked(query, records))]


class FindsWholeQueries(Notes):
    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        return [one for one in records if query in one]


class Alphabetical(Notes):
    def ranked(self, query: str, records: Sequence[str]) -> list[str]:
        return sorted(records, key=lambda one: one[::-1])


# Cut off.


class ReturnsIds(Notes):
    def search(self, query: str, k: int) -> list[Any]:
        return [f"id-{self.records.index(one) + 1}" for one in super().search(query, k)]


class Abridges(Notes):
    def search(self, query: str, k: int) -> list[Any]:
        return [f"{one[:14]} ..." for one in super().search(query, k)]


class CutsInHalf(Notes):
    def search(self, query: str, k: int) -> list[Any]:
        return [one[: len(one) // 2] for one in super().search(query, k)]


class FirstWords(Notes):
    def search(self, query: str, k: int) -> list[Any]:
        return [one.partition(" is ")[0] for one in super().search(query, k)]


class NarrowReader(Careful):
    """Shows its model the first words alone, and says so."""

    def read(self, query: Query, passages: Sequence[Passage]) -> Any:
        prompt = passages[0].text[:20]
        return Answer("nobody knows", prompt=prompt, dropped_tokens=50)


# Misread.


class HastyReader(Careful):
    def read(self, query: Query, passages: Sequence[Passage]) -> Any:
        return super().read(query, passages[2:])


class LyingReader(Careful):
    def read(self, query: Query, passages: Sequence[Passage]) -> Any:
        return f"{super().read(query, passages)[:-1]}x"


FAULTS: dict[str, tuple[tuple[type, type], ...]] = {
    "unwritten": tuple(
        (one, Careful)
        for one in (
            OnlyLongTexts,
            FirstSession,
            EveryFourth,
            SkipsCapitals,
            OneRelation,
            SaysItNoted,
        )
    ),
    "changed": tuple(
        (one, Careful)
        for one in (
            *(DropsDigits, RoundsNumbers, ForgetsNames, MergesSubjects, GivesOthersValues),
            HidesValues,
        )
    ),
    "lost": tuple(
        (one, Careful)
        for one in (
            *(KeepsTheLatest, ForgetsAtNight, OnePerRelation, ConsolidatesToLongest, Overwrites),
            SwapsOut,
        )
    ),
    "unfound": tuple(
        (one, Careful)
        for one in (
            *(SortsByLength, NewestFirst, IndexesLate, WorstFirst, FindsWholeQueries),
            Alphabetical,
        )
    ),
    "cut": (
        *((one, Careful) for one in (ReturnsIds, Abridges, CutsInHalf, FirstWords)),
        (Notes, NarrowReader),
    ),
    "misread": ((Notes, HastyReader), (Notes, LyingReader)),
}


# Right ones, which differ in what their methods return and how they keep texts.


class Pages(Notes):
    def list(self) -> Any:
        for start in range(0, len(self.records), 7):
            yield {"results": self.records[start : start + 7], "next": start + 7}
        yield {"results": [], "next": None}


class AsyncPages(Notes):
    async def list(self) -> Any:
        for start in range(0, len(self.records), 7):
            yield self.records[start : start + 7]


class Awaited(Notes):
    async def list(self) -> Any:
        return [{"text": one, "score": 1.0} for one in self.records]


class Yields(Notes):
    def list(self) -> Iterator[Any]:
        yield from (Passage(one) for one in self.records)


class FirstTwenty(Notes):
    def list(self) -> Any:
        return self.records[:20]


class SaysThereIsMore(Notes):
    def list(self) -> Any:
        return {"memories": self.records[:11], "total": len(self.records)}


class Counted(Notes):
    def stats(self) -> dict[str, int]:
        return {"memories": len(self.records)}

    def list(self) -> Any:
        return self.records[:17]


class InOtherWords(Notes):
    """Keeps the fact alone, in words of its own."""

    def add(self, text: str) -> object:
        fact = Fact.find(text)
        assert fact
        return super().add(f"Noted today: The {fact.relation} of {fact.person} is {fact.value}.")


class Copies(Notes):
    def add(self, text: str) -> object:
        super().add(text)
        return super().add(text)


class ListFails(Notes):
    def list(self) -> Any:
        raise ValueError("no list today")


RIGHT = (
    *(Notes, Pages, AsyncPages, Awaited, Yields, FirstTwenty, SaysThereIsMore, Counted),
    *(Copies, ListFails, InOtherWords),
)
