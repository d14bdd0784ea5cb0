"""The answers of a run that a judge judges, each with the requests that it takes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mabench.errors import DataError, UsageError
from mabench.families import UNCLEAR, JudgePrompt, JudgingInput, Prompts, Rubric
from mabench.loading import load
from mabench.models.local import name_judge
from mabench.results.records.lines import JudgeName, Sample
from mabench.results.records.store import RunFolder
from mabench.results.verdicts import RunVerdicts
from mabench.specs import JudgeSpec

# The published judge's verdicts are a word; the room is for models that think aloud.
_MAX_TOKENS = 1024


class JudgeRequest(NamedTuple):
    """A request to a judge about one answer."""

    prompt: JudgePrompt  # Reads replies.
    text: str  # The prompt with its slots filled.
    tokens: int  # How long a reply may be.
    temperature: float


class JudgingCase(NamedTuple):
    """An answer that a judge judges, with the requests that this takes."""

    sample: Sample  # Its prediction is not None.
    rubric: Rubric
    judge: JudgeName
    requests: tuple[JudgeRequest, ...]
    pending: bool  # This judge has given no verdict on it yet.


def open_cases(folder: RunFolder, spec: JudgeSpec) -> list[JudgingCase]:
    """Return the answers of a run that a judge judges, with what the data set holds about them."""
    record, families = folder.record(), folder.families()
    sources = record.all_sources
    prompts = Prompts.load(Path(spec.prompts) if spec.prompts else None, sources)
    location = spec.data or record.data.location
    if location is None:
        problem = "the run's data came from memory; name it with `data`"
        raise UsageError(f"{folder.path}: {problem}", parameter="data")
    dataset = load(location, offline=True, sources=sources)
    if dataset.fingerprint != record.data.fingerprint:
        raise DataError(
            f"{dataset.name}: not the data of {folder.path} (fingerprint {dataset.fingerprint[:12]}"
            f", the run's is {record.data.fingerprint[:12]}); name the right data with `data`"
        )
    samples = {sample.key: sample for sample in folder.samples()}
    if spec.unclear:
        judged = {one.source: None for one in samples.values() if one.is_unclear}
    else:
        judged = {name: None for name, family in families.items() if family.rubric}
    if not judged:
        why = (
            "no answer of this run is unclear, so there is nothing to judge"
            if spec.unclear
            else "no source of this run needs a judge; those that do are of the families judged, "
            "longmemeval, infbench, locomo and beam, or have a rubric of their own"
        )
        raise UsageError(f"{folder.path}: {why}", parameter="unclear" if spec.unclear else None)
    verdicts = RunVerdicts.of(folder).by_judge
    cases = []
    for row in dataset.rows([*judged]):
        family = families[row.source]
        judge = JudgeName(name_judge(spec.model), prompts.judge_hash(family.name))
        settings, rubric = prompts.judges.get(family.name, {}), family.rubric or UNCLEAR
        tokens = int(settings.get("judge_tokens", _MAX_TOKENS))
        usual = settings.get("judge_temperature", spec.model.temperature)
        given = verdicts.get(row.source, {}).get(judge, {})
        for question in row.flatten():
            sample = samples.get(question.key)
            if sample is None or sample.prediction is None:
                continue  # Not answered: there is nothing to judge, and it counts as wrong.
            if family.rubric is None and not sample.is_unclear:
                continue  # A rule decided it.
            points = question.rubric or row.metadata.get("keypoints") or ()
            about = question.question_id, question.question_type, points
            case = JudgingInput(question.question, question.answers, sample.prediction, *about)
            requests = tuple(
                JudgeRequest(prompt, prompts.ask_judge(family.name, prompt), tokens, usual)
                for prompt in rubric.prompts_for(case)
            )
            pending = sample.key not in given or given[sample.key].error is not None
            cases.append(JudgingCase(sample, rubric, judge, requests, pending))
    return cases
