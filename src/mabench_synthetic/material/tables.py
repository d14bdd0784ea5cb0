"""Makes rows from a user's tables: labelled texts, or facts of subject, relation and object."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from mabench.data.inventory import BY_NAME
from mabench.data.schema import RowContent
from mabench.errors import DataError, reason
from mabench.text import estimate_tokens
from mabench.userfile import LARGEST_DOCUMENT, open_file
from mabench_synthetic.families.icl.generator import LABEL_SETS
from mabench_synthetic.generator import QAPair, row_content
from mabench_synthetic.language import sentence
from mabench_synthetic.material.reading import Faults, MaterialSpec, fitting
from mabench_synthetic.specs import sources_named


def _read_table(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line number and the cells of each row of a CSV file, by column name.

    A file whose name ends in ``.tsv`` is separated by tabs. Cells are stripped; a column that a
    short row leaves out is empty.

    Raises:
        DataError: when the file cannot be read, or its header lacks a needed column.
    """
    separator = "\t" if path.suffix == ".tsv" else ","
    try:
        with (
            open_file(path, LARGEST_DOCUMENT) as content,
            io.TextIOWrapper(content, encoding="utf-8-sig", newline="") as stream,
        ):
            reader = csv.DictReader(stream, delimiter=separator, restkey="", restval="")
            names = [name.strip() for name in reader.fieldnames or ()]
            missing = [name for name in needed if name not in names]
            if missing:
                raise DataError(
                    f"{path}: line 1: no column {', '.join(missing)}; the header must name "
                    f"{', '.join(needed)}"
                )
            reader.fieldnames = names
            for row in reader:
                cells = {name: (row.get(name) or "").strip() for name in names}
                if any(cells.values()):
                    yield reader.line_num, cells
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: not a readable table: {reason(error)}") from error


_LABEL_TOKENS = 6
_FEWEST = 2


def read_labelled(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one row: some texts of each class as questions, the others as demonstrations.

    The columns are ``text`` and ``label``. Labels become numbers in random order. When
    ``spec.tokens`` is given, demonstrations are taken class by class in turn until the context has
    that length, by mabench's estimate.

    Raises:
        DataError: naming every line without text or label, with a text that is there twice, or a
            class with a single text.
    """
    classes = _classes_of(path)
    rng = spec.random_stream()
    for texts in classes.values():
        rng.shuffle(texts)
    names = sorted(classes)
    numbers = dict(zip(rng.sample(names, len(names)), range(len(names)), strict=True))
    questions = _held_out(rng, classes, spec.questions)
    shown = _in_turn(classes, spec.tokens)
    rng.shuffle(shown)
    rng.shuffle(questions)
    context = "\n\n".join(f"{text}\nlabel: {numbers[label]}" for text, label in shown)
    pairs = [QAPair(text, (str(numbers[label]),)) for text, label in questions]
    source = spec.source
    if source not in BY_NAME:
        source = min(LABEL_SETS, key=lambda one: abs(LABEL_SETS[one].classes - len(names)))
    return row_content(source, context, pairs)


def _classes_of(path: Path) -> dict[str, list[str]]:
    """Return the texts of each label in a file, or raise a ``DataError`` with all faults."""
    faults = Faults(path)
    first_line: dict[str, int] = {}
    classes: dict[str, list[str]] = {}
    for line, cells in _read_table(path, ("text", "label")):
        text, label = " ".join(cells["text"].split()), cells["label"]
        if not text or not label:
            empty = "label" if text else "text"
            faults.add(f"line {line}", f"{empty} is empty", "fill it or remove the line")
        elif text in first_line:
            same = f"the text of line {first_line[text]} again"
            faults.add(f"line {line}", same, "remove one of the two")
        else:
            first_line[text] = line
            classes.setdefault(label, []).append(text)
    for label, texts in classes.items():
        if len(texts) < _FEWEST:
            line = first_line[texts[0]]
            alone = f"the only text with the label {label!r}"
            faults.add(f"line {line}", alone, "add another one, to be asked about")
    faults.raise_if_any()
    if len(classes) < _FEWEST:
        raise DataError(f"{path}: {len(classes)} labels; a row takes two or more")
    return classes


def _held_out(rng: Random, classes: dict[str, list[str]], count: int) -> list[tuple[str, str]]:
    """Set texts aside, from each class in turn; each class keeps at least one."""
    held_out: list[tuple[str, str]] = []
    names = rng.sample(sorted(classes), len(classes))
    while len(held_out) < count:
        ready = [name for name in names if len(classes[name]) > 1]
        if not ready:
            break
        held_out += [(classes[name].pop(), name) for name in ready[: count - len(held_out)]]
    return held_out


def _in_turn(classes: dict[str, list[str]], tokens: int | None) -> list[tuple[str, str]]:
    """Return the remaining texts, from each class in turn, up to a length."""
    left = float("inf") if tokens is None else tokens
    shown: list[tuple[str, str]] = []
    for turn in range(max(map(len, classes.values()))):
        for name, texts in classes.items():
            if turn < len(texts) and (left > 0 or turn == 0):
                shown.append((texts[turn], name))
                left -= estimate_tokens(texts[turn]) + _LABEL_TOKENS
    return shown


_HEADER = "Here is a list of facts:\n"


class _Triple(NamedTuple):
    """A fact of a user's table, with its place in the order and its own question, if any."""

    subject: str
    relation: str
    object: str
    order: float
    question: str

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object}"

    @property
    def key(self) -> tuple[str, str]:
        return self.subject.lower(), self.relation.lower()


def read_triples(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one single-hop row: the facts in their order; a later fact holds.

    The columns are ``subject``, ``relation`` (the words between the two, such as ``was born
    in``) and ``object``; ``order`` (a number; else the order of the lines) and ``question`` are
    optional; the default question is ``SUBJECT RELATION what?``. Contradicted facts are asked
    for first. Only the latest facts of a longer file are used, up to ``spec.tokens``.

    Raises:
        DataError: naming every line with an empty cell, an order that is no number, or a question
            that gives its answer away.
    """
    in_order = sorted(_triples_of(path), key=lambda fact: fact.order)
    newest_first = fitting(
        reversed(in_order), spec.tokens, lambda fact: estimate_tokens(f"0. {fact}.\n")
    )
    facts = newest_first[::-1]
    lines = [f"{i}. {sentence(str(fact))}." for i, fact in enumerate(facts)]
    context = _HEADER + "\n".join(lines) + "\n"
    latest = {fact.key: fact for fact in facts}
    changed = {fact.key for fact in facts if latest[fact.key].object != fact.object}
    rng = spec.random_stream()
    shuffled = rng.sample(sorted(latest), len(latest))
    keys = [key for key in shuffled if key in changed]
    keys += [key for key in shuffled if key not in changed]
    asked = [latest[key] for key in keys[: spec.questions]]
    pairs = [
        QAPair(fact.question or f"{sentence(fact.subject)} {fact.relation} what?", (fact.object,))
        for fact in asked
    ]
    rng.shuffle(pairs)
    name = "factconsolidation_sh" if spec.source == "factconsolidation" else spec.source
    (source,) = sources_named(name, estimate_tokens(context))
    return row_content(source, context, pairs)


def _triples_of(path: Path) -> list[_Triple]:
    """Return the facts in a file, or raise a ``DataError`` with all faults."""
    faults = Faults(path)
    facts: list[_Triple] = []
    for line, cells in _read_table(path, ("subject", "relation", "object")):
        place = f"line {line}"
        for column in ("subject", "relation", "object"):
            if not cells[column]:
                faults.add(place, f"{column} is empty", "fill it or remove the line")
        order = _number(cells.get("order") or str(len(facts)))
        if order is None:
            faults.add(place, f"order {cells['order']!r} is no number", "write one, such as 12")
        question = cells.get("question", "")
        if question and cells["object"] and cells["object"].lower() in question.lower():
            faults.add(place, "the question holds its answer", "word it otherwise")
        facts.append(
            _Triple(
                subject=" ".join(cells["subject"].split()),
                relation=" ".join(cells["relation"].split()),
                object=" ".join(cells["object"].rstrip(".").split()),
                order=order or 0.0,
                question=question,
            )
        )
    if not facts:
        faults.add("line 2", "there are no facts", "add a line for each")
    faults.raise_if_any()
    return facts


def _number(text: str) -> float | None:
    """Return the number that a text is; None if it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
