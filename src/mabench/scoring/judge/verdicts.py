"""The grammar of yes and no: what in a judge's own words is a verdict.

Six rules find statements: an object's field, a labelled line, bold print, the sentence that opens
the reply or its last line, a sentence that is nothing but a verdict, and a clause such as ``it
passes``. All statements of a reply must agree: else, and where one is hedged, it has no verdict.

A ``Speech`` is what a judge says itself, with a sign in place of each quotation, and ``shown`` are
the texts that it was shown. ``said_by`` reads a phrase as a verdict, or as none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mabench.scoring.judge.lines import announces, labels, sentences
from mabench.scoring.judge.phrases import StatedVerdict, said_by
from mabench.scoring.judge.speech import QUOTED, Object, Speech, words_of
from mabench.scoring.lexicon import pattern

_VERDICT_NAME = pattern(r"(?:(?:%s) ?)*(?:%s|%s)", "judge.qualifiers", "judge.nouns", "judge.names")
_ANSWER_NAME = pattern(r"(?:(?:final|my|your) ?)*(?:%s)", "judge.answers")
_FAILING_NAME = pattern(r"(?:(?:is|does) ?)*(?:%s)", "judge.failings")
_ONE_OR_ZERO = re.compile(
    r"\W{0,5}(?P<score>[01])(?:\.0{1,3})?(?:\s?\(?(?:/|out of|of)\s?1(?:\.0)?)?(?P<rest>.*)",
    re.DOTALL,
)
_OTHER_NUMBER_BEHIND = re.compile(r"[\d.,/]*\d|\s*(?:or|and|to|-|/|out|of|%)", re.IGNORECASE)
_BOX = re.compile(
    r"\\boxed\s?\{(?:\\text\s?\{)?([^{}\n]{1,80})\}|\[\[([^\[\]\n]{1,80})\]\]"
    r"|<(?P<tag>verdict|answer|result|judge?ment|decision|final_answer)>([^<\n]{1,80})</(?P=tag)>",
    re.IGNORECASE,
)
_BOLD_PRINT = re.compile(
    r"[ \t>#\-]*(?P<print>(?P<sign>\*\*|__)(?P<said>[^*_]{1,40})(?P=sign))(?P<rest>.*)"
)
_CONCLUSION_AT_END = pattern(
    r"(?:[,;:]\s?|\band )(?:%s)(?:[,:]| the (?:%s) is:?)? (?P<said>[^,;:]+)$",
    *("judge.conclusions", "judge.nouns"),
)
_CLAUSE_ON_ANSWER = pattern(
    r"(?:^|[,:] |\band |\bi (?:conclude|find|judge)(?: that)? )(?:(?:%s|clearly),? ){0,3}(?:%s) "
    r"(?P<denied>(?:does not|doesn't|did not|is not|isn't|cannot) )?(?:clearly |therefore )?"
    r"(?:(?:is )?(?:(?P<right>correct|right|acceptable)|(?P<wrong>wrong|incorrect|unacceptable))"
    r"|(?P<passes>pass(?:es)?)|(?P<fails>fails?))[.!\s*]*$",
    *("judge.conclusions", "judge.subjects"),
)
_IN_DOUBT = pattern(rf"\b(?:%s|%s)\b|{QUOTED}", "judge.doubts", "judge.hedges")


def verdict_of(speech: Speech) -> StatedVerdict | None:
    """Return what all statements in a speech say: open if they differ, None without any."""
    statements = {said for rule in _RULES for said in rule(speech)}
    if not statements:
        return None
    return statements.pop() if len(statements) == 1 else StatedVerdict.OPEN


def _read_fields(speech: Speech) -> Iterator[StatedVerdict]:
    """A field of an object: ``{"verdict": "yes"}``, but not ``{"reason": "no issue"}``."""
    found = [said for one in speech.objects if (said := _said_by_object(one)) is not None]
    if speech.ends_with_object:
        found = found[-1:]  # Others were corrected by it.
    yield from found


def _said_by_object(fields: Object) -> StatedVerdict | None:
    """Return the verdict of an object by its fields' names, or else of an object in it.

    Fields that are named for a verdict, or for failing, come before those named for an answer: an
    ``answer`` may repeat the assistant's. Fields that differ leave the verdict open.
    """
    verdicts, answers = set[StatedVerdict](), set[StatedVerdict]()
    for key, value in fields.items():
        name = re.sub(r"[\W_]+", " ", str(key)).strip()
        said = _said_by_value(value)
        if _VERDICT_NAME.fullmatch(name) and not isinstance(value, dict):
            verdicts.add(said or StatedVerdict.OPEN)
        elif _FAILING_NAME.fullmatch(name) and isinstance(value, bool):
            verdicts.add(StatedVerdict.NO if value else StatedVerdict.YES)
        elif _ANSWER_NAME.fullmatch(name) and said:
            answers.add(said)
    if found := verdicts or answers:
        return found.pop() if len(found) == 1 else StatedVerdict.OPEN
    for value in fields.values():
        if isinstance(value, dict) and (said := _said_by_object(value)):
            return said
    return None


def _said_by_value(value: object) -> StatedVerdict | None:
    """Return what the value of a field says: a text, true or false, 1 or 0; None for others."""
    if isinstance(value, str):
        return _said_by_text(value)
    if isinstance(value, int | float) and value in (0, 1):
        return StatedVerdict.YES if value else StatedVerdict.NO
    return None


def _said_by_text(value: str) -> StatedVerdict | None:
    """Return what follows a name: a verdict in words, or 1 or 0, also as ``1/1``."""
    score = _ONE_OR_ZERO.match(value)
    if score and not _OTHER_NUMBER_BEHIND.match(score["rest"]):
        return StatedVerdict.YES if score["score"] == "1" else StatedVerdict.NO
    return said_by(value)


def _read_labels(speech: Speech) -> Iterator[StatedVerdict]:
    """A labelled line or a box: ``Verdict: yes``, but not ``Date: no``, nor one that is shown.

    Labels of an answer (``Answer: yes``) count where there are none of a verdict. Above other lines
    one may repeat what the assistant answered, so that it must not begin as a shown text does.
    """
    verdicts, answers = list[StatedVerdict](), list[StatedVerdict]()
    for label in labels(speech):
        said = _said_by_text(label.value.replace(QUOTED, " "))
        if said is None:
            continue
        if _VERDICT_NAME.fullmatch(label.name):
            verdicts.append(said)
        elif _ANSWER_NAME.fullmatch(label.name):
            is_own = speech.is_too_short_to_quote or label.ends
            if is_own or not speech.shown.begins_with(*words_of(label.value)[:1]):
                answers.append(said)
    for box in _BOX.finditer(speech.text):
        said = said_by(box[1] or box[2] or box[4], alone=True)  # What the box, of any form, holds.
        is_own = speech.is_too_short_to_quote or not speech.shown.holds_written(box[0])
        if said and is_own:
            verdicts.append(said)
    yield from verdicts or answers


def _read_bold(speech: Speech) -> Iterator[StatedVerdict]:
    """Bold print that begins a line: ``**Yes**``, but not ``It says **yes**``.

    A line that the one before leads up to is no statement, nor is bold print that was shown. Where
    the rest of the line makes it say something else, the verdict is open.
    """
    line_before = ""
    for line in filter(str.strip, speech.text.split("\n")):
        bold = None if announces(line_before) else _BOLD_PRINT.match(line)
        line_before = line.strip()
        if bold is None:
            continue
        if speech.shown.holds_written(bold["print"]) and not speech.is_too_short_to_quote:
            continue
        word = bold["said"].rstrip(":")
        said, said_with_rest = said_by(word, alone=True), said_by(word + bold["rest"])
        if said:
            yield said if said_with_rest in (None, said) else StatedVerdict.OPEN


def _read_openings(speech: Speech) -> Iterator[StatedVerdict]:
    """A sentence that opens the reply or its last line: ``No: it is Oslo``, not ``No issue``."""
    for sentence in sentences(speech):
        opens = sentence.is_first or (sentence.begins_line and sentence.in_last_line)
        said = said_by(sentence.text) if opens and sentence.speaks_for_itself else None
        if said:
            yield said


def _read_alone(speech: Speech) -> Iterator[StatedVerdict]:
    """A sentence that is a verdict: ``... Yes.``, but not behind ``Is anything missing?``.

    In the last line, the end of a sentence is enough: ``It names all of them, so yes.``
    """
    for sentence in sentences(speech):
        concluded = _CONCLUSION_AT_END.search(sentence.text) if sentence.in_last_line else None
        text = concluded["said"] if concluded else sentence.text
        said = said_by(text, alone=True) if sentence.speaks_for_itself else None
        if said:
            yield said


def _read_clauses(speech: Speech) -> Iterator[StatedVerdict]:
    """A clause on the answer: ``it passes``, but not ``if so, it passes``.

    An answer that is not wrong need not be right: ``it is not wrong`` leaves the verdict open.
    """
    for sentence in sentences(speech):
        clause = _CLAUSE_ON_ANSWER.search(sentence.text)
        if clause is None or _IN_DOUBT.search(sentence.text) or not sentence.speaks_for_itself:
            continue
        passes = bool(clause["right"] or clause["passes"])
        if clause["denied"]:
            yield StatedVerdict.NO if passes else StatedVerdict.OPEN
        else:
            yield StatedVerdict.YES if passes else StatedVerdict.NO


# Every way to state a verdict, the surest first.
_RULES: tuple[Callable[[Speech], Iterator[StatedVerdict]], ...] = (
    *(_read_fields, _read_labels, _read_bold, _read_openings, _read_alone, _read_clauses),
)
