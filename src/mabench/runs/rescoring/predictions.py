"""Predictions that another tool made: read from a file and matched to the questions they answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from mabench.data import Question
from mabench.errors import DataError
from mabench.json_text import Json, from_json
from mabench.runs.records.sample import Key, key_of

T = TypeVar("T")
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction of a file.

    Attributes:
        place: file and line, or file and position, for messages.
        text: the prediction; None for a failed answer.
        source, row, question_index, qa_pair_id: what the file says of the question; ``row``
            counts from 0 within the split.
        golds: the answers that the file gives beside the prediction, if any.
    """

    place: str
    text: str | None
    source: str | None = None
    row: int | None = None
    question_index: int | None = None
    qa_pair_id: str | None = None
    golds: tuple[str, ...] = ()

    def __str__(self) -> str:
        names = ("source", "row", "question_index", "qa_pair_id")
        values = ((name, getattr(self, name)) for name in names)
        question = ", ".join(f"{name} {value!r}" for name, value in values if value is not None)
        return f"{self.place}: {question or 'names no question'}"


@dataclass(slots=True)
class PredictionMatches:
    """Predictions by the question they answer, and those that answer none.

    ``unknown`` fit no question of the data set or more than one, ``duplicate`` a question that
    an earlier prediction answers.
    """

    by_question: dict[Key, Prediction] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    duplicate: list[str] = field(default_factory=list)


def read_predictions(path: Path) -> Iterator[Prediction]:
    """Yield the predictions of a file.

    Two forms are read: JSONL with ``source``, ``row``, ``question_index`` or ``qa_pair_id``, and
    ``prediction`` on each line; and the published code's result file, a JSON object whose
    ``data`` list holds ``output``, ``qa_pair_id`` and ``answer``.

    Raises:
        DataError: when the file is neither, naming line and field.
    """
    try:
        with path.open("rb") as stream:
            published = _published(stream)
            if published is not None:
                for position, item in enumerate(published):
                    yield _prediction(item, f"{path}, data[{position}]", "output", "answer")
                return
            stream.seek(0)
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    place = f"{path}, line {number}"
                    yield _prediction(_object(line, place), place, "prediction", "answers")
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not readable: {error}") from error


def match_predictions(
    predictions: Iterable[Prediction], questions: Sequence[Question]
) -> PredictionMatches:
    """Find the question that each prediction answers.

    A question is named by its source, the row's index in its split and the question's index or
    ``qa_pair_id``. The row may be left out where the rest names one question; where an id stands
    in several rows, the answers that a file gives beside the prediction decide; without them
    the predictions are taken in the order of the rows.
    """
    by_id: dict[object, list[Question]] = defaultdict(list)
    for question in questions:
        by_id[question.qa_pair_id].append(question)
        by_id[question.source, question.question_index].append(question)
    matches = PredictionMatches()
    for prediction in predictions:
        fitting = _fitting(prediction, by_id)
        free = [q for q in fitting if key_of(q) not in matches.by_question]
        in_order = prediction.qa_pair_id is not None
        if free and (in_order or len(fitting) == 1):
            matches.by_question[key_of(free[0])] = prediction
        elif fitting and not free:
            matches.duplicate.append(str(prediction))
        else:
            matches.unknown.append(str(prediction))
    return matches


def _fitting(prediction: Prediction, by_id: Mapping[object, list[Question]]) -> list[Question]:
    """Return the questions that a prediction may answer, by all the names that it has."""
    if prediction.qa_pair_id is not None:
        name: object = prediction.qa_pair_id
    elif prediction.source is not None and prediction.question_index is not None:
        name = (prediction.source, prediction.question_index)
    else:
        return []
    place = ("source", "row", "question_index")
    fitting = [
        question
        for question in by_id.get(name, [])
        if all(getattr(prediction, part) in (None, getattr(question, part)) for part in place)
    ]
    same_golds = [
        q for q in fitting if prediction.golds and set(q.answers) >= set(prediction.golds)
    ]
    return same_golds or fitting


def _object(line: bytes, place: str) -> Json:
    try:
        return from_json(line, distinct_keys=True)
    except ValueError as error:
        raise DataError(f"{place}: not JSON ({error}); each line is one JSON object") from error


def _published(stream: BinaryIO) -> list[Json] | None:
    """Return the ``data`` list of a published result file, or None when it is no such file.

    That is one object. Of a file with an object on its first line, and more, no more is read.
    """
    first = stream.readline()
    try:
        content = from_json(first)
        if stream.read(_BLOCK).strip():
            return None
    except ValueError:
        try:
            content = from_json(first + stream.read())
        except ValueError:
            return None
    data = content.get("data") if isinstance(content, dict) else None
    return data if isinstance(data, list) else None


def _prediction(item: object, place: str, text_field: str, golds_field: str) -> Prediction:
    if not isinstance(item, dict) or text_field not in item:
        raise DataError(f"{place}: no field {text_field!r}; every prediction needs it")
    return Prediction(
        place=place,
        text=_typed(item, text_field, str, place),
        source=_typed(item, "source", str, place),
        row=_typed(item, "row", int, place),
        question_index=_typed(item, "question_index", int, place),
        qa_pair_id=_typed(item, "qa_pair_id", str, place),
        golds=tuple(_strings(item.get(golds_field))),
    )


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _typed(item: Mapping[str, Any], name: str, kind: type[T], place: str) -> T | None:
    value = item.get(name)
    if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise DataError(f"{place}: field {name!r} is {value!r}; expected {kind.__name__} or null")
