"""FactConsolidation: a numbered list of facts in which later facts supersede earlier ones.

Questions ask one fact (sh) or a chain of facts (mh); the gold is always a single string.

Which golds follow from a superseded fact is found by a reading of its own; no agent's code takes
part. Statements are split by frames that recur around varying names. A gold tells which chains of
statements a question may mean: those that lead from a name in it to the gold. Which of these fits
the question's words best is learnt from all questions of the row, by expectation maximisation over
words and frames (as in the first model of Brown et al., 1993).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mabench.data import Row
from mabench.families.benchmark.fact_reading import (
    Book,
    Interpretation,
    Route,
    Statement,
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
    """A gold that follows from a fact that a later fact of the history contradicts.

    The detail shows both chains of facts: the one that the gold needs, and the one of the newest
    facts. A gold that the newest facts give by any likely reading of the question is sound, and
    one that no facts give is not judged, since the reading may be wrong.
    """
    book, statements, routes, rankings = read_row(row)
    for index, (ranked, golds) in enumerate(zip(rankings, row.answers, strict=True)):
        rules = [_newest(book, reading) for reading in ranked]
        pairs = zip(rules, ranked, strict=True)
        whole = [rule[-1] for rule, reading in pairs if len(rule) == len(reading.frames)]
        if rules and not any(
            gives_gold(last.object, golds)
            or gives_gold(_name_from_other_side(statements, last), golds)
            for last in whole
        ):
            needed, rule = (
                " > ".join(f"{step.serial}. {step.text}." for step in route)
                for route in (routes[index][ranked[0]], rules[0])
            )
            yield index, f"needs {needed}; the rule gives {rule}"


def _older_facts(row: Row) -> Iterator[list[Span]]:
    """Yield for each question where the facts stand that newer ones replaced.

    They are about the same as those by which the likeliest reading leads to its gold.
    """
    book, _, routes, rankings = read_row(row)
    for readings, ranked in zip(routes, rankings, strict=True):
        route = readings[ranked[0]] if ranked else ()
        yield [one.span for step in route for one in book[step.subject.casefold()][step.frame][:-1]]


def _name_from_other_side(statements: Sequence[Statement], last: Statement) -> str:
    """Return what the newest statement of a frame says from the other side; "" if none does.

    ``Oslo is the twin city of Bern`` tells the twin city of Bern, too.
    """
    same = (one for one in reversed(statements) if one.frame == last.frame)
    return next((one.subject for one in same if one.object == last.subject), "")


def _newest(book: Book, reading: Interpretation) -> Route:
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
