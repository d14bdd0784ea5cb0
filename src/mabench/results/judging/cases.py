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
    JudgePrompt,
    JudgingInput,
    Prompts,
    Rubric,
    load_prompts,
)
from mabench.loading import load
from mabench.results.records.sample import UNCLEAR_VERDICT, JudgeName, Key, Sample, key_of
from mabench.results.records.store import RunFolder
from mabench.results.scored import RunVerdicts, Verdicts
from mabench.specs import JudgeSpec

# The published judge's verdicts are a word; the room is for models that think aloud.
_MAX_TOKENS = 1024


class JudgeRequest(NamedTuple):
    """What a judge is asked about an answer."""

    prompt: JudgePrompt  # Reads replies.
    text: str  # The prompt with its slots filled.
    tokens: int  # How long a reply may be.
    temperature: float


class JudgingCase(NamedTuple):
    """An answer to be judged."""

    sample: Sample  # Its prediction is not None.
    rubric: Rubric
    judge: JudgeName
    requests: tuple[JudgeRequest, ...]
    pending: bool  # This judge has given no verdict on it yet.


def open_cases(folder: RunFolder, spec: JudgeSpec) -> list[JudgingCase]:
    """Return the answers of a run that a judge judges, with what the data set holds about them.

    Raises:
        DataError: when the run or its data set cannot be read, or the data set is another.
        UsageError: when no answer of the run takes a judge, or the prompts are wrong.
    """
    record, families = folder.record(), folder.families()
    sources = record.all_sources
    prompts = load_prompts(Path(spec.prompts) if spec.prompts else None, sources)
    location = spec.data or record.data.location
    if location is None:
        raise UsageError(
            f"{folder.path}: the run's data came from memory; name it with `data`",
            parameter="data",
        )
    dataset = load(location, offline=True, sources=sources)
    if dataset.fingerprint != record.data.fingerprint:
        raise DataError(
            f"{dataset.name}: not the data of {folder.path} (fingerprint {dataset.fingerprint[:12]}"
            f", the run's is {record.data.fingerprint[:12]}); name the right data with `data`"
        )
    samples = {sample.key: sample for sample in folder.samples()}
    rows = dataset.rows(_judged_sources(folder, samples, spec.unclear))
    verdicts = RunVerdicts.of(folder).by_judge
    return [
        case
        for row in rows
        for case in _cases(
            row, families[row.source], samples, prompts, spec, verdicts.get(row.source, {})
        )
    ]


def _judged_sources(folder: RunFolder, samples: Mapping[Key, Sample], unclear: bool) -> list[str]:
    if unclear:
        judged = [sample.source for sample in samples.values() if sample.verdict == UNCLEAR_VERDICT]
        if judged:
            return list(dict.fromkeys(judged))
        raise UsageError(
            f"{folder.path}: no answer of this run is unclear, so nothing is left to judge",
            parameter="unclear",
        )
    judged = [name for name, family in folder.families().items() if family.rubric]
    if not judged:
        raise UsageError(
            f"{folder.path}: no source of this run takes a judge; those that do are of the "
            "families judged, longmemeval, infbench, locomo and beam, or have a rubric of their own"
        )
    return judged


def _cases(
    row: Row,
    family: Family,
    samples: Mapping[Key, Sample],
    prompts: Prompts,
    spec: JudgeSpec,
    verdicts: Mapping[JudgeName, Verdicts],
) -> Iterator[JudgingCase]:
    judge = JudgeName(spec.model.name_on_server, prompts.judge_hash(family.name))
    settings, rubric = prompts.judges.get(family.name, {}), family.rubric or UNCLEAR
    usual = settings.get("judge_temperature", spec.model.temperature)
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
            question.rubric or row.metadata.get("keypoints") or (),
        )
        tokens = int(settings.get("judge_tokens", _MAX_TOKENS))
        requests = tuple(
            JudgeRequest(prompt, prompts.ask_judge(family.name, prompt), tokens, usual)
            for prompt in rubric.prompts_for(judging_input)
        )
        judgment = verdicts.get(judge, {}).get(sample.key)
        pending = judgment is None or judgment.error is not None
        yield JudgingCase(sample, rubric, judge, requests, pending)
