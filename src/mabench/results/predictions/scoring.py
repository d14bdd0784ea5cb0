"""Scores the answers of result files as those of mabench's own runs, and checks their claims.

A run of a file is first matched: its answers to the questions of a data set; or, without one, to
questions that are made from the file itself, with its own golds.
"""

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

_UNKNOWN = "unknown"  # The protocol and the prompts of a run that was made elsewhere.
_NO_ANSWER = "no answer"  # The error of an answer without a text.
# The family of questions whose source is of no known benchmark, and the source of those for which
# the file names none.
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
    answers: Mapping[Key, GivenAnswer]  # By the keys of the questions.
    questions: Sequence[Question]  # Those that are scored.
    sources: Mapping[str, Source]  # Of the questions, by name.
    data: DataRecord
    catalogue: Catalogue | None  # Of the entities that recommendations are scored by.
    mismatches: Mismatches
    check: FileCheck
    titles: Mapping[str, str] | None  # Of sources whose rows are made up.
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

    Args:
        paths: the files.
        data: the data set whose questions they answer. A source of it is scored if a run answers
            at least one of its questions. Without it, questions and golds are those of the files.
        entities: the file of entities by which recommendations are scored.
        answered_only: leave out questions without an answer, which else are wrong, and lower the
            coverage.
        out: a folder in which the scored answers are kept as a run, or as a folder of runs if
            there are several.
        layout: the name of the format of files whose shape does not tell it.

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
    paths = [root]
    if len(runs) > 1:
        names = [_folder_name(file_run.run.name) for file_run in runs]
        paths = [root / f"{number} {name}" for number, name in enumerate(names, start=1)]
    folders: list[RunFolder | None] = []
    for path in paths:
        folder = RunFolder(path)
        if folder.exists():
            raise UsageError(f"{path} holds a run; give another `out`", parameter="out")
        folders.append(folder)
    return folders


def _folder_name(run_name: str) -> str:
    """Return the name of a run without what a folder's name cannot have, or begin with."""
    return run_name.replace("/", "-").replace("\0", "-").lstrip(".")


def _match_data(
    file_run: FileRun, dataset: Dataset, entities: str | Path | None, *, answered_only: bool
) -> _MatchedRun:
    """Match a run with a data set; the sources are scored of which it answers a question."""
    questions = list(dataset.questions())
    matches = AnswerMatcher(questions)
    for file, answers in file_run.answers_of.items():
        if answers:
            matches.match_file(file, answers, dataset.name)
    answered_sources = {question.source for question in matches.questions.values()}
    asked = [question for question in questions if question.source in answered_sources]
    missing = [question for question in asked if question.key not in matches.by_question]
    if answered_only:
        asked = [question for question in asked if question.key in matches.by_question]
        missing = []
    families = [family_of(source, dataset.sources) for source in answered_sources]
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
            missing=tuple(_name_question(question) for question in missing),
            duplicate=tuple(matches.duplicate),
        ),
        check=check_file(file_run, matches, len(missing)),
        titles=dataset.titles or None,
        golds_of_file=False,
    )


def _name_question(question: Question) -> str:
    """Return where a question is in the data set, in words."""
    place = f"{question.source}, row {question.row}, question {question.question_index}"
    return f"{place}, qa_pair_id {question.qa_pair_id!r}"


def _with_own_golds(file_run: FileRun) -> _MatchedRun:
    """Match a run with the questions and golds of its own file.

    If the file has several answers to a question, the first one counts.
    """
    own = _OwnQuestions({**BY_NAME, **published_sources()})
    if not file_run.run.has_no_answers:
        for answer in file_run.run.answers:
            own.add(answer)
    return _MatchedRun(
        file_run=file_run,
        answers=own.answers,
        questions=own.questions,
        sources=own.sources(),
        data=DataRecord(
            name=f"the golds of {file_run.name}",
            fingerprint=_fingerprint(own.questions),
            benchmark=False,
        ),
        catalogue=None,
        mismatches=Mismatches(
            unknown=(), ambiguous=(), missing=(), duplicate=tuple(own.duplicates)
        ),
        check=check_file(file_run, None, 0),
        titles=None,
        golds_of_file=True,
    )


class _OwnQuestions:
    """The questions of a file, made from its answers, which have golds.

    ``known`` are the sources of benchmarks, by name.
    """

    def __init__(self, known: Mapping[str, Source]) -> None:
        self.questions: list[Question] = []
        self.answers: dict[Key, GivenAnswer] = {}
        self.duplicates: list[str] = []  # Answers to a question that an earlier one answers.
        self._known = known
        # What names a question in a file: its source, its history, and its id, number or text.
        self._names: set[tuple[str, str | None, str]] = set()
        self._row_by_history: dict[tuple[str, str], int] = {}  # By the source and the history.
        self._numbered: Counter[tuple[str, int]] = Counter()  # Questions of a source's row.

    def add(self, answer: GivenAnswer) -> None:
        """Add the question of an answer, unless an earlier answer is to the same one.

        Raises ``UsageError`` for an answer without a gold.
        """
        if not answer.golds:
            raise UsageError(
                f"{answer.place}: no gold of the question; name the data set that it answers with "
                "`data`",
                parameter="data",
            )
        source = answer.source or _OWN_SOURCE
        name = (source, answer.history, answer.question_id or _number_or_text(answer))
        if name in self._names:
            self.duplicates.append(str(answer))
            return
        self._names.add(name)
        row = self._row_of(answer, source)
        question = Question(
            split=self._known[source].split if source in self._known else source,
            row=row,
            question_index=self._index_of(answer, source, row),
            source=source,
            question=answer.question or answer.prompt or "",
            answers=answer.golds,
            qa_pair_id=answer.question_id,
            question_id=answer.question_id,
            question_type=answer.question_type,
        )
        self.questions.append(question)
        self.answers[question.key] = answer

    def _row_of(self, answer: GivenAnswer, source: str) -> int:
        """Return the row of an answer; without one, each history of a source gets a number."""
        if answer.row is not None:
            return answer.row
        history = source, answer.history or ""
        return self._row_by_history.setdefault(history, len(self._row_by_history))

    def _index_of(self, answer: GivenAnswer, source: str, row: int) -> int:
        """Return the index of an answer's question in its row; without one, the next number."""
        if answer.question_index is not None:
            return answer.question_index
        self._numbered[source, row] += 1
        return self._numbered[source, row] - 1

    def sources(self) -> dict[str, Source]:
        """Return the sources of the questions by name; unknown ones are of a family of our own."""
        sources = {}
        for question in self.questions:
            name = question.source
            known = self._known.get(name)
            sources[name] = known or Source.declare(name, {"family": _OWN_FAMILY})
        return sources


def _number_or_text(answer: GivenAnswer) -> str:
    """Return what names the question of an answer without an id: its number, else its text."""
    if answer.question_index is not None:
        return f"{answer.row} {answer.question_index}"
    return answer.question or answer.prompt or answer.place


def _fingerprint(questions: Sequence[Question]) -> str:
    """Return a hash of the questions and golds of a file, which stands in for that of rows."""
    digest = hashlib.sha256()
    for question in questions:
        digest.update(repr((question.key, question.question, question.answers)).encode())
    return digest.hexdigest()


def _score(matched: _MatchedRun, folder: RunFolder | None) -> PredictionsSummary:
    """Score the answers of a matched run, and keep them in a folder if there is one."""
    expected = Counter(question.source for question in matched.questions)
    families = {name: family_of(name, matched.sources) for name in expected}
    samples = [_sample(matched, question) for question in matched.questions]
    judgments = list(_judgments(matched, samples))
    if folder is not None:
        _store(matched, folder, samples, judgments, expected, families.values())
    verdicts = RunVerdicts.of_judgments(families, samples, judgments)
    scored = (verdicts.score(sample) for sample in samples)
    scores = total_scores(scored, expected, verdicts, benchmark=matched.data.benchmark)
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
    """Yield the verdicts of judges that a file has on the answers that are scored."""
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
    """Keep the scored answers and their judgments in a folder as a run.

    ``expected`` is how many questions of each source there are; ``families`` are those of the
    sources.
    """
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
