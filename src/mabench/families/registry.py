"""From the name of a family, or a source, to its family; and the families for sources of one's own.

The latter are scored as families of the benchmark, but asked in words that fit any history, and
their units are paragraphs unless the source says how a unit begins.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from mabench.data import BY_NAME, Problem, RowContent, Source, find_source
from mabench.data.inventory import SETTINGS
from mabench.data.records import Record, describe
from mabench.data.sources_file import unit_starts
from mabench.data.validation import RowCheck
from mabench.errors import DataError, UsageError, unknown
from mabench.families.benchmark import FAMILIES
from mabench.families.family import Family, ScoringInput
from mabench.families.parts import cut, paragraphs, read_prompts
from mabench.plugins import Group, load_plugin, missing_part, plugins
from mabench.scoring import Catalogue, Corrected, prepared

_LIKE = {"answer": "ruler", "choice": "detective", "label": "icl", "judged": "longmemeval"}


def _demonstrations(context: str) -> list[str]:
    """Cut behind labels as the benchmark writes them; where there are none, at blank lines."""
    pieces = FAMILIES["icl"].units(context)
    return pieces if len(pieces) > 1 else paragraphs(context)


OWN_FAMILIES: Mapping[str, Family] = {
    name: replace(
        FAMILIES[like],
        name=name,
        prompts={"answer": read_prompts("own")[name]},
        units=_demonstrations if name == "label" else paragraphs,
        # Those of LongMemEval's rows ask for fields that other rows need not have.
        row_checks=FAMILIES[like].row_checks if name == "choice" else (),
        repeated_ids="warning",
    )
    for name, like in _LIKE.items()
}


@cache
def _family_named(name: str) -> Family:
    """Return a family by name; raises ``UsageError`` when there is none, or it cannot be loaded.

    That is a family of mabench; ``answer``, ``choice``, ``label`` or ``judged``;
    ``package.module:FAMILY`` for a ``Family`` that can be imported; or an entry point of the group
    ``mabench.families``.
    """
    known = FAMILIES.get(name) or OWN_FAMILIES.get(name)
    if known is not None:
        return known
    points = plugins(Group.FAMILIES)
    if ":" in name:
        from mabench.lookup.names import import_object  # Brings in what agents need.

        family = import_object(name, "family")
    elif name in points:
        family = load_plugin(points[name], "family")
    else:
        every = [*OWN_FAMILIES, *FAMILIES, *points]
        rest = f"known: {', '.join(every)}; one of your own is named package.module:FAMILY"
        raise missing_part(name) or UsageError(unknown("no family named", name, every, rest))
    if not isinstance(family, Family):
        kind = type(family).__name__
        raise UsageError(f"{name} is of type {kind}; expected a mabench.families.Family")
    return family


def family_of(source: Source | str, sources: Mapping[str, Source] = BY_NAME) -> Family:
    """Return the family of a source, with what the source sets instead.

    ``sources`` are those that there are, by name: of a data set, of a run, or of the inventory.
    Raises ``UsageError`` when there is no source of that name, or its family cannot be loaded or
    does not have the metric that the source names.
    """
    return _family_of(find_source(source, sources) if isinstance(source, str) else source)


@cache
def _family_of(source: Source) -> Family:
    """Return the family with what the source sets instead, named after the source."""
    family = _family_named(source.family)
    if not source.settings.keys() - {"asked_after"}:
        return family
    if source.name in {*FAMILIES, *OWN_FAMILIES}:
        what = ", ".join(name for name in SETTINGS if name != "asked_after")
        raise UsageError(
            f"{source.name!r} is the name of a family, which a source with its own {what} cannot "
            "have; choose another name"
        )
    made = replace(family, name=source.name)
    if source.metric is not None and source.metric != family.metric:
        made = replace(made, metric=source.metric, corrected=_correction(family, source.metric))
    if source.prompt is not None:
        made = replace(made, prompts={**family.prompts, "answer": source.prompt})
    if source.unit is not None:
        unit, checks = source.unit, (*made.row_checks, _finds_units(source.unit))
        made = replace(made, units=partial(_units, unit), row_checks=checks)
    return made


def _correction(base: Family, metric: str) -> Callable[[ScoringInput], Mapping[str, Corrected]]:
    """Return the verdicts of the family's rule under the name of another of its metrics."""
    known = [base.metric]
    if base.rubric is None:
        known += [name for name in base.official(ScoringInput("", [""])) if name != base.metric]
    if metric not in known:
        rest = f"known: {', '.join(known)}"
        if base.rubric:
            rest += '; a family without a judge, such as "answer", has others'
        raise UsageError(unknown(f"no metric of the family {base.name} named", metric, known, rest))

    def corrected(case: ScoringInput) -> Mapping[str, Corrected]:
        decided = base.corrected(case).get(base.metric)
        return {} if decided is None else {metric: decided}

    return corrected


def _units(unit: str, context: str) -> list[str]:
    return cut(context, unit_starts(unit, context))  # A DataError where that takes too long.


def _finds_units(unit: str) -> RowCheck:
    def check(record: Record, content: RowContent, _: Container[int] | None) -> Iterator[Problem]:
        try:
            found = _units(unit, content.context)
        except DataError as error:
            yield record.error("context", str(error), "a history in which units are found at once")
            return
        if len(found) < 2:
            what = f"{len(found)} unit by {describe(unit)}"
            yield record.warning("context", what, "several, between which chunks are cut")

    return check


def families_of(sources: Mapping[str, Source]) -> Mapping[str, Family]:
    """Return the built-in families and those of ``sources``, by their own names.

    Raises ``UsageError`` when two have the same name.
    """
    families = dict(FAMILIES)
    for source in sources.values():
        family = family_of(source)
        if families.setdefault(family.name, family) is not family:
            raise UsageError(f"{source.family}: another family is already named {family.name!r}")
    return families


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one prediction, all from 0 to 1."""

    metric: str  # The name of the metric that the paper reports for the source.
    # Every metric that the published scorer computes, by name.
    official: dict[str, float] = field(default_factory=dict)
    # The corrected value of the reported metric (for recommendation, of its three depths), by the
    # same name; empty when only a judge could tell.
    corrected: dict[str, float] = field(default_factory=dict)
    # The rule that decided each corrected value, by the same name.
    rules: dict[str, str] = field(default_factory=dict)
    # What the rule makes of the reported metric: ``right``, ``wrong``, ``partial`` (a share of the
    # golds), or ``unclear`` where it cannot tell and the official value holds; None where only a
    # judge could tell.
    verdict: str | None = None

    @property
    def rule(self) -> str | None:
        """The rule that decided the reported metric; None where only a judge could tell."""
        return self.rules.get(self.metric)

    @property
    def reported(self) -> float | None:
        """The official value of the reported metric; None without judge or entities."""
        value = self.official.get(self.metric)
        return None if value is None else float(value)

    @property
    def reported_corrected(self) -> float | None:
        """The corrected value of the reported metric; None where there is none."""
        return self.corrected.get(self.metric)

    @property
    def difference(self) -> str | None:
        """The rule by which the corrected value differs from the official; None if it does not."""
        if self.reported is None or self.reported_corrected in (None, self.reported):
            return None
        return self.rules[self.metric]


def score_answer(
    source: str | Source,
    prediction: str | None,
    answers: Sequence[str] | Sequence[Sequence[str]],
    question: str | None = None,
    entities: Mapping[str, int] | Catalogue | None = None,
    question_type: str | None = None,
) -> Score:
    """Return the official and the corrected score of one prediction.

    Args:
        source: the name of a source of the benchmark, such as ``ruler_qa1_197K``, or a source.
        prediction: what the agent answered; None for a failed answer, which is wrong.
        answers: the golds of the question.
        question: the question; the corrected score needs it where the question offers options.
        entities: entity name to id, for recommendation, or the ``Catalogue`` of them. A mapping
            that is passed again, unchanged, is not prepared again.
        question_type: the type of the question, which some metrics go by, such as LoCoMo's.

    Raises:
        UsageError: when the source is unknown, its family cannot be loaded, the prediction is no
            string, there is no gold, or one is neither a string nor a number.
    """
    if prediction is not None and not isinstance(prediction, str):
        raise UsageError(
            f"`prediction` is {prediction!r}; give a string, or None for a failed answer",
            parameter="prediction",
        )
    family = family_of(source)
    catalogue = None
    if family.needs_entities and entities is not None:
        catalogue = prepared(entities)
    golds = _of_one_question(answers)
    if not golds:
        raise UsageError(
            "`answers` holds no gold, so nothing could be right; give at least one string",
            parameter="answers",
        )
    case = ScoringInput(prediction or "", golds, question, catalogue, question_type)
    official, corrected = dict(family.official(case)), family.corrected(case)
    if prediction is None:  # Wrong by every metric, whatever the golds are.
        official = dict.fromkeys(official, 0.0)
        corrected = dict.fromkeys(corrected, Corrected(0.0, "no-answer"))
    decided = corrected.get(family.metric)
    return Score(
        metric=family.metric,
        official=official,
        corrected={
            # Where the rule cannot tell, the official value holds.
            name: float(official.get(name) or 0) if result.value is None else result.value
            for name, result in corrected.items()
        },
        rules={name: result.rule for name, result in corrected.items()},
        verdict=decided.verdict if decided else None,
    )


def _of_one_question(answers: object) -> list[str]:
    """Return the golds of one question; those of a single-question row may come nested."""
    if isinstance(answers, str):
        return [answers]
    if isinstance(answers, int | float) and not isinstance(answers, bool):
        return [str(answers)]
    if hasattr(answers, "tolist"):  # An array, or a number out of one.
        return _of_one_question(answers.tolist())
    if isinstance(answers, Sequence) and not isinstance(answers, bytes | bytearray):
        return [gold for item in answers for gold in _of_one_question(item)]
    kind = type(answers).__name__
    raise UsageError(
        f"`answers` holds {answers!r} of type {kind}; give strings or numbers, one for each "
        "acceptable answer",
        parameter="answers",
    )
