"""What a data set holds of its sources and splits: figures, and the lines that it prints as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from mabench.data.inventory import BY_NAME, split_rank
from mabench.data.schema import Row
from mabench.printable import printable
from mabench.text import estimate_tokens


class Contents(NamedTuple):
    """What there is of a split, or of a source in it."""

    split: str  # The split.
    source: str | None  # The source; None for all sources of the split.
    # How many there are; of answers, all candidates.
    rows: int = 0
    questions: int = 0
    answers: int = 0
    tokens: int = 0  # How long the contexts are in all, by estimate.
    # The fields of metadata that are filled in any row, and what other benchmarks add.
    fields: tuple[str, ...] = ()
    # How long the shortest and the longest context is, likewise.
    shortest: int = 0
    longest: int = 0

    @property
    def tokens_a_row(self) -> int:
        """The mean length of a context in tokens, by estimate."""
        return self.tokens // max(self.rows, 1)

    def as_dict(self) -> dict[str, Any]:
        """Return it as values that JSON can hold."""
        rows, questions = self.official or (None, None)
        mean = {"tokens_a_row": self.tokens_a_row}
        return {**self._asdict(), **mean, "official_rows": rows, "official_questions": questions}

    @property
    def official(self) -> tuple[int, int] | None:
        """How many rows and questions the public data set has; None for others' sources."""
        sources = [
            source
            for source in BY_NAME.values()
            if source.split == self.split and self.source in (None, source.name)
        ]
        if not sources:
            return None
        rows = sum(source.rows for source in sources)
        return rows, sum(source.questions for source in sources)

    @classmethod
    def of_row(cls, row: Row) -> Contents:
        """Return what there is in one row."""
        tokens = estimate_tokens(row.context)
        return cls(
            split=row.split,
            source=row.source,
            rows=1,
            questions=len(row.questions),
            answers=sum(map(len, row.answers)),
            tokens=tokens,
            fields=(*row.metadata, *row.added_fields),
            shortest=tokens,
            longest=tokens,
        )


def add_up(parts: Iterable[Contents], *, by_split: bool = False) -> list[Contents]:
    """Return the sums by source, or by split, in the order of the splits."""
    totals: dict[tuple[str, str | None], Contents] = {}
    for part in parts:
        key = part.split, None if by_split else part.source
        total = totals.get(key, Contents(*key))
        totals[key] = Contents(
            *key,
            rows=total.rows + part.rows,
            questions=total.questions + part.questions,
            answers=total.answers + part.answers,
            tokens=total.tokens + part.tokens,
            fields=tuple(dict.fromkeys(total.fields + part.fields)),
            shortest=min(total.shortest or part.shortest, part.shortest),
            longest=max(total.longest, part.longest),
        )
    return sorted(totals.values(), key=lambda total: split_rank(total.split))


def missing_sources(contents: Sequence[Contents]) -> list[str]:
    """Return the sources of the benchmark without a row, if there are rows of any of them."""
    held = {part.source for part in contents}
    return [name for name in BY_NAME if name not in held] if held & BY_NAME.keys() else []


def as_text(name: str, contents: Sequence[Contents]) -> str:
    """Return what a data set prints as: a line for all, each split and each source."""
    lines: list[tuple[str, ...]] = [(printable(name), "rows", "questions", "tokens, about")]
    for split, source, *figures in _lines(contents):
        lines.append((f"    {source}" if source else f"  {split}", *figures))
    width = max(len(label) for label, *_ in lines)
    return "\n".join(
        f"{label:{width}}  {rows:>5}  {questions:>9}  {tokens:>13}"
        for label, rows, questions, tokens in lines
    )


def as_html(name: str, contents: Sequence[Contents]) -> str:
    """Return the same as a table for a notebook."""
    head = "<tr><th>Split<th>Source<th>Rows<th>Questions<th>Tokens, about</tr>"
    lines = ([split, source or "all", *rest] for split, source, *rest in _lines(contents))
    rows = (f"<tr><td>{'<td>'.join(map(escape, line))}</tr>" for line in lines)
    return f"<table><caption>{escape(printable(name))}</caption>{head}{''.join(rows)}</table>"


def _lines(contents: Sequence[Contents]) -> Iterator[tuple[str, ...]]:
    """Yield the texts of split, source, rows, questions and tokens of each line.

    The lines are one for all, and one for each split, before those of its sources. Those without a
    source have an empty text for it.
    """
    parts = add_up((part._replace(split="all") for part in contents), by_split=True)
    for total in add_up(contents, by_split=True):
        parts += [total, *(part for part in contents if part.split == total.split)]
    for part in parts:
        names = printable(part.split), printable(part.source or "")
        yield *names, f"{part.rows:,}", f"{part.questions:,}", f"{part.tokens:,}"
