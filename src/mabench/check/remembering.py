"""Does a memory keep all that it is told and declares, the same in each instance, and how fast?

It is told very long texts and every script, with times and users; texts are edited and saved.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from mabench.bench.facts import Fact
from mabench.check.answers import are_alike, knows, too_few
from mabench.check.findings import Check, Verdict, failed, passed, skipped, warning
from mabench.check.instances import CallError, CheckedAgent, HangError, Instance
from mabench.contract.methods import EDITING

_CHARACTERS = 100_000
_CHARACTERS_OF_CHUNK = 130_000  # By our estimate; the test of this module counts.
_PLACES = ("at its start", "in its middle", "at its end")

# One character in so many is told.
_STEP = 32
_CHARACTERS_A_TEXT = 2_000
# What a data set should not hold, and may.
_STRANGE = {"U+0000": "a\0b", "a lone surrogate": "a\ud800b", "a noncharacter": "a\uffffb"}
_FACTS = 6
_MARCH, _MAY, _JULY = (datetime(2024, month, 1, 12, tzinfo=UTC) for month in (3, 5, 7))
# One name begins with the other, which a careless filter takes for the same.
_USER, _OTHER = "ada", "adam"
_FIELDS = {"time": _MARCH, "speaker": "Ada", "role": "user", "session": "s1", "user": _USER}
_SAVED_FACTS = 10
_SIZES = (50, 100, 200, 400)
_SEARCHES = 5
_PROSE = 300  # Characters.
_BUDGET = 60.0  # Seconds for all of it; a slow memory is measured on fewer texts.
_STEEP = 1.5  # Beyond this exponent a row of many chunks takes longer than anyone waits.
_NOISE = 0.05  # Below so many seconds a growth is noise.


async def _survives(what: str, is_chunk: bool, agent: CheckedAgent) -> Verdict:
    facts = agent.facts(what)
    start, middle, end = hidden = facts.take(len(_PLACES))
    prose = facts.prose(_CHARACTERS_OF_CHUNK if is_chunk else _CHARACTERS)
    half, short = len(prose) // 2, facts.take(4)
    pieces = [start.text, *prose[:half], middle.text, *prose[half:], end.text]
    text = " ".join(pieces)
    if is_chunk:  # Without the end of a sentence the published chunker never cuts.
        text = ", ".join(piece.rstrip(".") for piece in pieces)
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
    facts = agent.facts("unicode")
    written = facts.inscriptions()
    control = written.pop("plain letters")
    async with agent.fresh([control, *written.values()]) as instance:
        # Left out are unassigned characters, surrogates and those for private use.
        characters = "".join(
            character
            for character in map(chr, range(1, sys.maxunicode + 1, _STEP))
            if unicodedata.category(character) not in ("Cn", "Cs", "Co")
        )
        for start in range(0, len(characters), _CHARACTERS_A_TEXT):
            await instance.tell(characters[start : start + _CHARACTERS_A_TEXT])
        answers = {name: await instance.answer(fact.question) for name, fact in written.items()}
        understood = bool(await instance.recall([control]))
        failure, strange = "", agent.facts("strange characters").take(1)[0]
        for name, text in _STRANGE.items():
            try:
                await instance.tell(f"{strange.text} {text}")
                await instance.answer(strange.question)
            except (CallError, HangError) as error:  # A call that is retried without end hangs.
                failure = f"{name} fails: {error}"
                break
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


async def _fields_are_heeded(agent: CheckedAgent) -> Verdict:
    """Tell facts of two users and two times, with all fields; ask for one user, and as of May."""
    facts = agent.facts("fields")
    early, late, foreign = (facts.take(_FACTS) for _ in range(3))
    async with agent.fresh() as instance:
        takes = instance.takes
        missed = warning("; ".join(takes.misses)) if takes.misses else None
        if not takes.told | takes.asked:
            return missed or skipped("no fields are declared")
        await instance.tell_facts(early, **_FIELDS)
        await instance.tell_facts(late, **_FIELDS | {"time": _JULY})
        await instance.tell_facts(foreign, **_FIELDS | {"user": _OTHER})
        own = await instance.recall([*early, *late], time=_JULY, user=_USER)
        others = await instance.recall(foreign, time=_JULY, user=_USER)
        later = await instance.recall(late, time=_MAY, user=_USER)
    both, names = takes.told & takes.asked, ", ".join(sorted(takes.told | takes.asked))
    seen = f"with {names} passed, it finds {len(own)} of {2 * _FACTS} facts"
    if too_few(own, [*early, *late], agent.found_share):
        return failed(f"{seen}: texts with fields are lost")
    if "user" in both and others:
        return failed(f"one user finds texts of another ({others[0].text!r})")
    if "time" in both and later:
        return warning(
            f"asked as of May, it finds a text from July ({later[0].text!r}): leave out of a "
            "search what is later than the time that it is given, or let it take no time"
        )
    return missed or passed(seen)


async def _texts_are_edited(agent: CheckedAgent) -> Verdict:
    facts, problems = agent.facts("editing"), list[str]()
    first, second, *rest = told = facts.take(_FACTS)
    [new], foreign = facts.take(1), facts.take(_FACTS)
    async with agent.fresh() as instance:
        if not (offered := [name for name in EDITING if instance.has(name)]):
            return skipped("it offers none of update, delete, list and ready")
        ids = [await instance.tell(fact.text, _FIELDS) for fact in told]
        await instance.tell_facts(foreign, **_FIELDS | {"user": _OTHER})
        deletes = instance.takes.fields.get("delete", ())

        async def expect_gone(facts: list[Fact], after: str) -> None:
            for fact in (await instance.recall(facts, user=_USER))[:1]:
                problems.append(f"after {after}, the text is still found ({fact.text!r})")

        if "list" in offered:
            await instance.ready()
            whose = _USER if "user" in instance.takes.fields.get("list", ()) else None
            listed = "\n".join(await instance.list_texts(whose))
            missing = sum(fact.gold not in listed for fact in told)
            problems += [f"list leaves out {missing} of {len(told)} texts"] * (missing > 0)
        if not all(ids) and ("update" in offered or "id" in deletes):
            problems.append("add returns no id, which update and delete(id) need")
        elif "update" in offered:
            await instance.update(ids[0][0], new.text, _FIELDS)
            await expect_gone([first], "update")
            if agent.found_share == 1 and not await instance.recall([new], user=_USER):
                problems.append("updated text is not found")
        for name in ids[1] if "id" in deletes else ():
            await instance.delete(id=name)
            await expect_gone([second], "delete(id)")
        if "user" in deletes:
            await instance.delete(user=_USER)
            await expect_gone(rest, "delete(user)")
            left = await instance.recall(foreign, user=_OTHER)
            if too_few(left, foreign, agent.found_share):
                problems.append("delete(user) deletes texts of other users")
    seen = f"no fault found in {', '.join(offered)}"
    return failed("; ".join(problems)) if problems else passed(seen)


async def _saved_memory_comes_back(agent: CheckedAgent) -> Verdict:
    facts = agent.facts("save and load").take(_SAVED_FACTS)
    with tempfile.TemporaryDirectory(prefix="mabench-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "memory"
        folder.mkdir()
        async with agent.fresh() as saved:
            offered = [method for method in ("save", "load") if saved.has(method)]
            if not offered:
                return skipped("not offered")
            if len(offered) == 1:
                return skipped(f"only {offered[0]} is offered; runs need both")
            await saved.tell_facts(facts)
            await saved.save(folder)
            before = await saved.recall(facts)
        async with agent.fresh() as loaded:
            await loaded.load(folder)
            after = await loaded.recall(facts)
    seen = (
        f"of {_SAVED_FACTS} facts, the saved instance finds {len(before)} and the loaded one "
        f"{len(after)}"
    )
    if too_few(after, facts, len(before) / _SAVED_FACTS):
        return failed(f"{seen}: save and load lose memories")
    return warning(seen) if len(after) < len(before) else passed(seen)


async def _instances_answer_alike(agent: CheckedAgent) -> Verdict:
    facts = agent.facts("deterministic").take(10)
    first, second = [await agent.answer_afresh(facts) for _ in range(2)]
    pairs = zip(first, second, strict=True)
    different = sum(not are_alike([one], [other]) for one, other in pairs)
    if different:
        return warning(
            f"two instances with the same history answer {different} of {len(facts)} questions "
            "differently: a run cannot be reproduced; `repeat` shows the spread"
        )
    return passed("two instances with the same history give the same answers")


async def _add_and_search_grow(agent: CheckedAgent) -> Verdict:
    """Time adds and searches at 50, 100, 200 and 400 texts."""
    invented = agent.facts("growth")
    facts, prose = invented.take(_SIZES[-1]), " ".join(invented.prose(_PROSE))
    async with agent.fresh() as instance:
        what = "a search" if instance.searches else "an answer"
        points = await _measure(instance, facts, prose)
    sizes, adds, firsts, searches = zip(*points, strict=True)
    texts = sizes[-1]
    seen = (
        f"at {texts} texts an add takes {_time(adds[-1] / texts)} on average and {what} "
        f"{_time(searches[-1])} (the first {_time(firsts[-1])})"
    )
    if texts < _SIZES[-1]:
        seen += f"; stopped there after {_BUDGET:.0f} s"
    if len(points) < 2:
        return warning(f"{seen}: too few to see how it grows")
    adding, search = _exponent(sizes, adds), _exponent(sizes, searches)
    seen += f"; all adds grow as n^{adding:.1f}, a search as n^{search:.1f}"
    powers = (("add", adding, adds[-1]), ("search", search, searches[-1]))
    steep = [name for name, power, time in powers if power > _STEEP and time > _NOISE]
    if steep:
        return warning(f"{seen}: {' and '.join(steep)} will be slow on long histories")
    return passed(seen)


async def _measure(
    instance: Instance, facts: list[Fact], prose: str
) -> list[tuple[int, float, float, float]]:
    """Return, at each number of texts, that and the seconds of all adds and of two searches.

    The first search after the last add may build an index; the second is the usual one.
    """
    points: list[tuple[int, float, float, float]] = []
    adding, start = 0.0, time.monotonic()
    for number, fact in enumerate(facts, start=1):
        began = time.perf_counter()
        await instance.tell(f"{fact.text} {prose}")
        adding += time.perf_counter() - began
        late = time.monotonic() - start > _BUDGET
        if number in _SIZES or late:
            searches = []
            for i in range(_SEARCHES):
                began = time.perf_counter()
                await instance.look_up(facts[i * number // _SEARCHES].question)
                searches.append(time.perf_counter() - began)
            points.append((number, adding, searches[0], statistics.median(searches)))
        if late:
            break
    return points


def _exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the power of the size with which seconds grow: least squares on logarithms."""
    logarithms = [math.log(max(value, 1e-9)) for value in seconds]
    return statistics.linear_regression([*map(math.log, sizes)], logarithms).slope


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


_KILOBYTES, _CHUNK = "100 KB of text", "chunk of 26,000 tokens"
CHECKS = (
    Check("unicode", _unicode_survives),
    Check(_KILOBYTES, partial(_survives, _KILOBYTES, False), needs_found=False),
    Check(_CHUNK, partial(_survives, f"a {_CHUNK}", True), needs_found=False),
    Check("fields", _fields_are_heeded),
    Check("editing", _texts_are_edited, invalidates=False),
    Check("save and load", _saved_memory_comes_back),
    Check("deterministic", _instances_answer_alike, invalidates=False, needs_found=False),
    Check("growth", _add_and_search_grow, invalidates=False, needs_found=False),
)
