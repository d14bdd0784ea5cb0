"""Which judged answers change without an entry of the word lists, or a decision.

One entry at a time is taken out of ``words.toml`` or ``stated/signs.toml`` in
``src/mabench/scoring``, or one decision out of ``stated/decisions.py``, and the judged answers are
scored without it. An entry is a word, a pattern or a line of names; a list whose comment calls it a
closed class is one entry, since half a class is none. An answer that is worse without the entry
(decided against the reader, or no longer decided) needs it; one that is better speaks against it.

    python -m benchmarks.earning [FILE...] [--lists SECTION.KEY...] [--places]

Decisions are the lists ``decisions.NAME``.

Files are those of ``benchmarks.verdicts``; without one, all of ``data/judged`` and the verdicts of
``../shared/parity`` are read. Only answers that an entry may bear on are scored: those that hold
one of its words, or all where it has none. ``--places`` names every answer that changes, and none
of them is printed, since some sets stay unread. Takes some minutes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from benchmarks.verdicts import ANSWERS, ENTITIES, PARITY, Reading, films_for, read_file, read_line
from mabench.scoring import lexicon
from mabench.scoring.lexicon import WordLists, go_by, sections
from mabench.scoring.stated import choosing
from mabench.scoring.stated.decisions import DECISIONS

_FOLDER = Path(lexicon.__file__).parent
_FILES = (_FOLDER / "words.toml", _FOLDER / "stated" / "signs.toml")
_DECISIONS = "decisions"  # The section of decisions, which no file has.
_KEY = re.compile(r"(?P<comment>(?:^#.*\n)*)^(?:\[(?P<section>\w+)\]\n|(?P<key>[\w-]+) ?=)", re.M)
_CLOSED = "closed class"
_SAID = "rules"  # The section that has sentences of the reference, and no words.
_LITERAL = re.compile(r"[^\W\d_]{2,}")
_SYNTAX = re.compile(r"\\.|\[[^\]]*\]|\(\?[-i:<=!]+|\w[?*]")  # Optional letters, too.
_WRITTEN_OTHERWISE = re.compile(r"\d")  # "1 place" is found in "one place".
# What bears on answers of any words: endings of words, signs, what is written about an answer.
_ANYWHERE = (
    "titles",
    "final",
    "fields",
    ("names", "sounds"),
    ("forms", "endings"),
    "marks",
    "numbers",
    _DECISIONS,
)
# What bears on answers to some sources alone.
_SOURCES = {"titles": ("recsys",), "label": ("icl",), "choice": ("eventqa", "detective")}
_BAR = "&#124;"
# How well a reading does: the more, the better.
GOOD = {"differs": 0, "unclear": 1, "agrees": 2}


class Entry(NamedTuple):
    """An entry of a word list; ``said`` is None for a closed class, which is one entry."""

    section: str
    key: str
    said: str | None

    @property
    def name(self) -> str:
        """Its list, and what it is."""
        return f"{self.section}.{self.key}" + ("" if self.said is None else f": {self.said}")


class Change(NamedTuple):
    """An answer that changes without an entry: its place, and how it is read with and without."""

    place: str
    before: Reading
    after: Reading

    @property
    def gain(self) -> int:
        """More than 0 where the entry makes the reading better, less where it makes it worse."""
        return GOOD[self.before.kind] - GOOD[self.after.kind]


def all_entries() -> Iterator[Entry]:
    """Yield every entry of the word lists, in the order of the files, and every decision."""
    for file in _FILES:
        yield from _entries_of(file)
    yield from (Entry(_DECISIONS, decision.name, None) for decision in DECISIONS)


def _entries_of(file: Path) -> Iterator[Entry]:
    section = ""
    for match in _KEY.finditer(file.read_text(encoding="utf-8")):
        section, key = match["section"] or section, match["key"]
        if not key or section == _SAID:
            continue
        if _CLOSED in match["comment"].lower():
            yield Entry(section, key, None)
        else:
            yield from (Entry(section, key, said) for said in _listed(section, key))


def _listed(section: str, key: str) -> Sequence[str]:
    listed = sections()[section][key]
    return listed.split() if isinstance(listed, str) else listed


@contextmanager
def without(entry: Entry) -> Iterator[None]:
    """Let the rules go without an entry, or a decision, for a while."""
    if entry.section == _DECISIONS:
        others = tuple(decision for decision in DECISIONS if decision.name != entry.key)
        with mock.patch.object(choosing, "DECISIONS", others):
            yield
    else:
        with go_by(_lists_without(entry)):
            yield


def _lists_without(entry: Entry) -> WordLists:
    """Return the word lists without an entry; of a closed class nothing is left."""
    kept = [] if entry.said is None else _listed(entry.section, entry.key)
    rest = [said for said in kept if said != entry.said]
    return {**sections(), entry.section: {**sections()[entry.section], entry.key: rest}}


class Judged(NamedTuple):
    """A judged answer: its place (``FILE:LINE``), its line, its words, and how it is read."""

    place: str
    line: dict[str, Any]
    text: str
    reading: Reading


def read_judged(files: Sequence[Path], entities: Path) -> list[Judged]:
    """Return the judged answers of some files on which readers agree."""
    return [
        Judged(f"{file.name}:{number}", reading.line, _text_of(reading.line), reading)
        for file in files
        for number, reading in enumerate(read_file(file, entities), start=1)
        if reading.kind != "split"
    ]


def _text_of(line: dict[str, Any]) -> str:
    names = ("question", "answers", "gold", "prediction", "answer")
    return " ".join(str(line[name]) for name in names if name in line).casefold()


def changes_without(entry: Entry, judged: Sequence[Judged], entities: Path) -> list[Change]:
    """Return the answers of which the corrected score says something else without an entry."""
    literals = _literals(entry)
    sources = _SOURCES.get(entry.section, ())
    bearing = [
        one
        for one in judged
        if (not sources or str(one.line.get("source")).startswith(sources))
        and (not literals or any(word in one.text for word in literals))
    ]
    with without(entry):
        after = [read_line(one.line, films_for(one.line, entities)) for one in bearing]
    found = [Change(one.place, one.reading, new) for one, new in zip(bearing, after, strict=True)]
    return [change for change in found if change.before.score != change.after.score]


def _literals(entry: Entry) -> frozenset[str]:
    """Return runs of letters of which an answer has one if an entry can bear on it; or none."""
    if entry.section in _ANYWHERE or (entry.section, entry.key) in _ANYWHERE:
        return frozenset()
    listed = [entry.said] if entry.said is not None else _listed(entry.section, entry.key)
    if any(map(_WRITTEN_OTHERWISE.search, listed)):
        return frozenset()
    runs = [_LITERAL.findall(_SYNTAX.sub(" ", said).casefold()) for said in listed]
    return frozenset(chain.from_iterable(runs)) if all(runs) else frozenset()


def main() -> None:
    """Print how many answers get better and worse by each entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="verdicts, an object a line")
    parser.add_argument("--entities", type=Path, default=ENTITIES)
    parser.add_argument("--lists", nargs="*", help="lists to look at, such as names.kinds")
    parser.add_argument("--places", action="store_true", help="name every answer that changes")
    arguments = parser.parse_args()
    files = arguments.files or [*sorted(ANSWERS.glob("*.jsonl")), *sorted(PARITY.glob("verdicts*"))]
    judged = read_judged(files, arguments.entities)
    print("| entry | better with it | no matter | worse with it |\n|---|---:|---:|---:|")
    for entry in all_entries():
        if arguments.lists and f"{entry.section}.{entry.key}" not in arguments.lists:
            continue
        changes = changes_without(entry, judged, arguments.entities)
        gains = [change.gain for change in changes]
        counts = (sum(g > 0 for g in gains), gains.count(0), sum(g < 0 for g in gains))
        print(f"| {entry.name.replace('|', _BAR)} | {' | '.join(map(str, counts))} |", flush=True)
        for change in changes if arguments.places else ():
            before, after = change.before, change.after
            print(
                f"  {change.place}: {before.kind} ({before.score.rule}) with it, "
                f"{after.kind} ({after.score.rule}) without"
            )


if __name__ == "__main__":
    main()
