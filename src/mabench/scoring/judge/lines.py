"""The sentences, labels and last line of what a judge says, each with what leads up to it.

A ``Speech`` is what a judge says itself, with a sign in place of each quotation, and ``shown`` are
the texts that it was shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mabench.scoring.judge.phrases import said_by
from mabench.scoring.judge.speech import QUOTED, Speech, words_of
from mabench.scoring.lexicon import pattern

# A number goes with what is before it: "No. 1".
_SENTENCE_END = re.compile(r"(?<=[.!?;\u3002])(?=\s+(?!\d))|(?<=[.!?][*_\"')])(?=\s+(?!\d))")
# The choice that a prompt offers, where a reply repeats it: "Yes or no: yes".
_ECHOED_CHOICE = pattern(r"^\W{0,9}(?:yes(?: or |/| / )no|pass(?: or |/)fail)\W{1,9}(?=\S)")
_ABOUT_PASSING = pattern(r"\b(?:%s)", "judge.passing")
_LIST_MARKER = re.compile(r"\s*(?:[-*#|\u2022]|\d+[.)])")
# A line without a full stop or the like at its end.
_WITHOUT_END = re.compile(rf"[^.!?;:)\]|*\u2026{QUOTED}]$")
_ANNOUNCES_AT_END = pattern(r"\b(?:%s)$", "judge.announcing")
_LABEL = re.compile(
    r"(?:^|(?<=[.!?;]\s))[ \t>#|*_`\-\u2022\[(]*"
    r"(?P<name>[A-Za-z][A-Za-z'_ ]{0,40}?)(?: ?\([^()\n]{1,20}\))?[ \t*_`\])]*"
    r"(?:[:=\uff1a|?]|=>|->|\u2192|[ \t](?:is|-|\u2013|\u2014)(?=[ \t:])|(?=\n))[:*_`]*"
    r"(?=[ \t*_`|]*(?:\n\s*)?(?P<value>[^\n]*))",
    re.MULTILINE,
)
# A label of a verdict at the end of a line: "So my verdict:".
_VERDICT_LABEL_AT_END = pattern(
    r"(?:^|[.!?;,]\s*)(?:(?:so|%s) )*(?:%s|%s|%s|%s)[*_ ]*:[*_ ]*$",
    *("judge.qualifiers", "judge.conclusions", "judge.nouns", "judge.names", "judge.answers"),
)


_WORD_OR_LIST = re.compile(r"[\w\]]")
_LONGEST_HEADING = 2  # Words of a line without an end that may be a heading.


class Sentence(NamedTuple):
    """A sentence that is no question, and what it follows."""

    text: str
    asked: str | None  # The question that it follows, if any.
    announced: bool  # Whether the line before leads up to it: "The assistant wrote:".
    begins_line: bool
    in_last_line: bool
    is_first: bool  # Whether nothing but questions precedes it.

    @property
    def speaks_for_itself(self) -> bool:
        """Whether it is no quotation, and no reply to a question on something else."""
        return not self.announced and (
            self.asked is None or _ABOUT_PASSING.search(self.asked) is not None
        )


class Label(NamedTuple):
    """A name, and what follows it: ``Verdict: yes``, or the line below a heading."""

    name: str
    value: str
    ends: bool  # Whether its value is the last line.


def sentences(speech: Speech) -> Iterator[Sentence]:
    """Yield the sentences of a speech that are no questions.

    A question is told with the sentence behind it, which may only reply to it.
    """
    lines = [line for line in speech.text.split("\n") if _says_something(line)]
    question, is_first, line_before = None, True, ""
    for number, line in enumerate(lines):
        begins_line = True
        for part in _SENTENCE_END.split(_ECHOED_CHOICE.sub("", line)):
            part = part.strip()
            if not _says_something(part):
                continue
            if part.rstrip("*_ \"'").endswith("?"):
                question = part
            else:
                yield Sentence(
                    text=part,
                    asked=question,
                    announced=begins_line and announces(line_before),
                    begins_line=begins_line,
                    in_last_line=number == len(lines) - 1,
                    is_first=is_first,
                )
                question, is_first = None, False
            begins_line = False
        line_before = line.strip()


def _says_something(text: str) -> bool:
    """Return whether a text has a word, a quotation, or a sign that is a verdict."""
    return bool(words_of(text)) or QUOTED in text or said_by(text) is not None


def last_line(speech: Speech) -> str | None:
    """Return the last line of a speech that has a word or a list; nothing without one.

    None if the line before leads up to it, since then it may be a quotation.
    """
    lines = [line.strip() for line in speech.text.split("\n") if _WORD_OR_LIST.search(line)]
    if not lines:
        return ""
    is_announced = len(lines) > 1 and announces(lines[-2])
    return None if is_announced else lines[-1]


def announces(line: str) -> bool:
    """Return whether a line leads up to the next one: "The assistant wrote:".

    It ends with a colon that belongs to no verdict ("Verdict:" does), or it ends without a full
    stop and is neither an item of a list nor a heading.
    """
    plain = line.rstrip("*_ ")
    if plain.endswith(":"):
        return not _VERDICT_LABEL_AT_END.search(plain)
    if _LIST_MARKER.match(line):
        return False
    if _ANNOUNCES_AT_END.search(plain):
        return True
    is_heading = len(words_of(line)) <= _LONGEST_HEADING
    return not is_heading and _WITHOUT_END.search(plain) is not None


def labels(speech: Speech) -> Iterator[Label]:
    """Yield the labels at the beginnings of lines and sentences.

    One whose name and first word the judge was shown side by side is left out: it may only repeat
    an example of the prompt.
    """
    last = speech.text.rstrip().rpartition("\n")[2].rstrip()
    for found in _LABEL.finditer(speech.text):
        name, value = re.sub(r"[\s_]+", " ", found["name"]).strip(), found["value"].strip()
        first_word = words_of(value)[:1]
        is_shown = bool(first_word) and speech.shown.holds(name, *first_word)
        if speech.is_too_short_to_quote or not is_shown:
            yield Label(name, value, ends=last.endswith(found["value"].rstrip()))
