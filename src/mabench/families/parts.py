"""What several families are put together from: ways to cut a context, checks of rows and golds."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from mabench.data import Problem, Row, RowContent
from mabench.data.records import Record, one_line
from mabench.data.validation import RowCheck
from mabench.families.family import AuditCheck, JudgePrompt, JudgingInput, Rubric, Verdict
from mabench.scoring import Catalogue, normalize
from mabench.scoring.judge_replies import yes_or_no
from mabench.scoring.tokens import spelling

_PROMPTS = Path(__file__).with_name("prompts.toml")
VERDICTS = frozenset({"yes", "no"})  # Golds that are said of a history, and not in it.
# A pattern that begins with one character is searched for ten times as fast.
_PARAGRAPH_END = re.compile(r"\n[ \t]*(?:\r?\n[ \t]*)+")


def split_after(pattern: re.Pattern[str], text: str) -> list[str]:
    """Cut ``text`` behind every match of ``pattern``; the pieces joined give it back."""
    return cut(text, (match.end() for match in pattern.finditer(text)))


def split_before(pattern: re.Pattern[str], text: str) -> list[str]:
    """Cut ``text`` in front of every match of ``pattern``; the pieces joined give it back."""
    return cut(text, (match.start() for match in pattern.finditer(text)))


def paragraphs(text: str) -> list[str]:
    """Cut ``text`` at blank lines; the pieces joined give it back."""
    return split_after(_PARAGRAPH_END, text)


def cut(text: str, places: Iterable[int]) -> list[str]:
    """Cut ``text`` at ``places``, which ascend; the pieces joined give it back."""
    edges = [0, *(place for place in places if 0 < place < len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges) if start < end]


def needs_metadata(family: str, *names: str) -> RowCheck:
    """Return a check that a row or its metadata has these fields, without which scores lack."""

    def check(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        for name in names:
            of_row = name in RowContent.model_fields
            if not (content[name] if of_row else content.metadata.get(name)):
                field = name if of_row else f"metadata.{name}"
                yield record.warning(field, "nothing", f"a list, as {family} rows have")

    return check


def _gold_absent(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A question to be answered from the history, in which none of its golds occurs."""
    context = normalize.__wrapped__(row.context)  # Too long to be kept.
    for index, answers in enumerate(row.answers):
        golds = [normalize(answer) for answer in answers]
        if not any(gold in VERDICTS or gold in context for gold in golds):
            yield index, f"none of {answers!r} occurs in the context"


def _candidates_contradict(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """Two golds of one question that cannot both be right.

    Dates of which one gives the year alone do not contradict.
    """
    for index, answers in enumerate(row.answers):
        pairs = combinations(dict.fromkeys(answers), 2)
        clash = next((pair for pair in pairs if contradict(*pair)), None)
        if clash:
            yield index, f"{clash[0]!r} and {clash[1]!r}"


def contradict(one: str, other: str) -> bool:
    """Whether two golds say yes and no, or both hold numbers and have none in common."""
    pair = [spelling(one), spelling(other)]
    numbers, others = ({d for word in words for d in re.findall(r"\d+", word)} for words in pair)
    opposite = set(pair) in ({("yes",), ("no",)}, {("true",), ("false",)})
    return opposite or (bool(numbers) and bool(others) and numbers.isdisjoint(others))


def _find_empty(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A gold that normalises to nothing; the published scorer finds it in every output."""
    for index, answers in enumerate(row.answers):
        empty = [answer for answer in answers if not normalize(answer)]
        if empty:
            yield index, f"{empty[0]!r} normalises to nothing"


def _find_repeated(row: Row, catalogue: Catalogue | None) -> Iterator[tuple[int, str]]:
    """A question that the row asks twice, with different golds."""
    golds: dict[str, dict[frozenset[str], int]] = defaultdict(dict)
    questions = [one_line(question.casefold()) for question in row.questions]
    for index, (question, answers) in enumerate(zip(questions, row.answers, strict=True)):
        golds[question].setdefault(frozenset(map(normalize, answers)), index)
    for index, question in enumerate(questions):
        different = golds[question]
        if len(different) > 1:
            others = [other for other in different.values() if other != index]
            yield index, f"question {others[0]} is the same but has other golds"


# Made of the rows of every family.
EVERY_ROW = (
    AuditCheck(
        "gold-empty", _find_empty, expected="a gold that is more than articles and punctuation"
    ),
    AuditCheck("asked-twice", _find_repeated),
)
# Made where a family names them.
GOLD_ABSENT = AuditCheck(
    "gold-absent", _gold_absent, expected="a gold that occurs in it: answers are taken from there"
)
CANDIDATES_CONTRADICT = AuditCheck("candidates-contradict", _candidates_contradict)


@cache
def _tables(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def read_prompts(name: str, file: Path = _PROMPTS) -> dict[str, str]:
    """Return the texts of a table such as ``infbench.judges``, put into its frame if it has one."""
    table: dict[str, Any] = _tables(file)
    for part in name.split("."):
        table = table[part]
    texts = {role: text for role, text in table.items() if isinstance(text, str)}
    frame = texts.pop("frame", "TEXT")
    return {role: frame.replace("TEXT", text) for role, text in texts.items()}


def pass_or_fail(
    templates: Mapping[str, str],
    role: Callable[[JudgingInput], str],
    official: Callable[[Sequence[str]], float] | None = None,
) -> Rubric:
    """Return a rubric by which the judge says yes or no to an answer, asked in one of its roles."""

    def prompts_for(case: JudgingInput) -> list[JudgePrompt]:
        shown = [case.prediction, case.question, *case.answers]

        def read(reply: str) -> Verdict | None:
            said = yes_or_no(reply, shown)
            return None if said is None else {"correct": int(said)}

        either, all_ = " or ".join(case.answers), " | ".join(dict.fromkeys(case.answers))
        asked = {"question": case.question, "prediction": case.prediction}
        return [JudgePrompt(role(case), {**asked, "answer": either, "answers": all_}, read)]

    return Rubric(templates, prompts_for, lambda said: float(said["correct"]), "correct", official)


# Settles the answers that no rule of the corrected score can tell.
UNCLEAR = pass_or_fail(read_prompts("unclear"), lambda case: "judge_unclear")
