"""Predictions that another tool made: read, matched to the questions they answer, and scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabench.data import Question, dump_declarations
from mabench.errors import UsageError
from mabench.families import family_of
from mabench.json_text import JsonRecord
from mabench.loading import catalogue_of, load
from mabench.results.predictions.matching import PredictionMatcher
from mabench.results.records.lines import MISSING, Sample
from mabench.results.records.packages import packages_of_scoring, versions_of
from mabench.results.records.record import DataRecord, RunRecord
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.results.samples import score_sample
from mabench.results.summaries import ScoreSummary
from mabench.results.summing.questions import total_scores
from mabench.results.verdicts import RunVerdicts

_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatches(JsonRecord):
    """What did not fit between a file of predictions and a data set, each by its place."""

    unknown: tuple[str, ...]  # Predictions for no question of the data set.
    # Predictions that several questions fit, and that no field tells apart: none of them counts.
    ambiguous: tuple[str, ...]
    missing: tuple[str, ...]  # Questions without a prediction.
    duplicate: tuple[str, ...]  # Predictions for a question that an earlier one answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionsSummary(ScoreSummary):
    """The scores of a file of predictions."""

    predictions: Mismatches


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
    matches = PredictionMatcher(questions)
    for path in paths:
        matches.match_file(Path(path), dataset.name)
    predictions = matches.by_question
    answered = {question.source for question in questions if question.key in predictions}
    asked = [question for question in questions if question.source in answered]
    wanted = [q for q in asked if not answered_only or q.key in predictions]
    missing = (
        f"{q.source}, row {q.row}, question {q.question_index}, qa_pair_id {q.qa_pair_id!r}"
        for q in wanted
        if q.key not in predictions
    )
    verdicts = RunVerdicts({name: family_of(name, dataset.sources) for name in answered})
    catalogue = catalogue_of(dataset, entities, verdicts.families.values())

    def score(question: Question) -> Sample:
        prediction = predictions.get(question.key)
        text = prediction.text if prediction else None
        error = None if text is not None else "no answer" if prediction else MISSING
        return score_sample(question, text, error, dataset.sources[question.source], catalogue)

    samples: Iterable[Sample] = map(score, wanted)
    expected = Counter(question.source for question in wanted)
    name = ", ".join(Path(path).name for path in paths)
    if folder is not None:
        record = RunRecord(
            agent=name,
            data=DataRecord.of(dataset),
            questions=dict(expected),
            protocol=_UNKNOWN,
            prompts=_UNKNOWN,
            packages=versions_of(packages_of_scoring(expected, dataset.sources)),
            sources=dump_declarations(dataset.sources) or None,
        )
        folder.create(record.begin())
        folder.replace_samples(samples)
        samples = Run.summarize(folder).samples()
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
            ambiguous=tuple(matches.ambiguous),
            missing=tuple(missing),
            duplicate=tuple(matches.duplicate),
        ),
    )
