"""Predictions that another tool made: read, matched to the questions they answer, and scored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from mabench.data import Question, dump_declarations
from mabench.errors import DataError, UsageError, reason
from mabench.families import family_of
from mabench.json_text import JsonRecord, from_json
from mabench.loading import catalogue_of, load
from mabench.printable import write_count
from mabench.results.records.lines import MISSING, Key, Sample
from mabench.results.records.packages import packages_of_scoring, versions_of
from mabench.results.records.record import DataRecord, RunRecord
from mabench.results.records.store import RunFolder
from mabench.results.run import Run
from mabench.results.scored import RunVerdicts, score_sample
from mabench.results.summaries import ScoreSummary
from mabench.results.tally import total_scores
from mabench.userfile import LARGEST_DOCUMENT, lines_in, open_file

_BLOCK = 4096
_MOST_PLACES = 3  # Rows that are named where a prediction fits several.
_UNKNOWN = "unknown"
# The fields of a prediction by their names in our files, and in result files of the published code.
_PLACE = {name: name for name in ("source", "row", "question_index", "qa_pair_id")}
_OURS = {"text": "prediction", **_PLACE}
_PUBLISHED = {"text": "output", **_PLACE, "position": "query_id", "prompt": "query"}
_NUMBERS = ("row", "question_index", "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mismatches(JsonRecord):
    """What did not fit between a file of predictions and a data set, each by its place."""

    unknown: tuple[str, ...]  # Predictions for no question of the data set.
    # Predictions that several questions fit, and that no field tells apart: none of them counts.
    ambiguous: tuple[str, ...]
    missing: tuple[str, ...]  # Questions without a prediction.
    duplicate: tuple[str, ...]  # Predictions for a question that an earlier one answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionsSummary(ScoreSummary):
    """The scores of a file of predictions."""

    predictions: _Mismatches


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
    matches = _Matcher(questions)
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
        predictions=_Mismatches(
            unknown=tuple(matches.unknown),
            ambiguous=tuple(matches.ambiguous),
            missing=tuple(missing),
            duplicate=tuple(matches.duplicate),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Prediction:
    """One prediction of a file, with what the file says of its question."""

    place: str  # File and line, or file and position, for messages.
    text: str | None  # None for a failed answer.
    source: str | None = None
    row: int | None = None  # From 0 within the split.
    question_index: int | None = None
    qa_pair_id: str | None = None
    golds: frozenset[str] = frozenset()  # Without blanks around them.
    position: int | None = None  # Which of all questions of the source it is, from 0.
    prompt: str | None = None

    def __str__(self) -> str:
        values = {name: getattr(self, name) for name in _PLACE} | {"query_id": self.position}
        known = [f"{name} {value!r}" for name, value in values.items() if value is not None]
        return f"{self.place}: {', '.join(known) or 'names no question'}"


def _read_predictions(path: Path) -> Iterator[_Prediction]:
    """Yield the predictions of a file; a DataError names line and field of what is none.

    Two forms are read: JSONL with ``source``, ``row``, ``question_index`` or ``qa_pair_id``, and
    ``prediction`` on each line; and the published code's result file, a JSON object whose
    ``data`` list holds ``output``, ``answer`` and ``qa_pair_id``, or in older files ``query_id``
    and ``query``, with the source in ``dataset_config.sub_dataset``.
    """
    try:
        with open_file(path) as stream:
            published = _read_published(stream)
            if published is not None:
                config = published.get("dataset_config")
                source = config.get("sub_dataset") if isinstance(config, dict) else None
                for number, item in enumerate(published["data"]):
                    one = _prediction(item, f"{path}, data[{number}]", _PUBLISHED, "answer")
                    yield replace(one, source=source) if isinstance(source, str) else one
                return
            stream.seek(0)
            for number, line in enumerate(lines_in(stream), start=1):
                if not line.strip():
                    continue
                place = f"{path}, line {number}"
                try:
                    item = from_json(line, distinct_keys=True)
                except ValueError as error:
                    raise DataError(
                        f"{place}: not JSON ({error}); each line is one JSON object"
                    ) from error
                yield _prediction(item, place, _OURS, "answers")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path}: not readable: {reason(error)}; give a file of predictions"
        ) from error


class _Matcher:
    """Matches predictions to the questions of a data set.

    A question is named by its source, the row's index in its split and the question's index or
    ``qa_pair_id``. The row may be left out where the rest names one question; where an id occurs
    in several rows, the prompt, the answers and the position decide that a file gives beside the
    prediction. Where these leave several questions, none is taken: the order of rows tells nothing.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self.by_question: dict[Key, _Prediction] = {}
        self.unknown: list[str] = []  # They fit no question of the data set.
        self.ambiguous: list[str] = []  # They fit several.
        self.duplicate: list[str] = []  # They answer what an earlier prediction answers.
        self.disagreeing: list[str] = []  # Beside them stand other answers than the data set has.
        self._named: dict[object, list[Question]] = defaultdict(list)
        self._of_source: dict[str, list[Question]] = defaultdict(list)
        for question in questions:
            for name in {question.qa_pair_id, question.question_id} - {None, ""}:
                self._named[name].append(question)
            self._named[question.source, question.question_index].append(question)
            self._of_source[question.source].append(question)

    def match_file(self, path: Path, data: str) -> None:
        """Match a file; a DataError where it fits no question, or gives other answers."""
        before, ambiguous = len(self.by_question), len(self.ambiguous)
        for prediction in _read_predictions(path):
            self._match(prediction)
        count = len(self.by_question) - before
        if not count:
            several = self.ambiguous[ambiguous:]
            why = f"; {len(several)} fit several, first {several[0]}" if several else ""
            raise DataError(f"{path}: no prediction matches one question of {data}{why}")
        if self.disagreeing:
            raise DataError(
                f"{path}: {len(self.disagreeing)} of {write_count(count, 'prediction')} have other "
                f"golds than {data}, first {self.disagreeing[0]}; give the data "
                "set that the questions came from",
                parameter="data",
            )

    def _match(self, prediction: _Prediction) -> None:
        questions = self._candidates(prediction)
        if (prompt := prediction.prompt) is not None:
            questions = [q for q in questions if q.question.strip() in prompt] or questions
        questions = [q for q in questions if _agree(prediction, q)] or questions
        there = self._at(prediction)
        fitting = [there] if there and there in questions else questions
        if not fitting:
            self.unknown.append(str(prediction))
        elif len(fitting) > 1:
            self.ambiguous.append(f"{prediction} (in {_places(fitting)}; add `row` or `answers`)")
        elif fitting[0].key in self.by_question:
            self.duplicate.append(str(prediction))
        else:
            self.by_question[fitting[0].key] = prediction
            if not _agree(prediction, fitting[0]):
                self.disagreeing.append(str(prediction))

    def _candidates(self, prediction: _Prediction) -> list[Question]:
        source = prediction.source
        if prediction.qa_pair_id is not None:
            questions = self._named.get(prediction.qa_pair_id, [])
        elif prediction.prompt is not None or prediction.position is not None:
            return self._by_prompt_or_position(prediction)
        elif source is not None and prediction.question_index is not None:
            questions = self._named.get((source, prediction.question_index), [])
        else:
            return []
        parts = ["row", "question_index"]
        # A result file may name its source in its own way; its ids are enough.
        if source in self._of_source or prediction.prompt is None:
            parts.append("source")
        return [
            question
            for question in questions
            if all(getattr(prediction, part) in (None, getattr(question, part)) for part in parts)
        ]

    def _by_prompt_or_position(self, prediction: _Prediction) -> list[Question]:
        """Return the questions that an older result file may mean: by the prompt, else the place.

        A place that holds another question than the prompt is ignored.
        """
        there, prompt = self._at(prediction), prediction.prompt
        if prompt is None or (there and there.question.strip() in prompt):
            return [there] if there else []
        source = prediction.source
        own = [source] if source is not None and source in self._of_source else None
        return [
            question
            for name in own or self._of_source
            for question in self._of_source[name]
            if question.question.strip() and question.question.strip() in prompt
        ]

    def _at(self, prediction: _Prediction) -> Question | None:
        listed = self._of_source.get(prediction.source or "", [])
        place = prediction.position
        return listed[place] if place is not None and 0 <= place < len(listed) else None


def _places(questions: Sequence[Question]) -> str:
    """Name the rows of some questions, or how many there are."""
    named = [f"row {question.row}" for question in questions[:_MOST_PLACES]]
    more = len(questions) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _agree(prediction: _Prediction, question: Question) -> bool:
    """Whether the golds of a file are answers of a question; a file may have one alone, or none."""
    return prediction.golds <= {answer.strip() for answer in question.answers}


def _read_published(stream: BinaryIO) -> dict[str, Any] | None:
    """Return a published result file, or None when it is no such file.

    That is one object. Of a file with an object on its first line, and more, no more is read.
    """
    first = stream.readline(LARGEST_DOCUMENT)
    try:
        content = from_json(first)
        if stream.read(_BLOCK).strip():
            return None
    except ValueError:
        try:
            content = from_json(first + stream.read(LARGEST_DOCUMENT))
        except ValueError:
            return None
    return content if isinstance(content, dict) and isinstance(content.get("data"), list) else None


def _prediction(item: object, place: str, names: Mapping[str, str], golds: str) -> _Prediction:
    if not isinstance(item, dict) or names["text"] not in item:
        raise DataError(f"{place}: no field {names['text']!r}; every prediction needs it")
    fields: dict[str, Any] = {field: item.get(name) for field, name in names.items()}
    for field, value in fields.items():
        kind = int if field in _NUMBERS else str
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            why = f"field {names[field]!r} is {value!r}; expected {kind.__name__} or null"
            raise DataError(f"{place}: {why}")
    fields["qa_pair_id"] = fields["qa_pair_id"] or None
    texts = frozenset(gold.strip() for gold in _strings(item.get(golds)))
    return _Prediction(place=place, golds=texts, **fields)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
