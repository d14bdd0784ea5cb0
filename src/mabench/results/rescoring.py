"""Scoring answers again: those of a run, and those that another tool collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mabench.data import Dataset, Question, declarations
from mabench.errors import MabenchError, UsageError
from mabench.families import family_of
from mabench.json_text import JsonRecord
from mabench.loading import catalogue_for, load
from mabench.results.predictions import match_files
from mabench.results.records.lines import MISSING, Sample
from mabench.results.records.record import DataRecord, RunRecord
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.results.scored import Metric, RunVerdicts, score_again, score_sample
from mabench.results.summaries import ScoreSummary
from mabench.results.tally import total_scores

_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatches(JsonRecord):
    """What did not fit between a file of predictions and a data set, each by its place."""

    unknown: tuple[str, ...]  # Predictions for no question of the data set, or more than one.
    missing: tuple[str, ...]  # Questions without a prediction.
    duplicate: tuple[str, ...]  # Predictions for a question that an earlier one answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionsSummary(ScoreSummary):
    """The scores of a file of predictions."""

    predictions: Mismatches


def rescore(path: str | Path, entities: str | Path | None = None, data: str | None = None) -> Run:
    """Score every sample of a run again, by this version's rules, and store the scores.

    A sample from whose prediction a secret was taken out keeps its scores: they are those of what
    the agent answered, which is not stored.

    The ``entities`` of recommendation samples are else those of the run's data set, which lies
    where ``data`` says, if not where the run found it.

    Raises:
        DataError: when a file of the run cannot be read.
        UsageError: when the folder holds no run, another process is writing there, or ``data`` is
            another data set.
    """
    folder = RunFolder(Path(path))
    record = folder.record()
    with folder.own():
        folder.repair()
        sources = record.all_sources
        catalogue = catalogue_for(folder.families().values(), _reopen(record, data), entities)
        folder.replace_samples(
            sample if sample.redacted else score_again(sample, sources[sample.source], catalogue)
            for sample in folder.samples(every=True)
        )
        return Run.summarize(folder)


def _reopen(record: RunRecord, data: str | None) -> Dataset | None:
    """Open the run's data set, for its entity file, where it is or is said to be."""
    if data is None:
        with suppress(MabenchError):  # It may have moved since.
            return load(record.data.location, offline=True) if record.data.location else None
        return None
    dataset = load(data)
    if dataset.fingerprint != record.data.fingerprint:
        raise UsageError(
            f"{data} does not hold the rows of this run, from "
            f"{record.data.location or record.data.name}; leave out `data`, or give that data set",
            parameter="data",
        )
    return dataset


def score_files(
    paths: Sequence[str | Path],
    data: object,
    entities: str | Path | None = None,
    *,
    answered_only: bool = False,
    out: str | Path | None = None,
) -> PredictionsSummary:
    """Score files of predictions against the questions of a data set.

    The sources of which the files answer at least one question are scored. A question of theirs
    without a prediction is wrong, and lowers the coverage, unless ``answered_only``. In a folder
    ``out``, the scored answers are kept as a run.

    Raises:
        DataError: when a file cannot be read, fits no question of the data set, or gives other
            answers than the data set has.
        UsageError: when a run lies in ``out``.
    """
    folder = None if out is None else RunFolder(Path(out).absolute())
    if folder is not None and folder.exists():
        raise UsageError(f"{folder.path} holds a run; give another `out`", parameter="out")
    dataset = load(data)
    questions = list(dataset.questions())
    matches = match_files([Path(path) for path in paths], dataset, questions)
    predictions = matches.by_question
    answered = {question.source for question in questions if question.key in predictions}
    asked = [question for question in questions if question.source in answered]
    missing = [
        f"{q.source}, row {q.row}, question {q.question_index}, qa_pair_id {q.qa_pair_id!r}"
        for q in asked
        if q.key not in predictions
    ]
    wanted = [q for q in asked if not answered_only or q.key in predictions]
    metrics = {name: Metric(family_of(name, dataset.sources)) for name in answered}
    verdicts = RunVerdicts(metrics)
    catalogue = catalogue_for([metric.family for metric in metrics.values()], dataset, entities)

    def score(question: Question) -> Sample:
        prediction = predictions.get(question.key)
        text = prediction.text if prediction else None
        error = None if text is not None else "no answer" if prediction else MISSING
        return score_sample(question, text, error, dataset.sources[question.source], catalogue)

    samples: Iterable[Sample] = map(score, wanted)
    expected = Counter(question.source for question in wanted)
    name = ", ".join(Path(path).name for path in paths)
    if folder is not None:
        samples = _keep(folder, name, dataset, expected, samples)
    scored = map(verdicts.score, samples)
    scores = total_scores(scored, expected, verdicts, benchmark=dataset.is_benchmark)
    return PredictionsSummary(
        agent=name,
        data=dataset.name,
        protocol=_UNKNOWN,
        sources=scores.sources,
        rows=scores.rows,
        spent=scores.spent,
        **scores.means,
        titles=dataset.titles or None,
        predictions=Mismatches(
            unknown=tuple(matches.unknown),
            missing=() if answered_only else tuple(missing),
            duplicate=tuple(matches.duplicate),
        ),
    )


def _keep(
    folder: RunFolder,
    agent: str,
    dataset: Dataset,
    questions: Mapping[str, int],
    samples: Iterable[Sample],
) -> Iterator[Sample]:
    """Keep scored predictions as a run, and return them as they are stored."""
    record = RunRecord(
        agent=agent,
        data=DataRecord.of(dataset),
        questions=dict(questions),
        protocol=_UNKNOWN,
        prompts=_UNKNOWN,
        sources=declarations(dataset.sources) or None,
    )
    folder.create(record.begin())
    folder.replace_samples(samples)
    return Run.summarize(folder).samples()
