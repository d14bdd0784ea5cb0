"""FactConsolidation: a numbered list of facts in which later facts supersede earlier ones.

Questions ask one fact (sh) or a chain of facts (mh); the gold is always a single string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mabench.data import Row
from mabench.families.family import AuditCheck, Doubt, Family, budgets, by_rule
from mabench.families.parts import GOLD_ABSENT, split_after
from mabench.families.superseded import older_facts, superseded_golds
from mabench.scoring import Catalogue, correct_answer

_LINE_END = re.compile(r"\n+")

_PROMPT = """\
What you remember holds a numbered list of facts about the world. Some facts contradict earlier \
ones: of two that disagree, the one with the larger serial number is true, whatever you know from \
elsewhere. A question may need several facts one after the other. Reply with the answer alone, in \
as few words as possible.

Now Answer the Question: {question}
Answer:"""


def _gold_superseded(row: Row, catalogue: Catalogue | None) -> Iterator[Doubt]:
    """A gold that follows from a fact which a later fact of the history contradicts.

    The detail shows both chains of facts: the one that the gold needs, and the one of the newest
    facts. A gold that the newest facts give by any likely reading of the question is sound, and
    one that no facts give is not judged, since the reading may be wrong.
    """
    for index, needed, rule in superseded_golds(row.context, row.questions, row.answers):
        yield index, f"needs {needed}; the rule gives {rule}"


FAMILY = Family(
    name="factconsolidation",
    prompts={"answer": _PROMPT},
    units=lambda context: split_after(_LINE_END, context),
    budgets=budgets(paper=(512, 10), repository=(4096, 10)),
    metric="substring_exact_match",
    corrected=by_rule("substring_exact_match", correct_answer),
    gold_in_text=lambda answers: True,
    audit_checks=(GOLD_ABSENT, AuditCheck("gold-superseded", _gold_superseded, lowers_best=True)),
    older_values=lambda row: older_facts(row.context, row.questions, row.answers),
)
