"""Scoring the answers of result files, beside what the files claim."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabench.data import BY_NAME, Dataset, Question, Source, dump_declarations
from mabench.data.formats import published_sources
from mabench.errors import UsageError
from mabench.families import Family, family_of
from mabench.formats import GivenAnswer
from mabench.json_text import IfTrue, JsonRecord
from mabench.loading import catalogue_of, load
from mabench.results.predictions.checking import FileCheck, check_file
from mabench.results.predictions.matching import AnswerMatcher
from mabench.results.predictions.reading import FileRun, read_result_files
from mabench.results.records.lines import MISSING, Judgment, Key, Sample
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
_NO_ANSWER = "no answer"
# The family of questions that no benchmark at hand is known to have.
_OWN_FAMILY = "answer"
_OWN_SOURCE = "unknown"


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
    """The scores of one run of a result file."""

    predictions: Mismatches
    check: FileCheck  # What the file claims beside this.
    # Whether the golds are the file's own, so that nobody compared them with the benchmark's.
    golds_of_file: IfTrue = False


@dataclass(frozen=True, slots=True)
class _MatchedRun:
    """A run of a result file with the questions that it answers or should answer."""

    file_run: FileRun
    answers: Mapping[Key, GivenAnswer]
    questions: Sequence[Question]  # Those that are scored.
    sources: Mapping[str, Source]
    data: DataRecord
    catalogue: Catalogue | None
    mismatches: Mismatches
    check: FileCheck
    titles: Mapping[str, str] | None
    golds_of_file: bool


def score_files(
    paths: Sequence[str | Path],
    data: object = None,
    entities: str | Path | None = None,
    *,
    answered_only: bool = False,
    out: str | Path | None = None,
    layout: str | None = None,
) -> list[PredictionsSummary]:
    """Score the runs of result files by the same rules as runs of mabench's own.

    A source of ``data`` is scored if a run answers at least one of its questions. A question of
    it without an answer is wrong, and lowers the coverage, unless ``answered_only``. Without
    ``data``, the questions and golds are those of the files. In a folder ``out``, the scored
    answers are kept as a run, or as a folder of runs if there are several. ``layout`` names the
    format of files whose shape does not tell it.

    Raises:
        DataError: when a file cannot be read, fits no question of the data set, or gives other
            answers than the data set has.
        UsageError: when a run lies in ``out``, a file has no known format, or files without golds
            are scored without ``data``.
    """
    runs = read_result_files([Path(path) for path in paths], layout)
    folders = _folders_of(runs, out)
    dataset = None if data is None else load(data)
    summaries = []
    for run, folder in zip(runs, folders, strict=True):
        if dataset is None:
            matched = _with_own_golds(run)
        else:
            matched = _match_data(run, dataset, entities, answered_only=answered_only)
        summaries.append(_score(matched, folder))
    return summaries


def _folders_of(runs: Sequence[FileRun], out: str | Path | None) -> list[RunFolder | None]:
    """Return the folder of each run: ``out`` itself for one, a folder in it for each of several."""
    if out is None:
        return [None] * len(runs)
    root = Path(out).absolute()
    if len(runs) == 1:
        paths = [root]
    else:
        names = [one.run.name.replace("/", "-").replace("\0", "-").lstrip(".") for one in runs]
        paths = [root / f"{number} {name}" for number, name in enumerate(names, start=1)]
    folders = [RunFolder(path) for path in paths]
    for folder in folders:
        if folder.exists():
            raise UsageError(f"{folder.path} holds a run; give another `out`", parameter="out")
    return [*folders]


def _match_data(
    file_run: FileRun, dataset: Dataset, entities: str | Path | None, *, answered_only: bool
) -> _MatchedRun:
    """Match a run with a data set, some of whose sources it answers."""
    questions = list(dataset.questions())
    matches = AnswerMatcher(questions)
    for file, answers in file_run.answers_of.items():
        if answers:
            matches.match_file(file, answers, dataset.name)
    answered = {question.source for question in matches.questions.values()}
    asked = [question for question in questions if question.source in answered]
    missing = [question for question in asked if question.key not in matches.by_question]
    if answered_only:
        asked = [question for question in asked if question.key in matches.by_question]
        missing = []
    families = [family_of(name, dataset.sources) for name in answered]
    return _MatchedRun(
        file_run=file_run,
        answers=matches.by_question,
        questions=asked,
        sources=dataset.sources,
        data=DataRecord.of(dataset),
        catalogue=catalogue_of(dataset, entities, families),
        mismatches=Mismatches(
            unknown=tuple(matches.unknown),
            ambiguous=tuple(matches.ambiguous),
            missing=tuple(map(_name_question, missing)),
            duplicate=tuple(matches.duplicate),
        ),
        check=check_file(file_run, matches, len(missing)),
        titles=dataset.titles or None,
        golds_of_file=False,
    )


def _name_question(question: Question) -> str:
    place = f"{question.source}, row {question.row}, question {question.question_index}"
    return f"{place}, qa_pair_id {question.qa_pair_id!r}"


def _with_own_golds(file_run: FileRun) -> _MatchedRun:
    """Take questions and golds from a file; the first answer to a question counts."""
    if file_run.run.has_no_answers:
        questions: list[Question] = []
        answers: dict[Key, GivenAnswer] = {}
        duplicates: list[str] = []
    else:
        questions, answers, duplicates = _questions_of(file_run)
    names = dict.fromkeys(question.source for question in questions)
    known = {**BY_NAME, **published_sources()}
    declared = {"family": _OWN_FAMILY}
    return _MatchedRun(
        file_run=file_run,
        answers=answers,
        questions=questions,
        sources={name: known.get(name) or Source.declare(name, declared) for name in names},
        data=DataRecord(
            name=f"the golds of {file_run.name}",
            fingerprint=_fingerprint(questions),
            benchmark=False,
        ),
        catalogue=None,
        mismatches=Mismatches(unknown=(), ambiguous=(), missing=(), duplicate=tuple(duplicates)),
        check=check_file(file_run, None, 0),
        titles=None,
        golds_of_file=True,
    )


def _questions_of(
    file_run: FileRun,
) -> tuple[list[Question], dict[Key, GivenAnswer], list[str]]:
    """Return the questions of a file, its answers by them, and answers to the same question."""
    histories: dict[tuple[str, str], int] = {}
    asked: Counter[tuple[str, int]] = Counter()
    by_name: dict[tuple[str, str | None, str], Key] = {}
    questions: list[Question] = []
    answers: dict[Key, GivenAnswer] = {}
    duplicates: list[str] = []
    for answer in file_run.run.answers:
        if not answer.golds:
            raise UsageError(
                f"{answer.place}: no gold of the question; name the data set that it answers with "
                "`data`",
                parameter="data",
            )
        source = answer.source or _OWN_SOURCE
        name = (source, answer.history, answer.question_id or _text_of(answer))
        if name in by_name:
            duplicates.append(str(answer))
            continue
        row = answer.row
        if row is None:
            row = histories.setdefault((source, answer.history or ""), len(histories))
        index = answer.question_index
        if index is None:
            index = asked[source, row]
            asked[source, row] += 1
        known = {**BY_NAME, **published_sources()}
        question = Question(
            split=known[source].split if source in known else source,
            row=row,
            question_index=index,
            source=source,
            question=answer.question or answer.prompt or "",
            answers=answer.golds,
            qa_pair_id=answer.question_id,
            question_id=answer.question_id,
            question_type=answer.question_type,
        )
        by_name[name] = question.key
        questions.append(question)
        answers[question.key] = answer
    return questions, answers, duplicates


def _text_of(answer: GivenAnswer) -> str:
    """Return what names a question without an id: its number, or its text."""
    if answer.question_index is not None:
        return f"{answer.row} {answer.question_index}"
    return answer.question or answer.prompt or answer.place


def _fingerprint(questions: Sequence[Question]) -> str:
    digest = hashlib.sha256()
    for question in questions:
        digest.update(repr((question.key, question.question, question.answers)).encode())
    return digest.hexdigest()


def _score(matched: _MatchedRun, folder: RunFolder | None) -> PredictionsSummary:
    expected = Counter(question.source for question in matched.questions)
    families = {name: family_of(name, matched.sources) for name in expected}
    samples = [_sample(matched, question) for question in matched.questions]
    judgments = list(_judgments(matched, samples))
    if folder is not None:
        _store(matched, folder, samples, judgments, expected, families.values())
    verdicts = RunVerdicts.of_judgments(families, samples, judgments)
    scores = total_scores(
        map(verdicts.score, samples), expected, verdicts, benchmark=matched.data.benchmark
    )
    return PredictionsSummary(
        agent=matched.file_run.name,
        data=matched.data.name,
        protocol=_UNKNOWN,
        sources=scores.sources,
        rows=scores.rows,
        spent=scores.spent,
        **scores.means,
        titles=matched.titles,
        predictions=matched.mismatches,
        check=matched.check,
        golds_of_file=matched.golds_of_file,
    )


def _sample(matched: _MatchedRun, question: Question) -> Sample:
    """Return the scored answer to a question; one that failed or is missing is wrong."""
    answer = matched.answers.get(question.key)
    text = None if answer is None or answer.failure else answer.text
    error = None
    if answer is None:
        error = MISSING
    elif text is None:
        error = answer.failure or _NO_ANSWER
    family = family_of(matched.sources[question.source])
    return score_sample(question, text, error, family, matched.catalogue)


def _judgments(matched: _MatchedRun, samples: Sequence[Sample]) -> Iterator[Judgment]:
    """Yield the verdicts that a file brings on the answers that are scored."""
    for sample in samples:
        answer = matched.answers.get(sample.key)
        if answer is None or sample.prediction is None:
            continue
        for verdict in answer.verdicts:
            is_known = verdict.value is not None
            yield Judgment(
                *sample.key,
                source=sample.source,
                model=verdict.judge,
                prompts=verdict.prompts,
                answer=sample.answer_hash,
                verdict={"correct": int(verdict.value or 0)} if is_known else None,
                value=verdict.value,
                error=None if is_known else "the file has no verdict",
                words=verdict.words,
            )


def _store(
    matched: _MatchedRun,
    folder: RunFolder,
    samples: Sequence[Sample],
    judgments: Sequence[Judgment],
    expected: Mapping[str, int],
    families: Iterable[Family],
) -> None:
    """Keep the scored answers as a run, to sources of these families."""
    record = RunRecord(
        agent=matched.file_run.name,
        data=matched.data,
        questions=dict(expected),
        protocol=_UNKNOWN,
        prompts=_UNKNOWN,
        packages=versions_of(packages_of_scoring(families)),
        sources=dump_declarations(matched.sources) or None,
    )
    folder.create(record.begin())
    folder.replace_samples(samples)
    for judgment in judgments:
        folder.append_judgment(judgment)
    Run.summarize(folder)
