"""In-context learning: Thousands of labelled texts, then a text to label.

The context is a list of demonstrations, each a text and its numeric label. The gold is the bare
number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from mabench import scoring
from mabench.data import Row
from mabench.data.problems import one_line
from mabench.families.budget import set_budgets
from mabench.families.cutting import split_after
from mabench.families.family import AuditCheck, Family, correct_by_rule
from mabench.families.prompt_tables import read_prompts

_DEMONSTRATION_END = re.compile(r"^label: .*\n{2,}", re.MULTILINE)
_LABEL = re.compile(r"^label: (.*)$", re.MULTILINE)


def _text_shown(row: Row, catalogue: scoring.Catalogue | None) -> Iterator[tuple[int, str]]:
    """Yield questions whose text is already among the labelled examples."""
    labels: dict[str, set[str]] = defaultdict(set)
    end = 0
    for label in _LABEL.finditer(row.context):
        labels[one_line(row.context[end : label.start()].casefold())].add(label[1].strip())
        end = label.end()
    for index, question in enumerate(row.questions):
        shown = labels.get(one_line(question.casefold()))
        if shown:
            yield index, f"shown with label {', '.join(sorted(shown))}"


FAMILY = Family(
    name="icl",
    prompts=read_prompts("icl"),
    units=lambda context: split_after(_DEMONSTRATION_END, context),
    budgets=set_budgets(paper=(4096, 20), repository=(4096, 20)),
    metric="exact_match",
    official=lambda case: scoring.parsed_only(case.prediction, case.answers),
    corrected=correct_by_rule("exact_match", scoring.correct_label),
    no_form=("no-answer", "no-label"),
    audit_checks=(AuditCheck("text-shown", _text_shown),),
)
