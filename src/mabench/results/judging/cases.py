"""Finds the answers of a run that a judge judges, each with the requests that this takes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mabench.data import Dataset
from mabench.errors import DataError, UsageError
from mabench.families import UNCLEAR, Family, JudgingInput, Prompts, Rubric
from mabench.loading import load
from mabench.models.local import name_judge
from mabench.results.judging.asking import JudgeRequest
from mabench.results.records.lines import JudgeName, Sample
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts
from mabench.specs import JudgeSpec

# The usual length of a reply. The published judge's verdicts are a word; the room is for models
# that think aloud.
_MAX_TOKENS = 1024


class JudgingCase(NamedTuple):
    """An answer that a judge judges, with the requests that this takes."""

    sample: Sample  # The answered question.
    rubric: Rubric
    judge: JudgeName
    requests: tuple[JudgeRequest, ...]
    pending: bool  # Whether this judge has given no verdict on it yet.


def open_cases(folder: RunFolder, spec: JudgeSpec) -> list[JudgingCase]:
    """Return the answers of a run that a judge judges, in the order of the data set.

    These are the answers of sources whose family has a rubric; or, if ``spec`` asks for unclear
    ones, those that no rule can decide. Questions that failed are left out: they count as wrong.

    Raises:
        UsageError: when there is nothing to judge, or the data set is not known.
        DataError: when the data set is another than that of the run.
    """
    record, families = folder.record(), folder.families()
    prompts = Prompts.load(Path(spec.prompts) if spec.prompts else None, record.all_sources)
    dataset = _open_data(folder, spec)
    samples = {sample.key: sample for sample in folder.samples()}
    sources = _judged_sources(folder, samples.values(), unclear=spec.unclear)
    verdicts = RunVerdicts.of(folder).by_judge
    cases = []
    for row in dataset.rows(sources):
        family = families[row.source]
        judge = JudgeName(name_judge(spec.model), prompts.judge_hash(family.name))
        judgments = verdicts.get(row.source, {}).get(judge, {})
        for question in row.flatten():
            sample = samples.get(question.key)
            if sample is None or sample.prediction is None:
                continue
            is_decided_by_rule = family.rubric is None and not sample.is_unclear
            if is_decided_by_rule:
                continue
            case = JudgingInput(
                question=question.question,
                answers=question.answers,
                prediction=sample.prediction,
                question_id=question.question_id,
                question_type=question.question_type,
                keypoints=question.rubric or row.metadata.get("keypoints") or (),
            )
            requests = requests_about(case, family, prompts, spec.model.temperature)
            judgment = judgments.get(sample.key)
            pending = judgment is None or judgment.error is not None
            cases.append(JudgingCase(sample, family.rubric or UNCLEAR, judge, requests, pending))
    return cases


def _open_data(folder: RunFolder, spec: JudgeSpec) -> Dataset:
    """Return the data set of a run, from where ``spec`` or the run says that it is.

    Raises ``UsageError`` if neither does, and ``DataError`` if it is another data set.
    """
    record = folder.record()
    location = spec.data or record.data.location
    if location is None:
        problem = "the run's data came from memory; name it with `data`"
        raise UsageError(f"{folder.path}: {problem}", parameter="data")
    dataset = load(location, offline=True, sources=record.all_sources)
    if dataset.fingerprint != record.data.fingerprint:
        raise DataError(
            f"{dataset.name}: not the data of {folder.path} (fingerprint {dataset.fingerprint[:12]}"
            f", the run's is {record.data.fingerprint[:12]}); name the right data with `data`"
        )
    return dataset


def _judged_sources(folder: RunFolder, samples: Iterable[Sample], *, unclear: bool) -> list[str]:
    """Return the sources with answers to judge: unclear ones, or else those of judged families.

    Raises ``UsageError`` if there is none.
    """
    if unclear:
        sources = list(dict.fromkeys(sample.source for sample in samples if sample.is_unclear))
        if not sources:
            reason = "no answer of this run is unclear, so there is nothing to judge"
            raise UsageError(f"{folder.path}: {reason}", parameter="unclear")
        return sources
    sources = [name for name, family in folder.families().items() if family.rubric]
    if not sources:
        reason = (
            "no source of this run needs a judge; those that do are of the families judged, "
            "longmemeval, infbench, locomo and beam, or have a rubric of their own"
        )
        raise UsageError(f"{folder.path}: {reason}")
    return sources


def requests_about(
    case: JudgingInput, family: Family, prompts: Prompts, temperature: float
) -> tuple[JudgeRequest, ...]:
    """Return the requests that judging an answer of a family takes.

    ``temperature`` is that of each first request, unless the file of prompts sets another for the
    judge of the family. The file may also set the length of replies.
    """
    settings = prompts.judges.get(family.name, {})
    tokens = int(settings.get("judge_tokens", _MAX_TOKENS))
    first_temperature = settings.get("judge_temperature", temperature)
    rubric = family.rubric or UNCLEAR
    return tuple(
        JudgeRequest(prompt, prompts.ask_judge(family.name, prompt), tokens, first_temperature)
        for prompt in rubric.prompts_for(case)
    )
