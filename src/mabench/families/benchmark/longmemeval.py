"""LongMemEval: dated chat sessions of one user, then questions about what was said.

The context is a Python list literal in which the date of a session and its turns alternate. In the
files that LongMemEval itself publishes it is text, in which its date precedes every turn. The paper
scores by a language model's verdict; the text metrics are reported as well.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from datetime import datetime

from mabench.data import Problem, Row, RowContent
from mabench.data.problems import describe
from mabench.data.records import Record
from mabench.families.budget import set_budgets
from mabench.families.cutting import cut_at, split_before
from mabench.families.family import AuditCheck, Family, Leak
from mabench.families.prompt_tables import read_prompts
from mabench.families.row_checks import needs_metadata
from mabench.families.rubric import JudgingInput, pass_or_fail
from mabench.scoring import Catalogue
from mabench.scoring.judge_replies import says_yes

# The role of the judge's prompt for a type of question; see ``_role``.
_ROLES = {
    "temporal-reasoning": "judge_temporal",
    "knowledge-update": "judge_update",
    "single-session-preference": "judge_preference",
}

_QUESTION_TYPES = (
    *("single-session-user", "single-session-assistant", "single-session-preference"),
    *("multi-session", "temporal-reasoning", "knowledge-update"),
)
_DATE_FORM = "%Y/%m/%d (%a) %H:%M"
# A string literal, to be formatted with its quotation mark. Its group matches if the text ends
# before the string is closed.
_STRING = r"{0}[^{0}\\]*+(?:\\.[^{0}\\]*+)*+(?:{0}|(\\?\Z))".format
_BRACKETS = (r"[\[{]+", r"[\]}]+")
# The value of ``has_answer``, with the comma after it.
_MARK_VALUE = re.compile(r"\s*:\s*(?:[Tt]rue|[Ff]alse|None|null)\b(?P<comma>\s*,\s*)?")
_DATE = re.compile(r"^\W{0,3}Chat Time:", re.MULTILINE)


def _tokens(context: str) -> Iterator[re.Match[str]]:
    """Yield the strings and the runs of brackets in a literal.

    A quotation mark that is never closed is skipped, such as an apostrophe in damaged text.
    """
    quotes = ["'", '"']
    start = 0
    while True:
        pattern = re.compile("|".join([*map(_STRING, quotes), *_BRACKETS]), re.DOTALL)
        unclosed = None
        for match in pattern.finditer(context, start):
            if match.lastindex:  # The group of an unclosed string.
                unclosed = match
                break
            yield match
        if unclosed is None:
            return
        # From here on, this mark does not quote.
        quotes.remove(unclosed.group()[0])
        start = unclosed.start() + 1


def _sessions(context: str) -> list[str]:
    """Cut a context into sessions; without a list literal, at the lines with a date.

    A session begins at each string at the top level of the list. The literal is scanned and not
    evaluated, so that the pieces are exact parts of the text.
    """
    if not context.lstrip().startswith("["):
        return split_before(_DATE, context)
    depth = 0
    starts = []
    for token in _tokens(context):
        first = token.group()[0]
        if first in "[{":
            depth += len(token.group())
        elif first in "]}":
            depth -= len(token.group())
        elif depth == 1:
            starts.append(token.start())
    return cut_at(context, starts)


def _without_marks(context: str) -> str:
    """Return a context without the field ``has_answer`` of its turns, otherwise unchanged.

    Of the commas before and after the field, one is left if there are two.
    """
    if not context.lstrip().startswith("["):
        return context
    parts = []
    start = 0  # Where the rest begins that is not in ``parts`` yet.
    for token in _tokens(context):
        name = token.group()[1:-1]
        value = _MARK_VALUE.match(context, token.end()) if name == "has_answer" else None
        if value is None:
            continue
        before = context[start : token.start()]
        start = value.end()  # After its comma, if it has one.
        if before.rstrip().endswith(","):
            before = before.rstrip()[:-1]
            if value["comma"] is not None:
                start = value.start("comma")
        parts.append(before)
    return "".join(parts) + context[start:]


def _role(case: JudgingInput) -> str:
    """Return the role of the judge's prompt for a question."""
    if _is_unanswerable(case.question_id):
        return "judge_abstention"
    return _ROLES.get(case.question_type or "", "judge")


def _is_unanswerable(question_id: str | None) -> bool:
    """Return whether the id of a question says that it cannot be answered."""
    return "_abs" in (question_id or "")


def _check_questions(
    record: Record, content: RowContent, known: Container[int] | None
) -> Iterator[Problem]:
    """Check the types of questions, and that dates have the public form with the right weekday."""
    if not content.turns:
        yield from needs_metadata("longmemeval", "haystack_sessions")(record, content, known)
    for i, kind in enumerate(content.metadata.get("question_types") or ()):
        if kind not in _QUESTION_TYPES:
            expected = f"one of {', '.join(_QUESTION_TYPES)}"
            yield record.error(f"metadata.question_types[{i}]", describe(kind), expected)
    for i, date in enumerate(content.metadata.get("question_dates") or ()):
        try:
            is_date = datetime.strptime(date, _DATE_FORM).strftime(_DATE_FORM) == date
        except ValueError:
            is_date = False
        if not is_date:
            expected = "a date such as 2023/05/27 (Sat) 22:54"
            yield record.warning(f"metadata.question_dates[{i}]", describe(date), expected)


def _no_gold_turn(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield answerable questions for which no turn is marked as evidence."""
    ids = {turn.id for turn in row.turns or ()}
    haystacks = row.metadata.get("haystack_sessions") or []
    if not ids and len(haystacks) != len(row.questions):
        return  # The questions share their sessions, so nobody knows whose mark it is.
    for n, question in enumerate(row.flatten()):
        if ids:
            is_marked = not ids.isdisjoint(question.evidence or ())
        else:
            is_marked = any(turn.get("has_answer") for session in haystacks[n] for turn in session)
        if not is_marked and not _is_unanswerable(question.question_id):
            yield n, "no turn is marked has_answer"


FAMILY = Family(
    name="longmemeval",
    prompts=read_prompts("longmemeval"),
    units=_sessions,
    budgets=set_budgets(paper=(512, 100), repository=(4096, 50)),
    metric="judge_accuracy",
    rubric=pass_or_fail(
        read_prompts("longmemeval.judges"),
        _role,
        official=lambda replies: float(says_yes(replies[0])),
    ),
    row_checks=(
        needs_metadata("longmemeval", "question_dates", "question_ids", "question_types"),
        _check_questions,
    ),
    repeated_ids="warning",  # Whether they restart in every row is not documented.
    audit_checks=(AuditCheck("no-gold-turn", _no_gold_turn),),
    leak=Leak("'has_answer': True marks the turns that hold the answers", _without_marks),
)
