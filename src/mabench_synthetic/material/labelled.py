"""In-context learning rows over a user's labelled texts: a table with ``text`` and ``label``."""

from __future__ import annotations

from pathlib import Path
from random import Random

from mabench.data.inventory import BY_NAME
from mabench.data.schema import RowContent
from mabench.errors import DataError
from mabench.text import estimate_tokens
from mabench_synthetic.families.icl.generator import LABEL_SETS
from mabench_synthetic.generator import QAPair, row_content
from mabench_synthetic.material.reading import Faults, MaterialSpec, read_table

_LABEL_TOKENS = 6
_FEWEST = 2


def read(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one row: some texts of each class as questions, the others as demonstrations.

    Labels become numbers in random order. When ``spec.tokens`` is given, demonstrations are
    taken class by class in turn until the context has that length, by mabench's estimate.

    Raises:
        DataError: naming every line without text or label, with a text that stands twice, or a
            class with a single text.
    """
    classes = _read(path)
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
    return row_content(_source(spec.source, len(names)), context, pairs)


def _read(path: Path) -> dict[str, list[str]]:
    faults = Faults(path)
    first_line: dict[str, int] = {}
    classes: dict[str, list[str]] = {}
    for line, cells in read_table(path, ("text", "label")):
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
    """Take texts out, class by class in turn; each class keeps at least one to be shown."""
    held_out: list[tuple[str, str]] = []
    names = rng.sample(sorted(classes), len(classes))
    while len(held_out) < count:
        ready = [name for name in names if len(classes[name]) > _FEWEST - 1]
        if not ready:
            break
        held_out += [(classes[name].pop(), name) for name in ready[: count - len(held_out)]]
    return held_out


def _in_turn(classes: dict[str, list[str]], tokens: int | None) -> list[tuple[str, str]]:
    """Return the texts that are left, a text of each class in turn, up to the length."""
    left = float("inf") if tokens is None else tokens
    shown: list[tuple[str, str]] = []
    for turn in range(max(map(len, classes.values()))):
        for name, texts in classes.items():
            if turn < len(texts) and (left > 0 or turn == 0):
                shown.append((texts[turn], name))
                left -= estimate_tokens(texts[turn]) + _LABEL_TOKENS
    return shown


def _source(name: str, classes: int) -> str:
    """Return the source with the nearest number of classes, unless one was named."""
    if name in BY_NAME:
        return name
    return min(LABEL_SETS, key=lambda source: abs(LABEL_SETS[source].classes - classes))
