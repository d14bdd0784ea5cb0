"""Ways to make a valid data set wrong, each with the one place that must be named for it."""

import re
from typing import Any, NamedTuple

from mabench.data.inventory import SPLITS
from tests.data.samples import Rows

AR, TTL, LRU, CR = SPLITS
DROP = object()
IDS, SESSIONS = "metadata.qa_pair_ids", "metadata.haystack_sessions"
TYPES, DATES = "metadata.question_types", "metadata.question_dates"
EVERY_FORMAT = ("parquet", "json", "jsonl")
ANY_TYPE = ("json", "jsonl")
NAMES_SPLIT = ("parquet", "json")


class Corruption(NamedTuple):
    """``value`` is put at ``path`` of a row, or what stands there is dropped.

    The field to be named is ``path``, or the list that an item was dropped from; ``expected``
    is part of what the problem must say.
    """

    split: str
    row: int
    path: str
    value: Any
    expected: str

    @property
    def field(self) -> str:
        return re.sub(r"\[\d+\]$", "", self.path) if self.value is DROP else self.path

    def apply(self, rows: Rows) -> None:
        target: Any = rows[self.split][self.row]
        steps = [int(i) if i else name for i, name in re.findall(r"\[(\d+)\]|(\w+)", self.path)]
        for step in steps[:-1]:
            target = target[step]
        if self.value is DROP:
            del target[steps[-1]]
        else:
            target[steps[-1]] = self.value


ERRORS = [
    Corruption(AR, 1, "metadata.previous_events[1]", DROP, "2, one for each"),
    *(
        Corruption(AR, 2, f"{field}[1]", DROP, "2, one for each")
        for field in ("answers", IDS, DATES, TYPES, "metadata.question_ids")
    ),
    Corruption(CR, 1, "context", "", "not blank"),
    Corruption(CR, 1, "context", " \n", "not blank"),
    Corruption(CR, 1, "questions[0]", " ", "not blank"),
    Corruption(CR, 1, "questions", [], "at least one question"),
    Corruption(CR, 1, "answers[1]", [], "one candidate"),
    Corruption(CR, 1, "answers[1][0]", "", "not blank"),
    Corruption(CR, 1, "metadata.source", "factconsolidation_sh_8k", "factconsolidation_sh_6k"),
    Corruption(CR, 1, IDS, None, "one id for each"),
    Corruption(CR, 1, IDS, DROP, "one id for each"),
    Corruption(AR, 1, f"{IDS}[1]", "eventqa_full_no0", "a unique id"),
    Corruption(AR, 2, "metadata.question_ids[1]", "a4996e51", "a unique id"),
    Corruption(AR, 2, f"{TYPES}[1]", "riddle", "temporal-reasoning"),
    Corruption(TTL, 0, "answers[1][0]", "Alien", "in digits"),
    Corruption(TTL, 0, "answers[1][0]", "105", "entity2id.json knows"),
]
ERRORS_OF_TYPE = [
    Corruption(AR, 0, "context", DROP, "this field"),
    Corruption(AR, 0, "metadata.source", DROP, "this field"),
    Corruption(AR, 2, f"{SESSIONS}[0][1][0].content", DROP, "this field"),
    Corruption(AR, 2, f"{SESSIONS}[0][1][0].has_answer", 1, "true or false"),
    Corruption(CR, 0, "context", ["a"], "a string"),
    Corruption(CR, 0, "questions", {"a": 1}, "a list"),
]
ERRORS_OF_SPLIT = [
    Corruption(CR, 1, "metadata.source", "ruler_qa2_421K", CR),
    Corruption(LRU, 2, f"{IDS}[0]", "detective_qa_book1_no0", "row 1 does not have"),
]
WARNINGS = [
    Corruption(AR, 2, f"{DATES}[1]", "27 May 2023", "22:54"),
    Corruption(AR, 2, f"{DATES}[0]", "2023/05/27 (Sun) 22:54", "22:54"),
    *(
        Corruption(AR, 2, field, DROP, "longmemeval")
        for field in (SESSIONS, DATES, TYPES, "metadata.question_ids")
    ),
    Corruption(LRU, 0, "metadata.keypoints", DROP, "infbench"),
    Corruption(AR, 1, "answers[1][0]", "Cid left.", "2 options"),
    Corruption(AR, 1, "questions[0]", "What next?", "lists options"),
    Corruption(LRU, 1, "answers[0][0]", "C. Cid", "2 options"),
    Corruption(LRU, 1, "answers[0][0]", "A. The Brandts", "2 options"),
    Corruption(CR, 0, "answers[1]", ["Atlantis"], "taken from there"),
    Corruption(AR, 0, "answers[0]", ["The!"], "more than articles"),
]
WARNINGS_OF_FIELD = [
    Corruption(TTL, 1, "comment", "a", "only context"),
    Corruption(TTL, 1, "metadata.comment", "a", "only source"),
    Corruption(AR, 2, f"{SESSIONS}[0][1][0].time", "a", "only content"),
]
CASES = [
    (corruption, severity, format_)
    for table, severity, formats in (
        (ERRORS, "error", EVERY_FORMAT),
        (ERRORS_OF_TYPE, "error", ANY_TYPE),
        (ERRORS_OF_SPLIT, "error", NAMES_SPLIT),
        (WARNINGS, "warning", EVERY_FORMAT),
        (WARNINGS_OF_FIELD, "warning", ANY_TYPE),
    )
    for corruption in table
    for format_ in formats
]
