"""Is text of every script kept as it is, and does no character break the memory?"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Mapping

from mabench.check.calls import CallError
from mabench.check.examinee import Examinee, Instance
from mabench.check.facts import Fact, Facts
from mabench.check.findings import Verdict, failed, passed, warning
from mabench.check.knowledge import known, knows, plain, texts_of, too_few
from mabench.contract import Answer

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
_STRANGE = {
    "U+0000": "a\0b",
    "a lone surrogate": "a\ud800b",
    "a noncharacter": "a\uffffb",
}


async def unicode_is_kept(examinee: Examinee) -> Verdict:
    """Tell facts with golds in many scripts, then characters from all of Unicode."""
    facts = Facts("unicode")
    written = {name: facts.about_inscription(text) for name, text in _INSCRIPTIONS.items()}
    control = facts.about_inscription(_PLAIN)
    async with examinee.fresh() as instance:
        await instance.tell([control, *written.values()])
        for text in _from_all_of_unicode():
            await instance.memorize(text)
        answers = {name: await instance.ask(fact.question) for name, fact in written.items()}
        understood = bool(await known(instance, [control]))
        refused = await _refused(instance)
    if not understood:
        return warning("no inscription is found, not even in plain letters: nothing was seen")
    return _judged(written, answers, refused, examinee.found)


def _judged(
    written: Mapping[str, Fact],
    answers: Mapping[str, Answer],
    refused: str | None,
    found: float,
) -> Verdict:
    lost = [name for name, fact in written.items() if not knows(answers[name], fact.gold)]
    damaged = [name for name in lost if _shows_place(answers[name], written[name])]
    if damaged:
        return failed(
            f"what is written in {', '.join(damaged)} does not come back as it was memorized: "
            "Unicode characters are dropped or changed"
        )
    if len(lost) == len(written) and too_few((), list(written.values()), found):
        return failed(f"nothing written in {', '.join(lost)} is found: Unicode text is dropped")
    if lost:
        return warning(f"what is written in {', '.join(lost)} is not found")
    if refused:
        return warning(f"{len(written)} scripts are kept, but memorizing {refused}")
    return passed(f"{len(written)} scripts are kept, and no character does harm")


def _shows_place(answer: Answer, fact: Fact) -> bool:
    """Whether the sentence of a fact is there, without its gold."""
    sentence = plain(fact.text.removesuffix(fact.gold))
    return any(sentence in plain(text) for text in texts_of(answer))


def _from_all_of_unicode() -> list[str]:
    """Return texts with one assigned character in so many, whatever it is."""
    characters = (chr(code) for code in range(1, sys.maxunicode + 1, _STEP))
    # Neither what is not assigned, nor surrogates, nor what is for private use.
    told = "".join(c for c in characters if unicodedata.category(c) not in ("Cn", "Cs", "Co"))
    starts = range(0, len(told), _CHARACTERS_A_TEXT)
    return [told[start : start + _CHARACTERS_A_TEXT] for start in starts]


async def _refused(instance: Instance) -> str | None:
    """Return which strange character cannot be memorized or searched past, and how it fails."""
    fact = Facts("strange characters").take(1)[0]
    for name, text in _STRANGE.items():
        try:
            await instance.memorize(f"{fact.text} {text}")
            await instance.ask(fact.question)
        except CallError as error:  # Also where a server is asked again and again.
            return f"{name} fails: {error}"
    return None
