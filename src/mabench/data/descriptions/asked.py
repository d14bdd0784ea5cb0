"""Reads the questions about a history where a description says that they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.forms import QuestionsForm
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import JsonPart
from mabench.data.descriptions.said import A_TIME, DescribedTurn, text_of_date
from mabench.data.problems import Problem, describe
from mabench.text.times import read_time

# How many wrong ids of a question are named.
_MOST_SHOWN = 5
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(slots=True, kw_only=True)
class ToldHistory:
    """What a question may name of its history."""

    turns: Sequence[DescribedTurn]
    sessions: dict[str, str]  # The names of the sessions in the rows by those in the file.
    ids: frozenset[str] = field(init=False)  # Of the turns.

    def __post_init__(self) -> None:
        self.ids = frozenset(turn.id for turn in self.turns)


@dataclass(slots=True, kw_only=True)
class DescribedQuestion:
    """A question with what belongs to it."""

    text: str
    id: str
    answers: list[str]
    kind: str | None = None
    question_id: str | None = None
    date: str | None = None
    evidence: list[str] = field(default_factory=list)
    rubric: list[str] | None = None
    asked_after: str | None = None


class QuestionReader:
    """Reads the questions of one object; afterwards it knows what was left out."""

    def __init__(
        self, form: QuestionsForm, left_out: LeftOut, of_whole: Collection[str] = ()
    ) -> None:
        self._form = form
        self._of_whole = of_whole  # The fields of the whole object that ids may name.
        self._left_out = left_out
        self.problems: list[Problem] = []

    def read(
        self, whole: JsonPart, history: ToldHistory, source: str
    ) -> Iterator[DescribedQuestion]:
        """Yield the questions in order; ``source`` is the name of that of the row."""
        form, fields = self._form, _texts_in(whole)
        is_own = not form.list and form.each is None  # The whole object is the question.
        for index, values, part in self._parts(whole):
            place = {"source": source, "index": str(index), "row": str(part.record.row)}
            known = fields | place | values | _texts_in(part)  # The names that templates may use.
            try:
                asked_id = form.id.format_map(known)
            except KeyError as error:
                name = str(error.args[0])
                holder = whole if name in self._of_whole else part
                raise holder[name].fault("a string or a whole number") from error
            kind = self._kind(part, values)
            date = None if form.date is None else text_of_date(part[form.date])
            text = form.text(part) if callable(form.text) else part[form.text].text()
            options = self._options(part)
            question = "\n".join([text, *(f"{letter}. {one}" for letter, one in options.items())])
            yield DescribedQuestion(
                text=form.asked.format_map({**known, "question": question, "date": date or ""}),
                id=asked_id,
                answers=[self._answer(part, kind, options)],
                kind=kind,
                question_id=None if form.question_id is None else part[form.question_id].of(str),
                date=None if form.date is None else self._moment(part[form.date], date or ""),
                evidence=self._evidence(part, history),
                rubric=self._rubric(part),
                asked_after=self._asked_after(part, history),
            )
            if not is_own:
                self._left_out.count_all(part.record, part.of(dict), self.known_fields)

    def _parts(self, whole: JsonPart) -> Iterator[tuple[int, dict[str, str], JsonPart]]:
        """Yield each question after its number in its list, from 0, and what its path's names are.

        These are such as ``{"type": "single_hop"}`` of a path ``questions.{type}``.
        """
        form = self._form
        if form.each is not None:
            yield from ((index, {}, part) for index, part in enumerate(form.each(whole)))
        elif not form.list:
            yield 0, {}, whole
        else:
            for values, listed in whole.walk(form.list):
                yield from ((i, values, part) for i, part in enumerate(listed.items()))

    @property
    def known_fields(self) -> set[str]:
        """The fields of a question that are read."""
        form = self._form
        named = {*form.uses, *re.findall(r"\{(\w+)\}", form.id + form.asked)}
        readings = (form.text, form.answer, form.options, form.evidence, form.rubric)
        for reading in (*readings, form.asked_after, form.date, form.question_id, form.type):
            if isinstance(reading, str):
                named.add(reading.split(".")[0])
            elif isinstance(reading, tuple):
                named.update(reading)
        return named

    def _kind(self, part: JsonPart, values: dict[str, str]) -> str | None:
        """Return the type of a question: by its path, or a field, whose numbers have names."""
        form = self._form
        if form.type is None:
            return None
        if form.type.startswith("{"):
            return form.type.format_map(values)
        named = part[form.type]
        if not form.types:
            return named.of(str)
        if isinstance(named.value, bool) or str(named.value) not in form.types:
            raise named.fault(f"one of {', '.join(form.types)}")
        return form.types[str(named.value)]

    def _options(self, part: JsonPart) -> dict[str, str]:
        """Return the options by their letters; none if the question is open."""
        form = self._form
        if form.options is None:
            return {}
        listed = part[form.options] if isinstance(form.options, str) else form.options(part)
        if isinstance(listed, JsonPart):
            if listed.value is None:
                return {}
            if isinstance(listed.value, dict):
                return {letter: listed[letter].text() for letter in listed.of(dict)}
            listed = [one.text() for one in listed.items()]
        texts: Sequence[str] = listed or ()
        return dict(zip(_LETTERS, texts, strict=False))

    def _answer(self, part: JsonPart, kind: str | None, options: dict[str, str]) -> str:
        """Return the gold: with options, letter and text of the right one."""
        form = self._form
        if callable(form.answer):
            gold: str = form.answer(part, kind)
        elif isinstance(form.answer, tuple):
            gold = _first_of(part, form.answer)
        else:
            gold = part[form.answer].answer()
        if not options:
            return gold
        named = [letter for letter, text in options.items() if gold in (letter, text)]
        if not named:
            place = part[form.answer] if isinstance(form.answer, str) else part
            expected = f"one of the options, by its letter or text: {', '.join(options)}"
            raise place.fault(expected, describe(gold))
        return f"{named[0]}. {options[named[0]]}"

    def _moment(self, part: JsonPart, date: str) -> str:
        """Return when a question is asked in a form for rows, after a warning if it is unknown."""
        [moment] = read_dates([part.value])
        if moment is None:
            self.problems.append(part.doubt(f"{A_TIME}; when it is asked stays unknown"))
            return date
        is_usual_form = read_time(date) == moment and not _is_iso(date)
        return date if is_usual_form else moment.isoformat()

    def _evidence(self, part: JsonPart, history: ToldHistory) -> list[str]:
        """Return the ids that a question rests on, each once; note the problems met."""
        form = self._form
        if form.evidence is None:
            return []
        if isinstance(form.evidence, str):
            found: Any = _named_ids(part[form.evidence], history)
        else:
            read: Callable[..., Any] = form.evidence
            found = read(part, history)
        ids: list[str] = []
        for one in found:
            if isinstance(one, Problem):
                self.problems.append(one)
            else:
                ids.append(one)
        return list(dict.fromkeys(ids))

    def _rubric(self, part: JsonPart) -> list[str] | None:
        """Return what a good answer says, a line each; None where the form names no rubric."""
        form = self._form
        if callable(form.rubric):
            lines: list[str] = form.rubric(part)
            return lines
        return None if form.rubric is None else _rubric(part[form.rubric])

    def _asked_after(self, part: JsonPart, history: ToldHistory) -> str | None:
        """Return the turn or the time that a question may know last; None for the whole history."""
        form = self._form
        if form.asked_after is None:
            return None
        if callable(form.asked_after):
            after: str | None = form.asked_after(part, history)
            return after
        named = part[form.asked_after]
        return None if named.value is None else text_of_date(named)


def _named_ids(named: JsonPart, history: ToldHistory) -> Iterator[str | Problem]:
    """Yield the ids in a list, or in nested lists and objects, and a warning about unknown ones."""
    ids = list(dict.fromkeys(str(one) for one in _leaves(named.value)))
    yield from ids
    unknown = [one for one in ids if one not in history.ids]
    if unknown:
        expected = "the ids of turns of the history; others tell no evidence"
        yield named.doubt(expected, ", ".join(map(describe, unknown[:_MOST_SHOWN])))


def _leaves(value: object) -> Iterator[object]:
    """Yield the values in nested lists and objects, except null."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    elif value is not None:
        yield value


def _first_of(part: JsonPart, names: Sequence[str]) -> str:
    """Return the first of several golds that is not null."""
    for name in names:
        if part[name].value is not None:
            return part[name].answer()
    raise part.fault(f"one of {', '.join(names)}", "no ideal answer")


def _rubric(rubric: JsonPart) -> list[str]:
    lines = [line.of(str) for line in rubric.items()]
    if not lines:
        raise rubric.fault("at least one line", "an empty list")
    return lines


def _texts_in(part: JsonPart) -> dict[str, str]:
    """Return the texts and whole numbers among the fields of an object, as text."""
    texts = {}
    for name, field_or_part in part.of(dict).items():
        value = field_or_part.value if isinstance(field_or_part, JsonPart) else field_or_part
        if type(value) in (str, int):  # No bool, which is an int as well.
            texts[name] = str(value)
    return texts


def _is_iso(date: str) -> bool:
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True
