"""FactConsolidation: a numbered list of facts in which later facts supersede earlier ones.

Questions ask for one fact (sh) or need a chain of facts (mh); the gold is always a single string.
``fact_reading`` finds golds that follow from a superseded fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mabench.data import Row
from mabench.families.benchmark.fact_reading import (
    Book,
    Interpretation,
    NumberedStatement,
    Route,
    gives_gold,
    read_row,
)
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_after
from mabench.families.family import AuditCheck, Family, correct_by_rule
from mabench.families.key_checks import GOLD_ABSENT
from mabench.families.prompt_tables import read_prompts
from mabench.scoring import Catalogue, correct_answer
from mabench.text.spans import Span

_LINE_END = re.compile(r"\n+")


def _gold_superseded(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions whose gold follows from a fact that a later fact contradicts.

    The detail shows two chains of facts: the one that leads to the gold, and the one of the newest
    facts. A gold is sound if the newest facts lead to it by any likely reading of the question. If
    no facts lead to it, it is not judged, since the reading may be wrong.
    """
    read = read_row(row)
    for index, (likely, golds) in enumerate(zip(read.rankings, row.answers, strict=True)):
        newest = [_newest_route(read.book, reading) for reading in likely]
        ends = [
            route[-1]
            for route, reading in zip(newest, likely, strict=True)
            if len(route) == len(reading.frames)  # It did not break off.
        ]
        is_sound = any(
            gives_gold(end.object, golds)
            or gives_gold(_name_from_other_side(read.statements, end), golds)
            for end in ends
        )
        if newest and not is_sound:
            needed = _write_route(read.routes[index][likely[0]])
            yield index, f"needs {needed}; the rule gives {_write_route(newest[0])}"


def _older_facts(row: Row) -> Iterator[list[Span]]:
    """Yield for each question the places of facts that newer ones replaced.

    They have the subjects and frames of the facts that lead to the gold by the likeliest reading.
    """
    read = read_row(row)
    for routes, likely in zip(read.routes, read.rankings, strict=True):
        spans: list[Span] = []
        likeliest_route = routes[likely[0]] if likely else ()
        for step in likeliest_route:
            versions = read.book[step.subject.casefold()][step.frame]
            spans += [statement.span for statement in versions[:-1]]
        yield spans


def _name_from_other_side(statements: Sequence[NumberedStatement], last: NumberedStatement) -> str:
    """Return the subject of the newest statement with this frame about its subject; "" if none.

    Some frames hold both ways: ``Oslo is the twin city of Bern`` also names the twin city of Bern.
    """
    for statement in reversed(statements):
        if statement.frame == last.frame and statement.object == last.subject:
            return statement.subject
    return ""


def _write_route(route: Route) -> str:
    """Return a chain of facts as text."""
    return " > ".join(f"{step.serial}. {step.text}." for step in route)


def _newest_route(book: Book, reading: Interpretation) -> Route:
    """Return the chain of the newest facts by a reading; it breaks off where there is no fact."""
    name, route = reading.start, []
    for frame in reading.frames:
        steps = book.get(name, {}).get(frame)
        if not steps:
            break
        route.append(steps[-1])
        name = steps[-1].object.casefold()
    return tuple(route)


FAMILY = Family(
    name="factconsolidation",
    prompts=read_prompts("factconsolidation"),
    units=lambda context: split_after(_LINE_END, context),
    budgets=set_budgets(paper=(512, 10), repository=(4096, 10)),
    metric="substring_exact_match",
    corrected=correct_by_rule("substring_exact_match", correct_answer),
    gold_in_text=lambda answers: True,
    audit_checks=(GOLD_ABSENT, AuditCheck("gold-superseded", _gold_superseded, lowers_best=True)),
    older_values=_older_facts,
)
