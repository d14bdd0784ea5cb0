"""Measuring what a judge passes: it is asked about made-up answers whose kinds are known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mabench.data import Source
from mabench.errors import UsageError
from mabench.families import UNCLEAR, Family, Prompts, families_of
from mabench.models import CostEstimate, Usage
from mabench.models.local import name_judge
from mabench.plugins import Group, plugins
from mabench.progress import NoProgress, Progress
from mabench.results.judging.asking import JudgeReplies, JudgeRequest, ask_judge
from mabench.results.judging.calibration.made_up import (
    AnswerKind,
    MadeUpAnswer,
    families_left_out,
    make_up,
    unclear_family,
)
from mabench.results.judging.calibration.reader import reader_version, try_reader
from mabench.results.judging.calibration.record import (
    Calibration,
    MadeUpVerdict,
    MeasuredFamily,
    PassedShare,
)
from mabench.results.judging.cases import requests_about
from mabench.results.judging.estimate import estimate_requests
from mabench.results.judging.sitting import Sitting
from mabench.specs import JudgeSpec
from mabench.tasks.interrupt import RunInterrupt

# The judge is asked again about one in this many answers of a kind.
_AGAIN_EVERY = 5


class _CalibrationCase(NamedTuple):
    """A made-up answer, with what the judge is asked about it."""

    number: int
    label: str  # What its family is called here.
    family: Family
    answer: MadeUpAnswer
    requests: tuple[JudgeRequest, ...]
    again: bool  # Whether the judge was asked the same before.


@dataclass
class _Measurement:
    """The verdicts so far, by the numbers of the answers."""

    sitting: Sitting
    said: dict[int, JudgeReplies] = field(default_factory=dict)
    said_again: dict[int, JudgeReplies] = field(default_factory=dict)

    async def judge(self, case: _CalibrationCase) -> None:
        """Judge an answer; that it gets no verdict is a result, too."""
        said = await ask_judge(self.sitting.model, case.requests)
        (self.said_again if case.again else self.said)[case.number] = said


def calibrate(
    spec: JudgeSpec, questions: int, seed: int = 0, progress: Progress | None = None
) -> Calibration:
    """Measure what a judge passes, by kind of answer and by family.

    A stop loses nothing that was paid for: replies are cached.

    Args:
        spec: the judge.
        questions: how many made-up answers of each kind and family it is asked about.
        seed: makes up others.
        progress: is told how it goes.

    Raises as ``judge`` does, as far as there is no run.
    """
    prompts, cases = _open_cases(spec, questions, seed)
    sitting = Sitting.open(spec, progress or NoProgress())
    sitting.check_server(request for case in cases for request in case.requests)
    measurement = _Measurement(sitting)
    sitting.judge_all(cases, measurement.judge, _name)
    if sitting.stop.by_signal:
        raise RunInterrupt(None, sitting.stop.signal)
    sitting.check_complete(len(cases), len(cases))
    return _summarize(measurement, cases, prompts, spec, seed)


def estimate_calibration(spec: JudgeSpec, questions: int, seed: int = 0) -> list[CostEstimate]:
    """Return what ``calibrate`` would take, by family; no request is sent."""
    _, cases = _open_cases(spec, questions, seed)
    by_family: dict[str, list[_CalibrationCase]] = defaultdict(list)
    for case in cases:
        by_family[case.label].append(case)
    return [
        estimate_requests(spec, family, [case.requests for case in of_family])
        for family, of_family in by_family.items()
    ]


def measurable_families() -> Mapping[str, Family]:
    """Return the families whose judges can be measured, by what they are called here.

    One stands for all whose ``unclear`` answers alone are judged, by the same prompts. Left out
    are those for whose judges no answers are made up, such as of summaries.
    """
    sources = {name: Source.declare(name, {"family": name}) for name in plugins(Group.FAMILIES)}
    known, left_out = families_of(sources), families_left_out()
    return {
        name: family
        for name, family in known.items()
        if name not in left_out and family.rubric is not None
    } | {"unclear": known[unclear_family()]}


def _open_cases(
    spec: JudgeSpec, questions: int, seed: int
) -> tuple[Prompts, list[_CalibrationCase]]:
    """Return the judge's prompts, and what it is asked."""
    if questions < 1:
        raise UsageError("a calibration takes at least 1 question", parameter="questions")
    sources = {name: Source.declare(name, {"family": name}) for name in plugins(Group.FAMILIES)}
    prompts = Prompts.load(Path(spec.prompts) if spec.prompts else None, sources)
    cases: list[_CalibrationCase] = []
    for label, family in measurable_families().items():
        for place, answer in enumerate(make_up(label, seed, questions)):
            requests = requests_about(answer.case, family, prompts, spec.model.temperature)
            number = len(cases)
            cases.append(_CalibrationCase(number, label, family, answer, requests, again=False))
            if place % questions % _AGAIN_EVERY == 0:
                repeated = tuple(request._replace(asked_before=1) for request in requests)
                cases.append(_CalibrationCase(number, label, family, answer, repeated, again=True))
    return prompts, cases


def _name(case: _CalibrationCase) -> str:
    """Return what names an answer in messages."""
    return f"{case.label}, {case.answer.kind}, answer {case.number}"


def _summarize(
    measurement: _Measurement,
    cases: Sequence[_CalibrationCase],
    prompts: Prompts,
    spec: JudgeSpec,
    seed: int,
) -> Calibration:
    first = [case for case in cases if not case.again]
    verdicts = [_verdict(case, measurement.said[case.number]) for case in first]
    again = [case for case in cases if case.again]
    asked: Counter[str] = Counter(case.label for case in again)
    agreed: Counter[str] = Counter(
        case.label
        for case in again
        if _passes(case, measurement.said[case.number])
        == _passes(case, measurement.said_again[case.number])
    )
    everything = [*measurement.said.values(), *measurement.said_again.values()]
    usages = [reply.usage for said in everything for reply in said.replies]
    tokens = sum(usage.input_tokens for usage in usages), sum(each.output_tokens for each in usages)
    return Calibration(
        model=name_judge(spec.model),
        reader=reader_version(),
        seed=seed,
        families=tuple(
            MeasuredFamily(
                family=label,
                prompts=prompts.judge_hash(family.name),
                asked_twice=asked[label],
                agreed=agreed[label],
            )
            for label, family in {case.label: case.family for case in first}.items()
        ),
        shares=tuple(_shares(verdicts)),
        readings=tuple(try_reader()),
        requests=len(usages),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost=measurement.sitting.model.cost(Usage(*tokens)),
        verdicts=tuple(verdicts),
    )


def _verdict(case: _CalibrationCase, said: JudgeReplies) -> MadeUpVerdict:
    made_up = case.answer.case
    return MadeUpVerdict(
        family=case.label,
        kind=case.answer.kind,
        form=case.answer.form,
        question=made_up.question,
        golds=tuple(made_up.answers),
        answer=made_up.prediction,
        passed=_passes(case, said),
        words=said.words,
    )


def _passes(case: _CalibrationCase, said: JudgeReplies) -> bool | None:
    """Return whether a judge gives an answer the full score; None without a verdict."""
    rubric = case.family.rubric or UNCLEAR
    return None if said.error else rubric.value(said.verdict) >= 1


def _shares(verdicts: Sequence[MadeUpVerdict]) -> list[PassedShare]:
    groups: dict[tuple[str, AnswerKind], list[bool | None]] = defaultdict(list)
    for verdict in verdicts:
        groups[verdict.family, verdict.kind].append(verdict.passed)
    return [
        PassedShare(
            family=family,
            kind=kind,
            n=len(passed),
            passed=passed.count(True),
            no_verdict=passed.count(None),
        )
        for (family, kind), passed in groups.items()
    ]
