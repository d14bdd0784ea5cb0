"""Recommendation (ReDial): Dialogues about films, then a dialogue to answer with suggestions.

Golds are entity ids, a prediction is a numbered list of titles, and scoring needs the data set's
entity file.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from mabench import scoring
from mabench.data import Problem, Row, RowContent
from mabench.data.problems import describe
from mabench.data.records import Record
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_before
from mabench.families.family import AuditCheck, Family, ScoringInput
from mabench.families.prompt_tables import read_prompts

_DIALOGUE = re.compile(r"^Dialogue \d+:", re.MULTILINE)


def _ideal(case: ScoringInput) -> str:
    """Return the golds as a numbered list of titles, which is a perfect answer."""
    if case.catalogue is None:
        return ""
    titles = case.catalogue.titles(case.answers)
    listed = "\n".join(f"{number}. {title}" for number, title in enumerate(titles, start=1))
    # The published parser cuts at the first "1." and then drops digits at the start of the line. If
    # the first title begins with digits, as "21 Jump Street", a second number protects them.
    begins_with_digit = bool(titles) and titles[0][:1].isdigit()
    return f"1. {listed}" if begins_with_digit else listed


def _golds_are_entities(
    record: Record, content: RowContent, entity_ids: Container[int] | None
) -> Iterator[Problem]:
    """Check that golds are ids of entities; without ``entity_ids``, only that they are numbers."""
    for i, golds in enumerate(content.answers):
        for j, gold in enumerate(golds):
            field = f"answers[{i}][{j}]"
            if not re.fullmatch(r"[0-9]{1,18}", gold):
                yield record.error(field, describe(gold), "an entity id in digits")
            elif entity_ids is not None and int(gold) not in entity_ids:
                yield record.error(field, describe(gold), "an id that entity2id.json knows")


def _entity_unknown(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions with a gold id that is not in the entity file; none without that file."""
    if catalogue is None:
        return
    for index, answers in enumerate(row.answers):
        unknown = [gold for gold in answers if catalogue.entity(gold) is None]
        if unknown:
            yield index, f"no entity has an id {', '.join(unknown)}"


def _gold_already_named(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions whose conversation already names a gold film.

    A title of one word counts only if its year follows: a sentence that begins with "It" does not
    mean the film.
    """
    if catalogue is None:
        return
    for index, (asked, answers) in enumerate(zip(row.questions, row.answers, strict=True)):
        for title in catalogue.titles(answers):
            year = "" if " " in title else r" \(\d{4}\)"
            if re.search(rf"(?<!\w){re.escape(title)}(?!\w){year}", asked):
                yield index, f"{title!r} is named in the conversation"
                break


FAMILY = Family(
    name="recsys",
    prompts=read_prompts("recsys"),
    units=lambda context: split_before(_DIALOGUE, context),
    budgets=set_budgets(paper=(4096, 300), repository=(4096, 300)),
    metric="recsys_recall@5",
    official=lambda case: (
        scoring.recommendation_recall(case.prediction, case.answers, case.catalogue)
        if case.catalogue
        else {}
    ),
    corrected=lambda case: (
        scoring.correct_recommendation(case.prediction, case.answers, case.catalogue)
        if case.catalogue
        else {}
    ),
    ideal=_ideal,
    no_form=("no-answer", "no-title"),
    needs_entities=True,
    row_checks=(_golds_are_entities,),
    audit_checks=(
        AuditCheck("entity-unknown", _entity_unknown),
        AuditCheck("gold-already-named", _gold_already_named),
    ),
)
