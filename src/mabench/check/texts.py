"""Checks whether texts survive: very long ones, and every script."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator

from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.answers import knows, too_few
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.instance import CallError, HangError, Instance

KILOBYTES, CHUNK = "100 KB of text", "chunk of 26,000 tokens"  # What these checks are called.
_CHARACTERS = 100_000
_CHARACTERS_OF_CHUNK = 130_000  # By our estimate; the test of this module counts.
_PLACES = ("at its start", "in its middle", "at its end")
_FACTS_AROUND = 4  # Short ones, told before and after a long text.

# Of all characters, every 32nd is told.
_STEP = 32
_CHARACTERS_A_TEXT = 2_000
# Unassigned characters, surrogates and those for private use are not told.
_UNUSED_CATEGORIES = ("Cn", "Cs", "Co")
# What a data set should not hold, and may.
_STRANGE = {"U+0000": "a\0b", "a lone surrogate": "a\ud800b", "a noncharacter": "a\uffffb"}


async def kilobytes_survive(agent: CheckedAgent) -> Verdict:
    """Tell one text of 100 KB in many sentences."""
    invented, name = agent.facts(KILOBYTES), KILOBYTES
    hidden = invented.take(len(_PLACES))
    text = " ".join(_around(hidden, invented.prose(_CHARACTERS)))
    return await _survives(agent, name, text, hidden, invented.take(_FACTS_AROUND))


async def chunk_survives(agent: CheckedAgent) -> Verdict:
    """Tell one sentence of 26,000 tokens, which the published chunker never cuts."""
    name = f"a {CHUNK}"
    invented = agent.facts(name)
    hidden = invented.take(len(_PLACES))
    pieces = _around(hidden, invented.prose(_CHARACTERS_OF_CHUNK))
    text = ", ".join(piece.rstrip(".") for piece in pieces)
    return await _survives(agent, name, text, hidden, invented.take(_FACTS_AROUND))


def _around(hidden: list[Fact], prose: list[str]) -> list[str]:
    """Return sentences with the hidden facts at their start, in their middle and at their end."""
    start, middle, end = hidden
    half = len(prose) // 2
    return [start.text, *prose[:half], middle.text, *prose[half:], end.text]


async def _survives(
    agent: CheckedAgent, name: str, text: str, hidden: list[Fact], short: list[Fact]
) -> Verdict:
    """Tell a long text between short facts, and ask for these and for those hidden in it."""
    half = len(short) // 2
    async with agent.fresh(short[:half]) as instance:
        await instance.tell(text)
        await instance.tell_facts(short[half:])
        recalled = await instance.recall(short)
        inside = await instance.recall(hidden)
    if not recalled and too_few((), short, agent.found_share):
        return failed(f"nothing of what was memorized before and after {name} is found")
    if not inside and too_few((), hidden, agent.found_share):
        return failed(f"nothing of {name} is found: it is dropped")
    lost = [place for place, fact in zip(_PLACES, hidden, strict=True) if fact not in inside]
    if agent.found_share and lost:
        where = " and ".join(lost)
        return warning(f"of {name}, the part {where} is not found: it may be truncated")
    return passed(f"{name} is memorized in full")


async def unicode_survives(agent: CheckedAgent) -> Verdict:
    """Tell facts with golds in many scripts, then characters from all of Unicode."""
    facts = agent.facts("unicode")
    written = facts.inscriptions()
    control = written.pop("plain letters")
    async with agent.fresh([control, *written.values()]) as instance:
        for text in _texts_of_all_characters():
            await instance.tell(text)
        answers = {name: await instance.answer(fact.question) for name, fact in written.items()}
        understood = bool(await instance.recall([control]))
        failure = await _tell_strange_characters(
            instance, agent.facts("strange characters").take(1)[0]
        )
    if not understood:
        return warning(
            "no inscription is found, not even in plain letters: the check is inconclusive"
        )
    lost = [name for name, fact in written.items() if not knows(answers[name], fact.gold)]
    # Damaged: the answer has the sentence, but not the characters of the script in it.
    sentences = {name: written[name].text.removesuffix(written[name].gold) for name in lost}
    damaged = [name for name in lost if knows(answers[name], sentences[name])]
    if damaged:
        return failed(
            f"text in {', '.join(damaged)} comes back changed: Unicode characters are dropped or "
            "altered"
        )
    if len(lost) == len(written) and too_few((), list(written.values()), agent.found_share):
        return failed(f"no text in {', '.join(lost)} is found: Unicode text is dropped")
    if lost:
        return warning(f"text in {', '.join(lost)} is not found")
    if failure:
        return warning(f"{len(written)} scripts survive, but memorizing {failure}")
    return passed(f"{len(written)} scripts survive, and no character causes an error")


def _texts_of_all_characters() -> Iterator[str]:
    """Yield texts that together hold every 32nd assigned character."""
    characters = "".join(
        character
        for character in map(chr, range(1, sys.maxunicode + 1, _STEP))
        if unicodedata.category(character) not in _UNUSED_CATEGORIES
    )
    for start in range(0, len(characters), _CHARACTERS_A_TEXT):
        yield characters[start : start + _CHARACTERS_A_TEXT]


async def _tell_strange_characters(instance: Instance, fact: Fact) -> str:
    """Tell what a data set should not hold; return the first failure, empty if there was none."""
    for name, text in _STRANGE.items():
        try:
            await instance.tell(f"{fact.text} {text}")
            await instance.answer(fact.question)
        except (CallError, HangError) as error:  # A call that is retried without end hangs.
            return f"{name} fails: {error}"
    return ""
