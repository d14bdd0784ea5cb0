"""The sentences, labels and last line of what a judge says, each with what leads up to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mabench.scoring.judge.phrases import said_by
from mabench.scoring.judge.speech import QUOTED, Speech, words_of
from mabench.scoring.lexicon import pattern

# A number goes with what is before it: "No. 1".
_SENTENCE_END = re.compile(r"(?<=[.!?;\u3002])(?=\s+(?!\d))|(?<=[.!?][*_\"')])(?=\s+(?!\d))")
_ECHOED = pattern(r"^\W{0,9}(?:yes(?: or |/| / )no|pass(?: or |/)fail)\W{1,9}(?=\S)")
_ABOUT_PASSING = pattern(r"\b(?:%s)", "judge.passing")
_LISTED = re.compile(r"\s*(?:[-*#|\u2022]|\d+[.)])")
_UNFINISHED = re.compile(rf"[^.!?;:)\]|*\u2026{QUOTED}]$")
_ANNOUNCING = pattern(r"\b(?:%s)$", "judge.announcing")
_LABEL = re.compile(
    r"(?:^|(?<=[.!?;]\s))[ \t>#|*_`\-\u2022\[(]*"
    r"(?P<name>[A-Za-z][A-Za-z'_ ]{0,40}?)(?: ?\([^()\n]{1,20}\))?[ \t*_`\])]*"
    r"(?:[:=\uff1a|?]|=>|->|\u2192|[ \t](?:is|-|\u2013|\u2014)(?=[ \t:])|(?=\n))[:*_`]*"
    r"(?=[ \t*_`|]*(?:\n\s*)?(?P<value>[^\n]*))",
    re.MULTILINE,
)
_LEADING_LABEL = pattern(
    r"(?:^|[.!?;,]\s*)(?:(?:so|%s) )*(?:%s|%s|%s|%s)[*_ ]*:[*_ ]*$",
    *("judge.qualifiers", "judge.conclusions", "judge.nouns", "judge.names", "judge.answers"),
)


_SAYS = re.compile(r"[\w\]]")


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
    """Yield the sentences of a speech that are no questions."""
    lines = [line for line in speech.text.split("\n") if _says_something(line)]
    asked, is_first, before = None, True, ""
    for number, line in enumerate(lines):
        begins_line = True
        for part in _SENTENCE_END.split(_ECHOED.sub("", line)):
            part = part.strip()
            if not _says_something(part):
                continue
            if part.rstrip("*_ \"'").endswith("?"):
                asked = part
            else:
                announced = begins_line and before != "" and announces(before)
                is_last = number == len(lines) - 1
                yield Sentence(part, asked, announced, begins_line, is_last, is_first)
                asked, is_first = None, False
            begins_line = False
        before = line.strip()


def _says_something(text: str) -> bool:
    return bool(words_of(text)) or QUOTED in text or said_by(text) is not None


def last_line(speech: Speech) -> str | None:
    """Return the last line of a speech; None if the line before leads up to it."""
    *before, last = [one.strip() for one in speech.text.split("\n") if _SAYS.search(one)] or [""]
    return None if before and announces(before[-1]) else last


def announces(line: str) -> bool:
    """Return whether a line leads up to the next one: "The assistant wrote:".

    It ends with a colon that belongs to no verdict, or has no end and is no item of a list.
    """
    plain = line.rstrip("*_ ")
    if plain.endswith(":"):
        return not _LEADING_LABEL.search(plain)
    if _LISTED.match(line):
        return False
    is_heading = len(words_of(line)) <= 2 and not _ANNOUNCING.search(plain)
    return not is_heading and bool(_UNFINISHED.search(plain) or _ANNOUNCING.search(plain))


def labels(speech: Speech) -> Iterator[Label]:
    """Yield the labels at the beginnings of lines and sentences.

    Labels that only repeat an example of the prompt are left out.
    """
    last = speech.text.rstrip().rpartition("\n")[2]
    for found in _LABEL.finditer(speech.text):
        name, value = re.sub(r"[\s_]+", " ", found["name"]).strip(), found["value"].strip()
        first = words_of(value)[:1]
        if speech.is_whole or not (first and speech.shown.holds(name, *first)):
            yield Label(name, value, last.rstrip().endswith(found["value"].rstrip()))
