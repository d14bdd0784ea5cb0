"""Which answers of a run take a judge, and which of them have no verdict yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mabench.data import Row
from mabench.errors import DataError, UsageError
from mabench.families import (
    UNCLEAR,
    Family,
    JudgingInput,
    Prompts,
    Rubric,
    family_of,
    load_prompts,
)
from mabench.loading import load
from mabench.results.records.judgments import JudgeName
from mabench.results.records.sample import UNCLEAR_VERDICT, Key, Sample, key_of
from mabench.results.records.store import RunFolder
from mabench.results.scored import Verdicts, read_verdicts
from mabench.specs import JudgeSpec, ModelSpec


class JudgingCase(NamedTuple):
    """An answer to be judged.

    Attributes:
        sample: the answer.
        input: what the rubric takes.
        family: the name of the family.
        rubric: how the family is judged.
        judge: who judges.
    """

    sample: Sample
    input: JudgingInput
    family: str
    rubric: Rubric
    judge: JudgeName


class Docket(NamedTuple):
    """The answers of a run before a judge.

    Attributes:
        prompts: the judge's prompts.
        cases: every answer that takes a judge.
        pending: those on which this judge has given no verdict yet.
    """

    prompts: Prompts
    cases: list[JudgingCase]
    pending: list[JudgingCase]


def open_docket(folder: RunFolder, spec: JudgeSpec) -> Docket:
    """Return the answers of a run that a judge judges, with what the data set holds about them.

    Raises:
        DataError: when the run or its data set cannot be read, or the data set is another.
        UsageError: when no answer of the run takes a judge, or the prompts are wrong.
    """
    record = folder.record()
    sources = record.all_sources
    prompts = load_prompts(Path(spec.prompts) if spec.prompts else None, sources)
    location = spec.data or record.data.location
    if location is None:
        raise UsageError(
            f"{folder.path}: the run's data came from memory; name it with `data`",
            parameter="data",
        )
    dataset = load(location, offline=True, sources=sources)
    recorded = record.data.fingerprint
    if dataset.fingerprint != recorded:
        raise DataError(
            f"{dataset.name}: not the data of {folder.path} (fingerprint {dataset.fingerprint[:12]}"
            f", the run's is {recorded[:12]}); name the right data with `data`"
        )
    samples = {sample.key: sample for sample in folder.samples()}
    judged = _judged_sources(folder, samples, spec.unclear)
    cases = [
        case
        for row in dataset.rows(judged)
        for case in _cases(row, family_of(row.source, sources), samples, prompts, spec.model)
    ]
    verdicts = read_verdicts(folder, samples.values()).by_judge
    return Docket(prompts, cases, [case for case in cases if _is_pending(case, verdicts)])


def _judged_sources(folder: RunFolder, samples: Mapping[Key, Sample], unclear: bool) -> list[str]:
    """Return the sources with answers that take a judge.

    Raises:
        UsageError: when there are none.
    """
    record = folder.record()
    if unclear:
        judged = [one.source for one in samples.values() if one.verdict == UNCLEAR_VERDICT]
        if not judged:
            raise UsageError(
                f"{folder.path}: no answer of this run is unclear, so nothing is left to judge",
                parameter="unclear",
            )
        return list(dict.fromkeys(judged))
    judged = [name for name in record.questions if family_of(name, record.all_sources).rubric]
    if not judged:
        raise UsageError(
            f"{folder.path}: no source of this run takes a judge; those that do are of the "
            "families judged, longmemeval, infbench, locomo and beam, or have a rubric of their own"
        )
    return judged


def _cases(
    row: Row, family: Family, samples: Mapping[Key, Sample], prompts: Prompts, model: ModelSpec
) -> Iterator[JudgingCase]:
    judge = JudgeName(model.name_on_server, prompts.judge_hash(family.name))
    for question in row.flatten():
        sample = samples.get(key_of(question))
        if sample is None or sample.prediction is None:
            continue  # Not answered: there is nothing to judge, and it counts as wrong.
        if family.rubric is None and sample.verdict != UNCLEAR_VERDICT:
            continue  # A rule decided it.
        judging_input = JudgingInput(
            question.question,
            question.answers,
            sample.prediction,
            question.question_id,
            question.question_type,
            question.rubric or row.metadata.keypoints or (),
        )
        rubric = family.rubric or UNCLEAR
        yield JudgingCase(sample, judging_input, family.name, rubric, judge)


def _is_pending(case: JudgingCase, verdicts: Mapping[str, Mapping[JudgeName, Verdicts]]) -> bool:
    """Whether the judge has given no verdict on an answer yet."""
    judgment = verdicts.get(case.sample.source, {}).get(case.judge, {}).get(case.sample.key)
    return judgment is None or judgment.error is not None
