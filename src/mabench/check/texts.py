"""Checks whether very long texts, and texts in every script, are stored whole.

Facts are hidden in the long texts, and inscriptions are written in the scripts; both are asked for
afterwards.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Mapping

from mabench.bench.facts import Fact
from mabench.check.agent import CheckedAgent
from mabench.check.answers import knows, too_few
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.instance import CallError, HangError, Instance
from mabench.contract import Answer

KILOBYTES, CHUNK = "100 KB of text", "chunk of 26,000 tokens"  # What these checks are called.
_CHARACTERS = 100_000
# So many are 26,000 tokens by our estimate; the test of this module counts them.
_CHARACTERS_OF_CHUNK = 130_000
_PLACES = ("at its start", "in its middle", "at its end")  # Where facts are in a long text.
_FACTS_AROUND = 4  # How many facts are told as short texts before and after a long text.

# Of all characters, every 32nd is told.
_STEP = 32
_CHARACTERS_A_TEXT = 2_000
# Unassigned characters, surrogates and those for private use are not told.
_UNUSED_CATEGORIES = ("Cn", "Cs", "Co")
# What a data set should not hold, but may.
_STRANGE = {"U+0000": "a\0b", "a lone surrogate": "a\ud800b", "a noncharacter": "a\uffffb"}


async def kilobytes_survive(agent: CheckedAgent) -> Verdict:
    """Tell one text of 100 KB in many sentences."""
    invented = agent.facts(KILOBYTES)
    hidden = invented.take(len(_PLACES))
    text = " ".join(_hide(hidden, invented.prose(_CHARACTERS)))
    short = invented.take(_FACTS_AROUND)
    return await _check_long_text(agent, KILOBYTES, text, hidden, short)


async def chunk_survives(agent: CheckedAgent) -> Verdict:
    """Tell one sentence of 26,000 tokens, which the published chunker never cuts."""
    name = f"a {CHUNK}"
    invented = agent.facts(name)
    hidden = invented.take(len(_PLACES))
    sentences = _hide(hidden, invented.prose(_CHARACTERS_OF_CHUNK))
    text = ", ".join(sentence.rstrip(".") for sentence in sentences)
    short = invented.take(_FACTS_AROUND)
    return await _check_long_text(agent, name, text, hidden, short)


def _hide(facts: list[Fact], prose: list[str]) -> list[str]:
    """Return sentences of prose with three facts: at the start, in the middle and at the end."""
    start, middle, end = facts
    half = len(prose) // 2
    return [start.text, *prose[:half], middle.text, *prose[half:], end.text]


async def _check_long_text(
    agent: CheckedAgent, name: str, text: str, hidden: list[Fact], short: list[Fact]
) -> Verdict:
    """Tell a long text between facts in short texts; ask for these and for those hidden in it.

    ``name`` is what messages call the long text, and ``hidden`` are the three facts in it.
    """
    half = len(short) // 2
    async with agent.fresh(short[:half]) as instance:
        await instance.tell(text)
        await instance.tell_facts(short[half:])
        known_short = await instance.recall(short)
        known_hidden = await instance.recall(hidden)
    if not known_short and too_few(known_short, short, expected=agent.found_share):
        return failed(f"nothing of what was memorized before and after {name} is found")
    if not known_hidden and too_few(known_hidden, hidden, expected=agent.found_share):
        return failed(f"nothing of {name} is found: it is dropped")
    lost = [place for place, fact in zip(_PLACES, hidden, strict=True) if fact not in known_hidden]
    if agent.found_share and lost:
        where = " and ".join(lost)
        return warning(f"of {name}, the part {where} is not found: it may be truncated")
    return passed(f"{name} is memorized in full")


async def unicode_survives(agent: CheckedAgent) -> Verdict:
    """Tell facts whose golds are written in many scripts, then characters from all of Unicode."""
    fact_by_script = agent.facts("unicode").inscriptions()
    plain_fact = fact_by_script.pop("plain letters")
    [fact_with_strange] = agent.facts("strange characters").take(1)
    async with agent.fresh([plain_fact, *fact_by_script.values()]) as instance:
        for text in _texts_of_all_characters():
            await instance.tell(text)
        answer_by_script = {
            script: await instance.answer(fact.question) for script, fact in fact_by_script.items()
        }
        knows_plain_fact = bool(await instance.recall([plain_fact]))
        failure = await _tell_strange_characters(instance, fact_with_strange)
    if not knows_plain_fact:
        return warning(
            "no inscription is found, not even in plain letters: the check is inconclusive"
        )
    return _judge_scripts(agent, fact_by_script, answer_by_script, failure)


def _judge_scripts(
    agent: CheckedAgent,
    fact_by_script: Mapping[str, Fact],
    answer_by_script: Mapping[str, Answer],
    failure: str,
) -> Verdict:
    """Return what the answers to questions for facts in many scripts show.

    ``failure`` says what failed with strange characters; it is empty if nothing did.
    """
    lost, damaged = [], []
    for script, fact in fact_by_script.items():
        answer = answer_by_script[script]
        if knows(answer, fact.gold):
            continue
        lost.append(script)
        sentence = fact.text.removesuffix(fact.gold)
        if knows(answer, sentence):  # The sentence is there, without the characters of the script.
            damaged.append(script)
    if damaged:
        return failed(
            f"text in {', '.join(damaged)} comes back changed: Unicode characters are dropped or "
            "altered"
        )
    facts = list(fact_by_script.values())
    if len(lost) == len(facts) and too_few((), facts, expected=agent.found_share):
        return failed(f"no text in {', '.join(lost)} is found: Unicode text is dropped")
    if lost:
        return warning(f"text in {', '.join(lost)} is not found")
    if failure:
        return warning(f"{len(facts)} scripts survive, but memorizing {failure}")
    return passed(f"{len(facts)} scripts survive, and no character causes an error")


def _texts_of_all_characters() -> Iterator[str]:
    """Yield texts that together hold every 32nd character of Unicode, if it is assigned."""
    every_32nd = [chr(number) for number in range(1, sys.maxunicode + 1, _STEP)]
    characters = "".join(
        character
        for character in every_32nd
        if unicodedata.category(character) not in _UNUSED_CATEGORIES
    )
    for start in range(0, len(characters), _CHARACTERS_A_TEXT):
        yield characters[start : start + _CHARACTERS_A_TEXT]


async def _tell_strange_characters(instance: Instance, fact: Fact) -> str:
    """Tell texts that a data set should not hold, each behind a fact, and ask for the fact.

    Returns the first failure in words; an empty string if there was none.
    """
    for name, text in _STRANGE.items():
        try:
            await instance.tell(f"{fact.text} {text}")
            await instance.answer(fact.question)
        except (CallError, HangError) as error:  # A call that is retried without end hangs.
            return f"{name} fails: {error}"
    return ""
