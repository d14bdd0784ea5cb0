"""Finds every problem of a data set: in its form, its sources, and what its families expect."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from mabench.data import Dataset, Problem, Row, RowContent, Source
from mabench.data.problems import Severity
from mabench.data.records import Record
from mabench.data.validation import RowCheck, find_problems
from mabench.errors import DataError, shorten_message
from mabench.families import family_of, search_query
from mabench.families.key_checks import EVERY_ROW
from mabench.families.searching import MARKERS
from mabench.loading.opening import Declared, find_declaration_problems, load
from mabench.uncertainty import MIN_HISTORIES


def validate(
    data: object, *, complete: bool = False, offline: bool = False, sources: Declared | None = None
) -> list[Problem]:
    """Return every problem of a data set, errors and warnings.

    Args:
        data: what names the data set, as for ``load``.
        complete: whether sources of the benchmark must have all their rows.
        offline: never use the network.
        sources: sources of your own, as for ``load``.

    Raises:
        UsageError: as ``load`` does.
    """
    declaration_problems = find_declaration_problems(data)
    if declaration_problems:
        return declaration_problems  # What the rows should be is not known.
    try:
        dataset = load(data, offline=offline, sources=sources)
    except DataError as error:
        place = shorten_message(str(data))
        return [Problem("error", place, None, None, str(error), "a data set to read")]
    row_problems = find_problems(dataset, _checks_of, complete=complete, histories=MIN_HISTORIES)
    return [*_find_unsearchable_prompts(dataset), *row_problems]


def _find_unsearchable_prompts(dataset: Dataset) -> Iterator[Problem]:
    """Yield a warning for each source whose prompt does not mark where the question begins.

    A memory would be searched for the whole prompt.
    """
    expected = f"{MARKERS[0]!r} before the question: searches take what follows it"
    file = str(dataset.sources_file or dataset.name)
    for name, source in dataset.sources.items():
        if source.prompt and search_query(source.prompt) == source.prompt:
            yield Problem(
                "warning", file, None, f"[{name}] prompt", "nothing to search by", expected
            )


def _checks_of(source: Source) -> tuple[Sequence[RowCheck], Severity | None]:
    """Return the checks of the rows of a source, and how severe repeated ids are.

    The checks are those of its family, and a warning for golds that an audit would doubt.
    """
    family = family_of(source)
    gold_checks = [check for check in (*EVERY_ROW, *family.audit_checks) if check.expected]

    def warn_of_golds(
        record: Record, content: RowContent, _: Container[int] | None
    ) -> Iterator[Problem]:
        row = Row.model_construct(**dict(content), split=record.split or "", index=record.row)
        for check in gold_checks:
            for question_index, why in check.find(row, None):
                yield record.warning(f"answers[{question_index}]", why, check.expected or "")

    return (*family.row_checks, warn_of_golds), family.repeated_ids
