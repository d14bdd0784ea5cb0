"""Every problem of a data set: its schema, its sources, and what its families expect."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from mabench.data import Problem, Row, RowContent, Source
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
    """Return every problem of a data set; arguments and ``UsageError`` are those of ``load``."""
    wrong = find_declaration_problems(data)
    if wrong:
        return wrong  # What the rows should be is not known.
    try:
        dataset = load(data, offline=offline, sources=sources)
    except DataError as error:
        place = shorten_message(str(data))
        return [Problem("error", place, None, None, str(error), "a data set to read")]
    expected = f"{MARKERS[0]!r} before the question: searches take what follows it"
    file = str(dataset.sources_file or dataset.name)
    unsearchable = [
        Problem("warning", file, None, f"[{name}] prompt", "nothing to search by", expected)
        for name, source in dataset.sources.items()
        if source.prompt and search_query(source.prompt) == source.prompt
    ]
    problems = find_problems(dataset, _rules, complete=complete, histories=MIN_HISTORIES)
    return [*unsearchable, *problems]


def _rules(source: Source) -> tuple[Sequence[RowCheck], Severity | None]:
    """Return the checks of a source's rows, with what an audit would flag, and of repeated ids."""
    family = family_of(source)
    flagged = [check for check in (*EVERY_ROW, *family.audit_checks) if check.expected]

    def warn(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        row = Row.model_construct(**dict(content), split=record.split or "", index=record.row)
        for check in flagged:
            for index, why in check.find(row, None):
                yield record.warning(f"answers[{index}]", why, check.expected or "")

    return (*family.row_checks, warn), family.repeated_ids
