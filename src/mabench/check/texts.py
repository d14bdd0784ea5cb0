"""Are unusual texts survived: none at all, empty ones, very long ones, and every script?"""

from __future__ import annotations

import sys
import unicodedata
from functools import partial

from mabench.check.facts import Fact, Facts, knows, too_few
from mabench.check.findings import Check, Verdict, failed, passed, warning
from mabench.check.instances import CallError, CheckedAgent, HangError, Instance

_CHARACTERS = 100_000
_CHARACTERS_OF_CHUNK = 130_000  # By our estimate; the test of this module counts.
_PLACES = ("at its start", "in its middle", "at its end")

# Words that mean nothing to anyone: they are to come back letter for letter.
_INSCRIPTIONS = {
    "Latin with accents": "Þorðæł Éçüßñ",
    "Greek": "Φωλκέρ Ζυνθής",
    "Cyrillic": "Жульбон Щедрыш",
    "Hebrew": "זולמקר",
    "Arabic": "ظلموقان",
    "Devanagari": "झूल्मकर",
    "Thai": "ฌูลมะกอน",
    "Han": "龘瓏鑰",
    "Kana": "ヅルメカ",
    "Hangul": "쥴메칸",
    "Ethiopic": "ዙልመቃ",
    "emoji": "🦊🪁👩🏽‍🚀",
    "mathematical letters": "𝔷𝕦𝓵𝖒",
    "Gothic": "𐌶𐌿𐌻𐌼",
}
# If not even this comes back, it lies in the question.
_PLAIN = "Brevkal Ostim"
# One character in so many is told.
_STEP = 32
_CHARACTERS_A_TEXT = 2_000
# What a data set should not hold, and may.
_STRANGE = {"U+0000": "a\0b", "a lone surrogate": "a\ud800b", "a noncharacter": "a\uffffb"}


async def _search_before_add(agent: CheckedAgent) -> Verdict:
    """Ask an instance that was told nothing, then tell it a fact and ask for it."""
    facts = Facts("search before add").take(3)
    async with agent.fresh() as instance:
        try:
            await instance.answer(facts[0].question)
        except CallError as error:
            return failed(f"a search of an empty memory fails: {error}")
        await instance.tell_facts(facts)
        recalled = await instance.recall(facts)
    if not recalled and too_few((), facts, agent.found_share):
        return failed("nothing memorized after a first question is found")
    return passed("search works on an empty memory")


async def _empty_text(agent: CheckedAgent) -> Verdict:
    """Tell an empty text and blanks between facts."""
    facts = Facts("empty text").take(3)
    async with agent.fresh(facts[:1]) as instance:
        await instance.tell("")
        await instance.tell(" \n\t ")
        await instance.tell_facts(facts[1:])
        recalled = await instance.recall(facts)
    if not recalled and too_few((), facts, agent.found_share):
        return failed("nothing is found after an empty text was memorized")
    return passed("empty texts do no harm")


def _long_text(facts: Facts, is_chunk: bool) -> tuple[str, list[Fact]]:
    """Return prose with a fact at its start, in its middle and at its end, and these facts.

    A chunk is without an end of a sentence, where the published chunker never cuts.
    """
    start, middle, end = hidden = facts.take(len(_PLACES))
    prose = facts.prose(_CHARACTERS_OF_CHUNK if is_chunk else _CHARACTERS)
    half = len(prose) // 2
    pieces = [start.text, *prose[:half], middle.text, *prose[half:], end.text]
    if is_chunk:
        return ", ".join(piece.rstrip(".") for piece in pieces), hidden
    return " ".join(pieces), hidden


async def _survives(what: str, is_chunk: bool, agent: CheckedAgent) -> Verdict:
    """Tell a long text between short ones, and ask for what stands in all of them."""
    facts = Facts(what)
    text, hidden = _long_text(facts, is_chunk)
    short = facts.take(4)
    async with agent.fresh(short[:2]) as instance:
        await instance.tell(text)
        await instance.tell_facts(short[2:])
        recalled = await instance.recall(short)
        inside = await instance.recall(hidden)
    if not recalled and too_few((), short, agent.found_share):
        return failed(f"nothing of what was memorized before and after {what} is found")
    if not inside and too_few((), hidden, agent.found_share):
        return failed(f"nothing of {what} is found: it is dropped")
    lost = [place for place, fact in zip(_PLACES, hidden, strict=True) if fact not in inside]
    if agent.found_share and lost:
        where = " and ".join(lost)
        return warning(f"of {what}, the part {where} is not found: it may be truncated")
    return passed(f"{what} is memorized in full")


async def _unicode_survives(agent: CheckedAgent) -> Verdict:
    """Tell facts with golds in many scripts, then characters from all of Unicode."""
    facts = Facts("unicode")
    written = {name: facts.about_inscription(text) for name, text in _INSCRIPTIONS.items()}
    control = facts.about_inscription(_PLAIN)
    async with agent.fresh([control, *written.values()]) as instance:
        # Neither what is not assigned, nor surrogates, nor what is for private use.
        characters = "".join(
            character
            for character in map(chr, range(1, sys.maxunicode + 1, _STEP))
            if unicodedata.category(character) not in ("Cn", "Cs", "Co")
        )
        for start in range(0, len(characters), _CHARACTERS_A_TEXT):
            await instance.tell(characters[start : start + _CHARACTERS_A_TEXT])
        answers = {name: await instance.answer(fact.question) for name, fact in written.items()}
        understood = bool(await instance.recall([control]))
        failure = await _try_strange_characters(instance)
    if not understood:
        return warning(
            "no inscription is found, not even in plain letters: the check is inconclusive"
        )
    lost = [name for name, fact in written.items() if not knows(answers[name], fact.gold)]
    # There, the sentence has come back without its gold.
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


async def _try_strange_characters(instance: Instance) -> str | None:
    """Return which strange character cannot be memorized or searched past, and how it fails."""
    fact = Facts("strange characters").take(1)[0]
    for name, text in _STRANGE.items():
        try:
            await instance.tell(f"{fact.text} {text}")
            await instance.answer(fact.question)
        except (CallError, HangError) as error:  # Also where a server is asked again and again.
            return f"{name} fails: {error}"
    return None


_KILOBYTES, _CHUNK = "100 KB of text", "chunk of 26,000 tokens"
CHECKS = (
    Check("search before add", _search_before_add, invalidates=False, needs_found=False),
    Check("empty text", _empty_text, invalidates=False, needs_found=False),
    Check("unicode", _unicode_survives),
    Check(_KILOBYTES, partial(_survives, _KILOBYTES, False), needs_found=False),
    Check(_CHUNK, partial(_survives, f"a {_CHUNK}", True), needs_found=False),
)
