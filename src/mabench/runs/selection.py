"""What a run asks: the rows of its data that are selected, and the questions of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
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
        UsageError: when a source is unknown, or a row has one that nobody declares.
    """
    outline = dataset.outline
    held = {row.source for row in outline}
    chosen: Collection[str] | None = None  # The sources that were chosen; None for all.
    if data.sources is not None:
        chosen = match_sources(data.sources, dataset.sources, held)
    counts: Counter[str] = Counter()
    for row in outline:
        is_of_source = chosen is None or row.source in chosen
        if is_of_source and _is_selected(data, row.row):
            counts[row.source] += min(row.questions, data.limit_questions or row.questions)
    _refuse_undeclared(dataset, counts)
    _refuse_missing(data, dataset, counts, held, chosen or ())
    return AskedSources(
        questions=dict(counts), families=[family_of(dataset.sources[name]) for name in counts]
    )


def _is_selected(data: DataSpec, row_number: int) -> bool:
    """Return whether a run is over the row with this number, if it is over its source."""
    return data.rows is None or row_number in data.rows


def _refuse_undeclared(dataset: Dataset, asked: Iterable[str]) -> None:
    """Refuse rows of a source that the data set does not declare."""
    for name in asked:
        if name not in dataset.sources:
            expected, paste = explain_unknown(name, dataset.sources)
            raise UsageError(
                f"{dataset.name}: rows of the unknown source {name!r}; expected {expected}, such "
                f"as:\n{paste}"
            )


def _refuse_missing(
    data: DataSpec,
    dataset: Dataset,
    counts: Mapping[str, int],
    held: Container[str],
    chosen: Collection[str],
) -> None:
    """Refuse a choice of sources of which some have no rows, or a choice of no questions at all.

    ``counts`` has the questions by source, ``held`` the sources of all rows of the data set.
    """
    missing = [name for name in chosen if name not in held]
    if missing and len(missing) < len(chosen):
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


def _show_command(dataset: Dataset) -> str:
    """Return the command that lists what a data set holds."""
    return write_command("data", "show", dataset.location or dataset.name)


def select_rows(
    data: DataSpec, dataset: Dataset, done: Container[Key] = ()
) -> Iterator[tuple[Row, list[Question]]]:
    """Yield the rows of a run, each with its questions that are not ``done``; none without any."""
    for row in dataset.rows(data.sources):
        if not _is_selected(data, row.index):
            continue
        questions = islice(row.flatten(), data.limit_questions)
        open_questions = [question for question in questions if question.key not in done]
        if open_questions:
            seed = data.shuffle_options
            yield row, [_shuffle_options(question, seed) for question in open_questions]


def _shuffle_options(question: Question, seed: int | None) -> Question:
    """Return a question with its options in the order that a seed fixes; None: the data's."""
    if seed is None:
        return question
    text, golds = shuffle_options(question.question, question.answers, seed)
    return question._replace(question=text, answers=tuple(golds))
