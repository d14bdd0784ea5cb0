"""Reads the turns of a history where a description says that they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from mabench.data.descriptions.dates import read_dates
from mabench.data.descriptions.forms import HistoryForm
from mabench.data.descriptions.leftovers import LeftOut
from mabench.data.descriptions.parts import JsonPart
from mabench.data.problems import Problem
from mabench.printable import write_count

_SESSIONS_WITHOUT_TURN = "sessions without a turn"
_DATES_WITHOUT_SESSION = "dates without a session"
# How many unreadable dates of a history are named; further ones are only counted.
_MOST_NAMED = 3
A_TIME = "a time such as 2023/05/20 (Sat) 22:54, or seconds since 1970"
_AS_LISTED = "the sessions stay in the order of the file"


@dataclass(slots=True, kw_only=True)
class DescribedTurn:
    """A turn: what was said, and what precedes it."""

    text: str
    session: str
    id: str
    date: str  # As the heading of the turn has it.
    time: datetime | None = None
    who: dict[str, str] = field(default_factory=dict)  # ``role``, ``speaker`` and ``user``.
    is_marked: bool = False  # Whether the file marks it as holding an answer.


class _Session(NamedTuple):
    """A session, before its turns are read."""

    part: JsonPart
    name: str
    date: JsonPart | None
    values: dict[str, str]


class TurnReader:
    """Reads the turns of one object; afterwards it knows what was left out, and the sessions."""

    def __init__(self, form: HistoryForm, left_out: LeftOut) -> None:
        self._form = form
        self._left_out = left_out
        self.problems: list[Problem] = []
        self.sessions: dict[str, str] = {}  # The names in the rows by those in the file.

    def read(self, whole: JsonPart) -> Iterator[DescribedTurn]:
        """Yield the turns in order."""
        if self._form.said is not None:
            yield from self._form.said(whole, self._left_out)
            return
        sessions = self._sessions(whole)
        order, times = self._order_sessions([one.date for one in sessions])
        for index in order:
            yield from self._turns(sessions[index], times[index])
        self._count_other_fields(whole, sessions)

    def _sessions(self, whole: JsonPart) -> list[_Session]:
        """Return the sessions in the order of the file.

        A session without a name has that of its field, or else its number.
        """
        parts = [*self._walk(whole)]
        names = self._beside(whole, self._form.names, parts)
        dates = self._beside(whole, self._form.dates, parts)
        sessions = []
        for index, (values, part) in enumerate(parts):
            if names:
                name = names[index].of(str)
            elif values:
                name = part.place.rpartition(".")[2]  # The field that the path's ``{}`` matched.
            else:
                name = f"session_{index + 1}"
            sessions.append(_Session(part, name, dates[index] if dates else None, values))
        return sessions

    def _walk(self, whole: JsonPart) -> Iterator[tuple[dict[str, str], JsonPart]]:
        """Yield the sessions, whether they are the values of fields or the items of a list."""
        path = self._form.sessions
        if not path or "{" in path:
            yield from whole.walk(path)
        else:
            yield from (({}, item) for item in whole.at(path).items())

    def _beside(
        self, whole: JsonPart, path: str | None, parts: list[tuple[dict[str, str], JsonPart]]
    ) -> list[JsonPart]:
        """Return what there is one of for each session."""
        if path is None:
            return []
        if path.endswith("[]"):
            listed = whole.at(path[:-2])
            if len(listed.items()) != len(parts):
                expected = f"{len(parts)}, one for each session"
                raise listed.fault(expected, write_count(len(listed.items()), "item"))
            return listed.items()
        if "{" in path:
            return [whole.at(path.format_map(values)) for values, _ in parts]
        return [part.at(path) for _, part in parts]

    def _order_sessions(
        self, dates: list[JsonPart | None]
    ) -> tuple[list[int], list[datetime | None]]:
        """Return the order of the sessions, and their times.

        With an unreadable date, sessions keep the order of the file; if the other times are not in
        that order, all times are left out.
        """
        times = read_dates([None if date is None else date.value for date in dates])
        in_file = list(range(len(times)))
        if self._form.order == "file":
            return in_file, times
        if None not in times:
            return sorted(in_file, key=times.__getitem__), times  # type: ignore[arg-type]
        unread = [date for date, time in zip(dates, times, strict=True) if date and time is None]
        for date in unread[:_MOST_NAMED]:
            self.problems.append(date.doubt(f"{A_TIME}; {_AS_LISTED}"))
        more = unread[_MOST_NAMED:]
        if more:
            found = f"{write_count(len(more), 'more date')} of this kind"
            self.problems.append(more[0].doubt(f"{A_TIME}; {_AS_LISTED}", found))
        known = [time for time in times if time is not None]
        return in_file, times if known == sorted(known) else [None] * len(times)

    def _turns(self, session: _Session, session_time: datetime | None) -> Iterator[DescribedTurn]:
        form = self._form
        turns = session.part.at(form.turns).items()
        date = session.name.replace("_", " ")
        if session.date is not None and session.date.is_there and session.date.value is not None:
            date = text_of_date(session.date)
        if not turns:
            self._left_out.count(session.part.record, _SESSIONS_WITHOUT_TURN)
            return
        own = f"session_{len(self.sessions) + 1}" if form.renamed else session.name
        name = self.sessions.setdefault(session.name, own)
        for number, turn in enumerate(turns, start=1):
            fields = turn.of(dict)
            said = form.text(turn) if callable(form.text) else turn[form.text].of(str)
            who = self._read_who(turn)
            values = {"session": name, "number": number}
            turn_id = form.id.format_map(values) if "{" in form.id else _id_of(turn[form.id])
            time, own_date = session_time, date
            if form.time and turn[form.time].value is not None:
                own_date = text_of_date(turn[form.time])
                [time] = read_dates([turn[form.time].value])
            yield DescribedTurn(
                text=said,
                session=name,
                id=turn_id,
                date=own_date,
                time=time,
                who=who,
                is_marked=self._is_marked(turn),
            )
            self._left_out.count_all(turn.record, fields, self._known_of_turns)

    def _read_who(self, turn: JsonPart) -> dict[str, str]:
        """Return the role, speaker and user of a turn, as far as the form names fields for them.

        A role or a speaker must be there then.
        """
        who: dict[str, str] = {}
        for kind in ("role", "speaker", "user"):
            field = getattr(self._form, kind)
            if field and turn[field].value is not None:
                who[kind] = turn[field].of(str)
        for kind in ("role", "speaker"):
            field = getattr(self._form, kind)
            if field and kind not in who:
                raise turn[field].fault("a string; copy or download the file again")
        return who

    def _is_marked(self, turn: JsonPart) -> bool:
        """Return whether the file marks a turn as holding an answer; raise for what is no bool."""
        if self._form.marks is None:
            return False
        marked = turn[self._form.marks]
        if marked.value not in (None, False, True):
            raise marked.fault("true or false")
        return bool(marked.value)

    @property
    def _known_of_turns(self) -> set[str]:
        form = self._form
        named = (form.text, form.id, form.role, form.speaker, form.time, form.user, form.marks)
        return {*form.uses, *(one for one in named if isinstance(one, str))}

    def _count_other_fields(self, whole: JsonPart, sessions: list[_Session]) -> None:
        """Count the fields beside the sessions, where these are fields, or else of each session."""
        form = self._form
        if "{" in form.sessions:
            container = whole.at(form.sessions.rpartition(".")[0])
            of_sessions = {one.part.place for one in sessions}
            dated = [part for _, part in whole.walk(form.dates)] if form.dates else []
            known = of_sessions | {part.place for part in dated}
            prefix = f"{container.place}." if container.place else ""
            for name in container.of(dict):
                if f"{prefix}{name}" not in known:
                    self._left_out.count(whole.record, name)
            used = {one.date.place for one in sessions if one.date is not None}
            for part in dated:
                if part.place not in used:
                    self._left_out.count(whole.record, _DATES_WITHOUT_SESSION)
        elif form.turns and form.sessions:
            paths = (form.turns, form.names, form.dates)
            known = {*form.session_uses, *(path.split(".")[0] for path in paths if path)}
            for one in sessions:
                self._left_out.count_all(one.part.record, one.part.of(dict), known)


def _id_of(part: JsonPart) -> str:
    """Return the id of a turn, which may be a whole number."""
    is_number = isinstance(part.value, int) and not isinstance(part.value, bool)
    return str(part.value) if is_number else part.of(str)


def text_of_date(part: JsonPart) -> str:
    """Return a date as text; seconds since 1970 may be a number. Raises as ``JsonPart.of``."""
    is_number = isinstance(part.value, int | float) and not isinstance(part.value, bool)
    return str(part.value) if is_number else part.of(str)


def history_values(said: DescribedTurn) -> dict[str, Any]:
    """Return what the heading of a turn may show."""
    missing = {"role": "", "speaker": said.who.get("role", "")}
    return {**missing, **said.who, "date": said.date, "session": said.session}
