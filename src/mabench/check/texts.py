"""Are unusual texts survived: none before a question, empty ones, and very long ones?"""

from __future__ import annotations

from collections.abc import Sequence

from mabench.check.calls import CallError, HangError
from mabench.check.examinee import Examinee
from mabench.check.facts import Fact, Facts
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.knowledge import known, too_few

_CHARACTERS = 100_000
# By our estimate; the test of this module counts.
_CHARACTERS_OF_CHUNK = 130_000
_PLACES = ("at its start", "in its middle", "at its end")


async def search_before_add(examinee: Examinee) -> Verdict:
    """Ask an instance that was told nothing, then tell it a fact and ask for it."""
    facts = Facts("search before add").take(3)
    async with examinee.fresh() as instance:
        try:
            await instance.ask(facts[0].question)
        except HangError:
            raise
        except CallError as error:
            return failed(f"it cannot be asked before it was told anything: {error}")
        await instance.tell(facts)
        found = await known(instance, facts)
    if not found and too_few((), facts, examinee.found):
        return failed("nothing is found that was memorized after a first question")
    return passed("it can be asked before it was told anything")


async def empty_text(examinee: Examinee) -> Verdict:
    """Tell an empty text and blanks between facts."""
    facts = Facts("empty text").take(3)
    async with examinee.fresh() as instance:
        await instance.memorize(facts[0].text)
        await instance.memorize("")
        await instance.memorize(" \n\t ")
        await instance.tell(facts[1:])
        found = await known(instance, facts)
    if not found and too_few((), facts, examinee.found):
        return failed("nothing is found once an empty text was memorized")
    return passed("empty texts do no harm")


async def long_text(examinee: Examinee) -> Verdict:
    """Tell 100 KB of prose with a fact at its start, in its middle and at its end."""
    facts = Facts("long text")
    hidden = facts.take(len(_PLACES))
    pieces = _hiding(hidden, facts.prose(_CHARACTERS))
    return await _survives(examinee, "100 KB of text", " ".join(pieces), hidden, facts)


async def long_chunk(examinee: Examinee) -> Verdict:
    """Tell a chunk of 26,000 tokens in which no sentence ends.

    The published chunker makes chunks of any length where it finds no end of a sentence.
    """
    facts = Facts("long chunk")
    text, hidden = long_chunk_text(facts)
    return await _survives(examinee, "a chunk of 26,000 tokens", text, hidden, facts)


def long_chunk_text(facts: Facts) -> tuple[str, list[Fact]]:
    """Return the chunk, and the facts at its start, in its middle and at its end."""
    hidden = facts.take(len(_PLACES))
    pieces = [piece.rstrip(".") for piece in _hiding(hidden, facts.prose(_CHARACTERS_OF_CHUNK))]
    return ", ".join(pieces), hidden


def _hiding(hidden: Sequence[Fact], prose: Sequence[str]) -> list[str]:
    """Put the facts at the start, in the middle and at the end of the prose."""
    start, middle, end = (fact.text for fact in hidden)
    half = len(prose) // 2
    return [start, *prose[:half], middle, *prose[half:], end]


async def _survives(
    examinee: Examinee, what: str, text: str, hidden: Sequence[Fact], facts: Facts
) -> Verdict:
    """Tell a long text between short ones, and ask for what stands in all of them."""
    short = facts.take(4)
    async with examinee.fresh() as instance:
        await instance.tell(short[:2])
        await instance.memorize(text)
        await instance.tell(short[2:])
        still_found = await known(instance, short)
        found = await known(instance, hidden)
    if not still_found and too_few((), short, examinee.found):
        return failed(f"nothing of what was memorized before and after {what} is found")
    if not found and too_few((), hidden, examinee.found):
        return failed(f"nothing of {what} is found: it is dropped")
    lost = [place for place, fact in zip(_PLACES, hidden, strict=True) if fact not in found]
    if examinee.found and lost:
        where = " and ".join(lost)
        return warning(f"of {what}, what stood {where} is not found: it may be cut short")
    return passed(f"{what} is taken in")
