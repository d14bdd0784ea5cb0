"""Matching the answers of a result file to the questions of a data set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from mabench.data import Question
from mabench.errors import DataError
from mabench.formats import GivenAnswer
from mabench.printable import write_count
from mabench.results.records.lines import Key

_MOST_PLACES = 3  # Rows that are named where an answer fits several.
# Above this share of answers with other golds, the file was made from other data.
_MOST_DISAGREEING = 0.5


class AnswerMatcher:
    """Matches answers to the questions of a data set.

    A question is named by its source, the row's index in its split and the question's index or
    ``qa_pair_id``. The row may be left out where the rest names one question. Where an id occurs
    in several rows, the prompt, the question's text, the golds and the position decide that a
    file gives beside the answer. Without id and place, the question's text alone names it. Where
    these leave several questions, none is taken: the order of rows tells nothing.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self.by_question: dict[Key, GivenAnswer] = {}
        self.questions: dict[Key, Question] = {}  # Those that are answered.
        self.unknown: list[str] = []  # They fit no question of the data set.
        self.ambiguous: list[str] = []  # They fit several.
        self.duplicate: list[str] = []  # They answer what an earlier one answers.
        self.disagreeing: list[str] = []  # The file has other golds than the data set.
        self.elsewhere: list[str] = []  # Of another source than the file says.
        self._named: dict[object, list[Question]] = defaultdict(list)
        self._of_source: dict[str, list[Question]] = defaultdict(list)
        self._of_text: dict[str, list[Question]] = defaultdict(list)
        for question in questions:
            for name in {question.qa_pair_id, question.question_id} - {None, ""}:
                self._named[name].append(question)
            self._named[question.source, question.question_index].append(question)
            self._of_source[question.source].append(question)
            self._of_text[_plain(question.question)].append(question)

    def match_file(self, file: Path, answers: Sequence[GivenAnswer], data: str) -> None:
        """Match the answers of a file; raises ``DataError``.

        That is when none fits a question of the data set, or most have other golds than it has.
        """
        matched_before = len(self.by_question)
        ambiguous_before = len(self.ambiguous)
        disagreeing_before = len(self.disagreeing)
        for answer in answers:
            self._match(answer)
        count = len(self.by_question) - matched_before
        ambiguous = self.ambiguous[ambiguous_before:]
        disagreeing = self.disagreeing[disagreeing_before:]
        if not count:
            why = f"; {len(ambiguous)} fit several, first {ambiguous[0]}" if ambiguous else ""
            raise DataError(f"{file}: no prediction matches one question of {data}{why}")
        if len(disagreeing) > _MOST_DISAGREEING * count:
            raise DataError(
                f"{file}: {len(disagreeing)} of {write_count(count, 'prediction')} have other "
                f"golds than {data}, first {disagreeing[0]}; give the data set that the questions "
                "came from",
                parameter="data",
            )

    def _match(self, answer: GivenAnswer) -> None:
        """Find the question of an answer; note it where there is none, or not one alone."""
        questions = self._candidates(answer)
        for fits in (_holds_question, _has_text, _is_of_history, _agrees):
            # What fits no question does not tell them apart.
            questions = [question for question in questions if fits(answer, question)] or questions
        at_position = self._at(answer)
        fitting = [at_position] if at_position and at_position in questions else questions
        if not fitting:
            self.unknown.append(str(answer))
        elif len(fitting) > 1:
            self.ambiguous.append(f"{answer} (in {_places(fitting)}; add `row` or `answers`)")
        elif fitting[0].key in self.by_question:
            self.duplicate.append(str(answer))
        else:
            self._take(answer, fitting[0])

    def _take(self, answer: GivenAnswer, question: Question) -> None:
        self.by_question[question.key] = answer
        self.questions[question.key] = question
        if not _agrees(answer, question):
            self.disagreeing.append(str(answer))
        if answer.source in self._of_source and answer.source != question.source:
            self.elsewhere.append(str(answer))

    def _candidates(self, answer: GivenAnswer) -> list[Question]:
        """Return the questions that id or place name; else those of the text or the prompt."""
        named: list[Question] = []
        is_placed = answer.source is not None and answer.question_index is not None
        if answer.question_id is not None:
            named = self._named.get(answer.question_id, [])
        elif is_placed:
            named = self._named.get((answer.source, answer.question_index), [])
        elif answer.prompt is not None or answer.position is not None:
            return self._by_prompt_or_position(answer)
        fitting = [question for question in named if self._fits_place(answer, question)]
        if answer.question is None:
            return fitting
        # A file may count questions in its own way: a place that holds another question is none.
        same_text = [question for question in fitting if _has_text(answer, question)]
        return same_text or self._by_text(answer) or (fitting if answer.question_id else [])

    def _fits_place(self, answer: GivenAnswer, question: Question) -> bool:
        """Return whether row, index and source are those of a question, where a file says them.

        A result file may name its source in its own way; then its ids are enough.
        """
        if answer.row not in (None, question.row):
            return False
        if answer.question_index not in (None, question.question_index):
            return False
        is_our_name = answer.source in self._of_source
        is_bare = answer.prompt is None and answer.question is None
        return answer.source in (None, question.source) or not (is_our_name or is_bare)

    def _by_text(self, answer: GivenAnswer) -> list[Question]:
        """Return the questions with the text of an answer's, of its row and source if it has."""
        same = self._of_text.get(_plain(answer.question or ""), [])
        return [
            question
            for question in same
            if answer.row in (None, question.row)
            and (answer.source not in self._of_source or answer.source == question.source)
        ]

    def _by_prompt_or_position(self, answer: GivenAnswer) -> list[Question]:
        """Return the questions that an older result file may mean: by the prompt, else the place.

        A place that holds another question than the prompt is ignored.
        """
        there, prompt = self._at(answer), answer.prompt
        if prompt is None or (there and there.question.strip() in prompt):
            return [there] if there else []
        source = answer.source
        own = [source] if source is not None and source in self._of_source else None
        return [
            question
            for name in own or self._of_source
            for question in self._of_source[name]
            if question.question.strip() and question.question.strip() in prompt
        ]

    def _at(self, answer: GivenAnswer) -> Question | None:
        """Return the question at an answer's position among those of its source, if any."""
        listed = self._of_source.get(answer.source or "", [])
        place = answer.position
        return listed[place] if place is not None and 0 <= place < len(listed) else None


def _holds_question(answer: GivenAnswer, question: Question) -> bool:
    """Whether the prompt of an answer holds the text of a question."""
    return answer.prompt is not None and question.question.strip() in answer.prompt


def _has_text(answer: GivenAnswer, question: Question) -> bool:
    """Whether the text of a question is that of the answer's, or ends with it, as prompts do."""
    if answer.question is None:
        return False
    return _plain(question.question).endswith(_plain(answer.question))


def _is_of_history(answer: GivenAnswer, question: Question) -> bool:
    """Whether an answer is of a question's history: its ids are such as ``HISTORY_q12``."""
    if answer.history is None or question.qa_pair_id is None:
        return False
    return question.qa_pair_id.startswith(f"{answer.history}_q")


def _agrees(answer: GivenAnswer, question: Question) -> bool:
    """Whether the golds of a file are answers of a question; a file may have one alone, or none."""
    golds = {gold.strip() for gold in answer.golds}
    return golds <= {gold.strip() for gold in question.answers}


def _plain(text: str) -> str:
    """Return a text in lower case with single blanks, by which questions are compared."""
    return " ".join(text.lower().split())


def _places(questions: Sequence[Question]) -> str:
    """Name the rows of some questions, or how many there are."""
    named = [f"row {question.row}" for question in questions[:_MOST_PLACES]]
    more = len(questions) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
