"""Matches the answers of a result file to the questions of a data set."""

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
    in several rows, what a file gives beside the answer decides: the prompt, the question's text,
    the golds and the position. Without id and place, the question's text alone names it. Where
    these leave several questions, none is taken: the order of rows tells nothing.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        """Take in the questions of the data set; nothing is matched yet."""
        self.by_question: dict[Key, GivenAnswer] = {}
        self.questions: dict[Key, Question] = {}  # Those that are answered.
        # Answers, in words:
        self.unknown: list[str] = []  # that fit no question of the data set,
        self.ambiguous: list[str] = []  # that fit several,
        self.duplicate: list[str] = []  # that answer what an earlier one answers,
        self.disagreeing: list[str] = []  # with other golds than the data set has,
        self.elsewhere: list[str] = []  # and of another source than the file says.
        # Questions by what may name them: an id, or the source with the question's index.
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
        """Match the answers of a file; ``data`` is the name of the data set.

        Raises ``DataError`` when no answer fits a question of it, or most have other golds.
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
            more = f"; {len(ambiguous)} fit several, first {ambiguous[0]}" if ambiguous else ""
            raise DataError(f"{file}: no prediction matches one question of {data}{more}")
        if len(disagreeing) > _MOST_DISAGREEING * count:
            raise DataError(
                f"{file}: {len(disagreeing)} of {write_count(count, 'prediction')} have other "
                f"golds than {data}, first {disagreeing[0]}; give the data set that the questions "
                "came from",
                parameter="data",
            )

    def _match(self, answer: GivenAnswer) -> None:
        """Find the question of an answer; if there is not just one, note the answer as such."""
        questions = self._candidates(answer)
        for fits in (_holds_question, _has_text, _is_of_history, _agrees):
            fitting = [question for question in questions if fits(answer, question)]
            if fitting:  # What fits none of the questions does not tell them apart.
                questions = fitting
        at_position = self._at_position(answer)
        if at_position is not None and at_position in questions:
            questions = [at_position]
        if not questions:
            self.unknown.append(str(answer))
        elif len(questions) > 1:
            self.ambiguous.append(f"{answer} (in {_name_rows(questions)}; add `row` or `answers`)")
        elif questions[0].key in self.by_question:
            self.duplicate.append(str(answer))
        else:
            self._take(answer, questions[0])

    def _take(self, answer: GivenAnswer, question: Question) -> None:
        """Match an answer to its question, and note if golds or source differ."""
        self.by_question[question.key] = answer
        self.questions[question.key] = question
        if not _agrees(answer, question):
            self.disagreeing.append(str(answer))
        if answer.source in self._of_source and answer.source != question.source:
            self.elsewhere.append(str(answer))

    def _candidates(self, answer: GivenAnswer) -> list[Question]:
        """Return the questions that an answer may be to: by id or place, else by text or prompt.

        A place is a source with the question's index.
        """
        named: list[Question] = []
        has_place = answer.source is not None and answer.question_index is not None
        if answer.question_id is not None:
            named = self._named.get(answer.question_id, [])
        elif has_place:
            named = self._named.get((answer.source, answer.question_index), [])
        elif answer.prompt is not None or answer.position is not None:
            return self._by_prompt_or_position(answer)
        fitting = [question for question in named if self._fits_place(answer, question)]
        if answer.question is None:
            return fitting
        # A file may count questions in its own way: a place with another question says nothing.
        same_text = [question for question in fitting if _has_text(answer, question)]
        candidates = same_text or self._by_text(answer)
        if not candidates and answer.question_id:
            return fitting
        return candidates

    def _fits_place(self, answer: GivenAnswer, question: Question) -> bool:
        """Return whether row, index and source are those of a question, where a file says them.

        A file may name sources in its own way. Then its ids are enough, if it also has the prompt
        or the question's text, by which a mistake would be noticed.
        """
        if answer.row not in (None, question.row):
            return False
        if answer.question_index not in (None, question.question_index):
            return False
        if answer.source in (None, question.source):
            return True
        is_known_source = answer.source in self._of_source
        has_text = answer.prompt is not None or answer.question is not None
        return has_text and not is_known_source

    def _by_text(self, answer: GivenAnswer) -> list[Question]:
        """Return the questions with the same text as that of an answer.

        They are of the answer's row and source, if the file names these as the data set does.
        """
        same_text = self._of_text.get(_plain(answer.question or ""), [])
        fitting = []
        for question in same_text:
            fits_row = answer.row in (None, question.row)
            is_known_source = answer.source in self._of_source
            fits_source = not is_known_source or answer.source == question.source
            if fits_row and fits_source:
                fitting.append(question)
        return fitting

    def _by_prompt_or_position(self, answer: GivenAnswer) -> list[Question]:
        """Return the questions that an answer without id and text may be to.

        That is the question at its position, unless the prompt has another question; then it is
        those whose text the prompt has, of the answer's source if that is known.
        """
        at_position, prompt = self._at_position(answer), answer.prompt
        if prompt is None:
            return [] if at_position is None else [at_position]
        if at_position is not None and at_position.question.strip() in prompt:
            return [at_position]
        sources: Iterable[str] = self._of_source
        if answer.source is not None and answer.source in self._of_source:
            sources = [answer.source]
        found = []
        for source in sources:
            for question in self._of_source[source]:
                text = question.question.strip()
                if text and text in prompt:
                    found.append(question)
        return found

    def _at_position(self, answer: GivenAnswer) -> Question | None:
        """Return the question at an answer's position among those of its source, if any."""
        questions = self._of_source.get(answer.source or "", [])
        position = answer.position
        if position is None or not 0 <= position < len(questions):
            return None
        return questions[position]


def _holds_question(answer: GivenAnswer, question: Question) -> bool:
    """Return whether the prompt of an answer has the text of a question in it."""
    return answer.prompt is not None and question.question.strip() in answer.prompt


def _has_text(answer: GivenAnswer, question: Question) -> bool:
    """Return whether a question's text is, or ends with, the text that the file has for it.

    The file may leave out what the data set writes before a question.
    """
    if answer.question is None:
        return False
    return _plain(question.question).endswith(_plain(answer.question))


def _is_of_history(answer: GivenAnswer, question: Question) -> bool:
    """Return whether an answer is of a question's history, by an id such as ``HISTORY_q12``."""
    if answer.history is None or question.qa_pair_id is None:
        return False
    return question.qa_pair_id.startswith(f"{answer.history}_q")


def _agrees(answer: GivenAnswer, question: Question) -> bool:
    """Return whether the golds of a file are golds of a question, which may have more of them."""
    golds = {gold.strip() for gold in answer.golds}
    return golds <= {gold.strip() for gold in question.answers}


def _plain(text: str) -> str:
    """Return a text in lower case with single blanks, by which questions are compared."""
    return " ".join(text.lower().split())


def _name_rows(questions: Sequence[Question]) -> str:
    """Return the rows of the first few questions in words, and how many more there are."""
    names = ", ".join(f"row {question.row}" for question in questions[:_MOST_PLACES])
    more = len(questions) - _MOST_PLACES
    return f"{names} and {more} more" if more > 0 else names
