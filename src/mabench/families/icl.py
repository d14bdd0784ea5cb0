"""In-context learning: thousands of labelled texts, then a text to label.

The context is a list of demonstrations, a text and its numeric label each; the gold is the bare
number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from mabench.data import Row
from mabench.data.records import one_line
from mabench.families.family import AuditCheck, Doubt, Family, budgets, by_rule
from mabench.families.parts import read_prompts, split_after
from mabench.scoring import Catalogue, correct_label, parsed_only

_DEMONSTRATION_END = re.compile(r"^label: .*\n{2,}", re.MULTILINE)
_LABEL = re.compile(r"^label: (.*)$", re.MULTILINE)


def _text_shown(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A text to label that stands among the labelled examples already."""
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
    budgets=budgets(paper=(4096, 20), repository=(4096, 20)),
    metric="exact_match",
    official=lambda case: parsed_only(case.prediction, case.answers),
    corrected=by_rule("exact_match", correct_label),
    no_form=("no-answer", "no-label"),
    audit_checks=(AuditCheck("text-shown", _text_shown),),
)
