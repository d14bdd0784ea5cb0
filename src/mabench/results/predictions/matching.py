"""Matching predictions to the questions of a data set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from mabench.data import Question
from mabench.errors import DataError
from mabench.printable import write_count
from mabench.results.predictions.reading import Prediction, read_predictions
from mabench.results.records.lines import Key

_MOST_PLACES = 3  # Rows that are named where a prediction fits several.


class PredictionMatcher:
    """Matches predictions to the questions of a data set.

    A question is named by its source, the row's index in its split and the question's index or
    ``qa_pair_id``. The row may be left out where the rest names one question; where an id occurs
    in several rows, the prompt, the answers and the position decide that a file gives beside the
    prediction. Where these leave several questions, none is taken: the order of rows tells nothing.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self.by_question: dict[Key, Prediction] = {}
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
        for prediction in read_predictions(path):
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

    def _match(self, prediction: Prediction) -> None:
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

    def _candidates(self, prediction: Prediction) -> list[Question]:
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

    def _by_prompt_or_position(self, prediction: Prediction) -> list[Question]:
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

    def _at(self, prediction: Prediction) -> Question | None:
        listed = self._of_source.get(prediction.source or "", [])
        place = prediction.position
        return listed[place] if place is not None and 0 <= place < len(listed) else None


def _places(questions: Sequence[Question]) -> str:
    """Name the rows of some questions, or how many there are."""
    named = [f"row {question.row}" for question in questions[:_MOST_PLACES]]
    more = len(questions) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _agree(prediction: Prediction, question: Question) -> bool:
    """Whether the golds of a file are answers of a question; a file may have one alone, or none."""
    return prediction.golds <= {answer.strip() for answer in question.answers}
