"""Measures which answers a judge passes: it is asked about made-up answers whose kinds are known.

About some answers it is asked twice, to see whether it says the same again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
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

    number: int  # Of the answer, from 0; the same if it is asked about again.
    label: str  # The name of its family; ``unclear`` for the one that stands for others.
    family: Family
    answer: MadeUpAnswer
    requests: tuple[JudgeRequest, ...]
    again: bool  # Whether the judge was asked the same before.


@dataclass
class _Measurement:
    """What the judge replied so far, by the numbers of the answers."""

    sitting: Sitting
    first_replies: dict[int, JudgeReplies] = field(default_factory=dict)
    second_replies: dict[int, JudgeReplies] = field(default_factory=dict)

    async def judge(self, case: _CalibrationCase) -> None:
        """Ask the judge about an answer; that it gives no verdict is a result, too."""
        replies = await ask_judge(self.sitting.model, case.requests)
        if case.again:
            self.second_replies[case.number] = replies
        else:
            self.first_replies[case.number] = replies


def calibrate(
    spec: JudgeSpec, questions: int, seed: int = 0, progress: Progress | None = None
) -> Calibration:
    """Measure what a judge passes, by kind of answer and by family.

    If it is stopped, nothing that was paid for is lost: replies are cached.

    Args:
        spec: the judge.
        questions: how many made-up answers of each kind and family it is asked about.
        seed: another one makes up other answers.
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
    requests_by_family: dict[str, list[tuple[JudgeRequest, ...]]] = defaultdict(list)
    for case in cases:
        requests_by_family[case.label].append(case.requests)
    return [
        estimate_requests(spec, family, requests) for family, requests in requests_by_family.items()
    ]


def measurable_families() -> Mapping[str, Family]:
    """Return the families whose judges can be measured, by name.

    The one called ``unclear`` stands for all families of which a judge only sees unclear answers:
    its prompts are the same for them. Left out are families for whose judges no answers are made
    up, such as of summaries.
    """
    families = families_of(_source_of_each_family())
    measurable = {
        name: family
        for name, family in families.items()
        if family.rubric is not None and name not in families_left_out()
    }
    return {**measurable, "unclear": families[unclear_family()]}


def _source_of_each_family() -> dict[str, Source]:
    """Return a source of each family that is installed, by which families and prompts are found."""
    return {name: Source.declare(name, {"family": name}) for name in plugins(Group.FAMILIES)}


def _open_cases(
    spec: JudgeSpec, questions: int, seed: int
) -> tuple[Prompts, list[_CalibrationCase]]:
    """Return the judge's prompts, and the answers that it is asked about, some of them twice.

    Raises ``UsageError`` for fewer than one question.
    """
    if questions < 1:
        raise UsageError("a calibration takes at least 1 question", parameter="questions")
    file = Path(spec.prompts) if spec.prompts else None
    prompts = Prompts.load(file, _source_of_each_family())
    cases: list[_CalibrationCase] = []
    for label, family in measurable_families().items():
        for place, answer in enumerate(make_up(label, seed, questions)):
            requests = requests_about(answer.case, family, prompts, spec.model.temperature)
            number = len(cases)
            cases.append(_CalibrationCase(number, label, family, answer, requests, again=False))
            place_in_kind = place % questions  # There are so many answers of each kind in turn.
            if place_in_kind % _AGAIN_EVERY == 0:
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
    """Return what was measured, once the judge was asked about all answers."""
    first_replies, second_replies = measurement.first_replies, measurement.second_replies
    verdicts = [_verdict(case, first_replies[case.number]) for case in cases if not case.again]
    all_replies = [*first_replies.values(), *second_replies.values()]
    usages = [reply.usage for replies in all_replies for reply in replies.replies]
    total = Usage(
        sum(usage.input_tokens for usage in usages), sum(usage.output_tokens for usage in usages)
    )
    return Calibration(
        model=name_judge(spec.model),
        reader=reader_version(),
        seed=seed,
        families=tuple(_measured_families(measurement, cases, prompts)),
        shares=tuple(_shares(verdicts)),
        readings=tuple(try_reader()),
        requests=len(usages),
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cost=measurement.sitting.model.cost(total),
        verdicts=tuple(verdicts),
    )


def _measured_families(
    measurement: _Measurement, cases: Sequence[_CalibrationCase], prompts: Prompts
) -> Iterator[MeasuredFamily]:
    """Yield the families that were measured, with how often the judge said the same twice."""
    asked_twice, agreed = Counter[str](), Counter[str]()
    for case in cases:
        if not case.again:
            continue
        asked_twice[case.label] += 1
        at_first = _passes(case, measurement.first_replies[case.number])
        if _passes(case, measurement.second_replies[case.number]) == at_first:
            agreed[case.label] += 1
    families = {case.label: case.family for case in cases}
    for label, family in families.items():
        yield MeasuredFamily(
            family=label,
            prompts=prompts.judge_hash(family.name),
            asked_twice=asked_twice[label],
            agreed=agreed[label],
        )


def _verdict(case: _CalibrationCase, replies: JudgeReplies) -> MadeUpVerdict:
    """Return a judge's verdict on a made-up answer, by its replies."""
    made_up = case.answer.case
    return MadeUpVerdict(
        family=case.label,
        kind=case.answer.kind,
        form=case.answer.form,
        question=made_up.question,
        golds=tuple(made_up.answers),
        answer=made_up.prediction,
        passed=_passes(case, replies),
        words=replies.words,
    )


def _passes(case: _CalibrationCase, replies: JudgeReplies) -> bool | None:
    """Return whether a judge gives an answer the full score; None without a verdict."""
    if replies.error:
        return None
    rubric = case.family.rubric or UNCLEAR
    return rubric.value(replies.verdict) >= 1


def _shares(verdicts: Sequence[MadeUpVerdict]) -> list[PassedShare]:
    """Return how many answers of each family and kind the judge passes."""
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
