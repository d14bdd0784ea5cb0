"""Predictions that another tool made: read, matched to the questions they answer, and scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabench.data import Dataset, Question, Source, dump_declarations
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
from mabench.scoring import Catalogue

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
    wanted = _choose_questions(questions, matches, answered_only)
    expected = Counter(question.source for question in wanted)
    verdicts = RunVerdicts({name: family_of(name, dataset.sources) for name in expected})
    catalogue = catalogue_of(dataset, entities, verdicts.families.values())
    samples = _score(wanted, matches, dataset.sources, catalogue)
    name = ", ".join(Path(path).name for path in paths)
    if folder is not None:
        samples = _keep_as_run(folder, name, dataset, expected, samples)
    scores = total_scores(
        map(verdicts.score, samples), expected, verdicts, benchmark=dataset.is_benchmark
    )
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
            missing=tuple(_name_missing(wanted, matches)),
            duplicate=tuple(matches.duplicate),
        ),
    )


def _choose_questions(
    questions: Sequence[Question], matches: PredictionMatcher, answered_only: bool
) -> list[Question]:
    """Return the questions that count: those of the sources of which any is answered."""
    predictions = matches.by_question
    answered = {question.source for question in questions if question.key in predictions}
    return [
        question
        for question in questions
        if question.source in answered and (not answered_only or question.key in predictions)
    ]


def _name_missing(wanted: Iterable[Question], matches: PredictionMatcher) -> Iterator[str]:
    """Yield the places of questions without a prediction, in words."""
    for one in wanted:
        if one.key not in matches.by_question:
            place = f"{one.source}, row {one.row}, question {one.question_index}"
            yield f"{place}, qa_pair_id {one.qa_pair_id!r}"


def _score(
    wanted: Iterable[Question],
    matches: PredictionMatcher,
    sources: Mapping[str, Source],
    catalogue: Catalogue | None,
) -> Iterator[Sample]:
    """Yield the question with its prediction and scores; one without is wrong."""
    for question in wanted:
        prediction = matches.by_question.get(question.key)
        text = prediction.text if prediction else None
        error = None if text is not None else "no answer" if prediction else MISSING
        yield score_sample(question, text, error, sources[question.source], catalogue)


def _keep_as_run(
    folder: RunFolder,
    name: str,
    dataset: Dataset,
    expected: Mapping[str, int],
    samples: Iterable[Sample],
) -> Iterator[Sample]:
    """Keep scored answers as a run of an agent of that ``name``, and return what was kept."""
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
    return Run.summarize(folder).samples()
