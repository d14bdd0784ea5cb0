"""What a run asks: the rows of its data that are selected, and the questions of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from itertools import islice
from typing import NamedTuple

from mabench.data import Dataset, Question, Row, match_sources
from mabench.data.sources.declarations import explain_unknown
from mabench.errors import DataError, UsageError
from mabench.families import Family, family_of
from mabench.pasteable import write_command
from mabench.results import Key
from mabench.specs import DataSpec
from mabench.text.options import shuffle_options


class AskedSources(NamedTuple):
    """The sources whose questions a run asks."""

    questions: dict[str, int]  # How many are asked, by source.
    families: list[Family]  # Of each source, in the same order.


def find_asked(data: DataSpec, dataset: Dataset) -> AskedSources:
    """Return the sources whose questions are asked.

    Raises:
        DataError: when there are no such questions, or none of one of the sources.
        UsageError: when a source is unknown, or one of the rows is declared by nobody.
    """
    outline = dataset.outline
    held = {row.source for row in outline}
    chosen = None if data.sources is None else match_sources(data.sources, dataset.sources, held)
    counts: Counter[str] = Counter()
    for row in outline:
        if (chosen is None or row.source in chosen) and (data.rows is None or row.row in data.rows):
            counts[row.source] += min(row.questions, data.limit_questions or row.questions)
    for name in counts:
        if name not in dataset.sources:
            expected, paste = explain_unknown(name, dataset.sources)
            raise UsageError(
                f"{dataset.name}: rows of the unknown source {name!r}; expected {expected}, such "
                f"as:\n{paste}"
            )
    missing = [name for name in chosen or () if name not in held]
    if missing and len(missing) < len(chosen or ()):
        raise DataError(
            f"{dataset.name}: no rows of {', '.join(missing)}; leave it out of `sources`, or "
            f"name data that contain it; `{_show_command(dataset)}` lists the contents",
            parameter="sources",
        )
    if not counts:
        wanted = f" of {', '.join(chosen)}" if chosen else ""
        if data.rows:
            wanted += f" numbered {', '.join(map(str, data.rows))}"
        raise DataError(
            f"{dataset.name}: no rows{wanted}; `{_show_command(dataset)}` lists what it holds"
        )
    return AskedSources(dict(counts), [family_of(dataset.sources[name]) for name in counts])


def _show_command(dataset: Dataset) -> str:
    """Return the command that lists what a data set holds."""
    return write_command("data", "show", dataset.location or dataset.name)


def select_rows(
    data: DataSpec, dataset: Dataset, done: Container[Key] = ()
) -> Iterator[tuple[Row, list[Question]]]:
    """Yield the rows of a run with the questions of each that are not ``done``, if any."""
    for row in dataset.rows(data.sources):
        if data.rows is None or row.index in data.rows:
            questions = islice(row.flatten(), data.limit_questions)
            if asked := [question for question in questions if question.key not in done]:
                yield row, [_shuffle_options(question, data.shuffle_options) for question in asked]


def _shuffle_options(question: Question, seed: int | None) -> Question:
    """Return a question with its options in the order that a seed fixes; None: the data's."""
    if seed is None:
        return question
    text, golds = shuffle_options(question.question, question.answers, seed)
    return question._replace(question=text, answers=tuple(golds))
