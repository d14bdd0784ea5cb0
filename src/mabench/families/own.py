"""The families for sources of one's own, and what such a source sets instead of its family.

They are scored as families of the benchmark, but asked in words that fit any history, and their
units are paragraphs unless the source says how a unit begins.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from mabench.data import Problem, RowContent, Source
from mabench.data.inventory import SETTINGS
from mabench.data.records import Record, describe
from mabench.data.unit_patterns import unit_starts
from mabench.data.validation import RowCheck
from mabench.errors import DataError, UsageError
from mabench.families import detective, icl, longmemeval, ruler
from mabench.families.family import Correction, Family, ScoringInput
from mabench.families.parts import cut, paragraphs
from mabench.scoring import Corrected
from mabench.suggestions import unknown

_PROMPT = """\
What you remember is a history that you were told. Answer the question from it. REPLY

Now Answer the Question: {question}
Answer:"""

_REPLIES = {
    "answer": "Reply with the answer alone, in as few words as possible.",
    "choice": 'Reply with the letter and the text of the one right option, as in "B. The text of '
    'option B", and nothing else.',
    "label": "The history holds texts, each followed by its label. The question is a text, too: "
    "reply with the label that it should have, and nothing else.",
    "judged": "Be brief. Where the history does not hold the answer, say so.",
}
_LIKE = {
    "answer": ruler.FAMILY,
    "choice": detective.FAMILY,
    "label": icl.FAMILY,
    "judged": longmemeval.FAMILY,
}
# Those of LongMemEval's rows ask for fields that other rows need not have.
_ROW_CHECKS: Mapping[str, Sequence[RowCheck]] = {"choice": detective.FAMILY.row_checks}


def _demonstrations(context: str) -> list[str]:
    """Cut behind labels as the benchmark writes them; where there are none, at blank lines."""
    found = icl.FAMILY.units(context)
    return found if len(found) > 1 else paragraphs(context)


OWN_FAMILIES: Mapping[str, Family] = {
    name: replace(
        family,
        name=name,
        prompts={"answer": _PROMPT.replace("REPLY", _REPLIES[name])},
        units=_demonstrations if name == "label" else paragraphs,
        row_checks=_ROW_CHECKS.get(name, ()),
        repeated_ids="warning",
    )
    for name, family in _LIKE.items()
}


def customized(source: Source, family: Family, taken: Collection[str]) -> Family:
    """Return a family with what a source sets instead, named after the source.

    Args:
        source: the source.
        family: its family; returned as it is where the source sets nothing.
        taken: names of families that the source cannot have.

    Raises:
        UsageError: when the metric is none of the family's, or the name is taken.
    """
    if not source.settings:
        return family
    if source.name in taken:
        what = ", ".join(SETTINGS)
        raise UsageError(
            f"{source.name!r} is the name of a family, which a source with its own {what} cannot "
            "have; choose another name"
        )
    made = replace(family, name=source.name)
    if source.metric is not None and source.metric != family.metric:
        made = _with_metric(made, family, source.metric)
    if source.prompt is not None:
        made = replace(made, prompts={**family.prompts, "answer": source.prompt})
    if source.unit is not None:
        unit = source.unit
        made = replace(
            made,
            units=lambda context: units_of(unit, context),
            row_checks=(*made.row_checks, _finds_units(unit)),
        )
    return made


def units_of(unit: str, context: str) -> list[str]:
    """Cut a context where ``unit`` matches; the pieces joined give it back.

    Raises:
        DataError: when that takes too long.
    """
    return cut(context, unit_starts(unit, context))


def _with_metric(family: Family, base: Family, metric: str) -> Family:
    """Return a family that reports another of its metrics, with the verdicts of the same rule."""
    known = [base.metric]
    if base.rubric is None:
        known += [name for name in base.official(ScoringInput("", [""])) if name != base.metric]
    if metric not in known:
        rest = f"known: {', '.join(known)}"
        if base.rubric:
            rest += '; a family without a judge, such as "answer", has others'
        raise UsageError(unknown(f"no metric of the family {base.name} named", metric, known, rest))
    return replace(family, metric=metric, corrected=_renamed(base, metric))


def _renamed(base: Family, metric: str) -> Correction:
    def corrected(case: ScoringInput) -> Mapping[str, Corrected]:
        decided = base.corrected(case)
        return {metric: decided[base.metric]} if base.metric in decided else decided

    return corrected


def _finds_units(unit: str) -> RowCheck:
    def check(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        try:
            found = units_of(unit, content.context)
        except DataError as error:
            yield record.error("context", str(error), "a history in which units are found at once")
            return
        if len(found) < 2:
            what = f"{len(found)} unit by {describe(unit)}"
            yield record.warning("context", what, "several, between which chunks are cut")

    return check
