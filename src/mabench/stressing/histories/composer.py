"""Composes histories: turns numbers that Hypothesis draws into operations that make sense.

Any numbers make a history, so that Hypothesis can leave out and lower whichever it likes when it
shrinks one: a text is named by its place among those that there are, and what means nothing at its
place is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from mabench.bench.versioned_facts import VersionedFacts
from mabench.stressing.abilities import Abilities
from mabench.stressing.histories.history import History
from mabench.stressing.operations import (
    BOUND,
    CONTRADICTIONS,
    PLANTED,
    TIMES,
    UNDATED_CONTRADICTIONS,
    USERS,
    Operation,
)

BURSTS = (12, 60, 130)  # Numbers of texts that are added or searched for in a burst.
_DEEP = 50  # Results that are asked for where more than the number of texts are.
_DEEPEST = 1000  # Results that are asked for where others add texts at the same time.
_LOOKED_UP = 15  # Texts at either end of a long history that are looked up when it is over.
_MOST_CHANGES = 40  # Updates or deletions by several clients at a time.
_REPEATABLE = 4  # Of the latest searches, one of these many may be made again.


class Draw(NamedTuple):
    """What is drawn for one operation of one client."""

    kind: str
    user: int  # Whose, as a place in the users, which begin again after the last.
    # With which text, as a place in those that there are; where none is needed, the size of a burst
    # or the kind of a contradiction, as a place likewise.
    text: int
    # When, as a place in ``TIMES``, which begin again after the last. A search whose place is in
    # the first round takes no time.
    time: int
    by_other: bool  # Whether another user searches than the one whose text it is.
    is_exact: bool  # Whether no more results are asked for than there are texts.

    @property
    def has_time(self) -> bool:
        """Whether a search takes a time: its place is not in the first round."""
        return self.time >= len(TIMES)


class BulkDraw(NamedTuple):
    """What is drawn for many operations of one kind at a time."""

    kind: str
    user: int  # As in ``Draw``.
    texts: int  # How many texts, at most.
    clients: int  # How many operations are carried out at a time.
    is_about_later: bool  # Whether they are about the later half of the texts.
    rounds: int  # How often it is done, if it is a search.


@dataclass(slots=True)
class _Text:
    """A text that was added."""

    fact: int
    user: str | None
    time: datetime
    first_time: datetime  # When it was added; ``time`` is that of its last change.
    version: int = 0
    is_live: bool = True  # Whether it was neither deleted nor retracted.
    # Whether it was contradicted, or told in another way than by itself: then no id of it is used
    # any more, and it is not told again by itself.
    is_fixed: bool = False
    is_planted: bool = False  # Then it has no other words.


@dataclass(slots=True)
class Composer:
    """Appends operations to a history, and knows which texts there are after them."""

    abilities: Abilities
    users: Sequence[str | None]
    _operations: list[Operation] = field(default_factory=list)
    _texts: list[_Text] = field(default_factory=list)
    _facts: int = 0  # How many facts were told; they are numbered.
    _step: int = 0
    _client: int = 0  # Who does something while others do; 0 while one client does all.

    def compose(self, draws: Iterable[Sequence[Any]]) -> Composer:
        """Append what one client does, by draws with the fields of ``Draw``."""
        for draw in (Draw(*each) for each in draws):
            user = self.users[draw.user % len(self.users)]
            time = TIMES[draw.time % len(TIMES)]
            match draw.kind:
                case "ready" | "reopen":
                    self.append(draw.kind)
                case "maintain":
                    self._maintain()
                case "list":
                    self.append("list", user=user)
                case "delete-user":
                    self._delete_user(user)
                case "add":
                    self._add(user, time)
                case "burst":
                    self._add(user, time, count=BURSTS[draw.text % len(BURSTS)], clients=1)
                case "search":
                    if text := self._pick(draw.text):
                        as_of = time if draw.has_time else None
                        by = user if draw.by_other else text.user
                        self._search(text, by, as_of, draw.is_exact)
                case "search-again":
                    self._search_again(draw.text, user if draw.by_other else None)
                case "record":
                    change = UNDATED_CONTRADICTIONS[draw.text % len(UNDATED_CONTRADICTIONS)]
                    self._tell_record(user, time, change)
                case "secret" | "instruction":
                    self._plant(draw.kind, user, time)
                case "replace" | "correct" | "retract" | "bound":
                    if text := self._pick(draw.text, is_live=True):
                        self._contradict(draw.kind, text, time)
                case "repeat":
                    if text := self._pick(draw.text, is_live=True):
                        self._tell(text)
                case "paraphrase":
                    if texts := [text for text in self._texts if not text.is_planted]:
                        self._paraphrase(texts[draw.text % len(texts)], time)
                case "copy":
                    if text := self._pick(draw.text, is_live=True):
                        self._copy(text, user)
                case "add-again":
                    if text := self._pick(draw.text, is_live=False):
                        text.is_live = True
                        self._tell(text)
                case "update":
                    if text := self._pick(draw.text, is_live=True):
                        self._update([text], time)
                case "delete":
                    if text := self._pick(draw.text, is_live=True):
                        self._delete([text])
        return self

    def compose_concurrent(self, texts: int, bulks: Iterable[Sequence[Any]]) -> Composer:
        """Append what several clients do in one step, by draws with the fields of ``BulkDraw``.

        ``texts`` are added before, in equal parts for each user.
        """
        if texts:
            for user in self.users:
                self._add(user, TIMES[0], count=texts // len(self.users), clients=1)
        self._step += 1
        before = [*self._texts]
        for bulk in (BulkDraw(*each) for each in bulks):
            self._client += 1
            first = self.users[bulk.user % len(self.users)]
            if bulk.kind == "add":
                self._add(first, TIMES[0], count=bulk.texts, clients=bulk.clients)
                self._client += bulk.clients - 1
                continue
            # All users search at a time; one changes something.
            for user in self.users if bulk.kind == "search" else [first]:
                own = [text for text in before if text.user == user]
                start = len(own) // 2 if bulk.is_about_later else 0
                part = own[start : start + min(bulk.texts, _MOST_CHANGES)]
                if part:
                    self._append_bulk(bulk, user, part)
                    self._client += bulk.clients
        self._client = 0
        return self

    def append(self, op: Any, **fields: Any) -> Composer:
        """Append an operation if the memory has it: in a step of its own, or beside other clients'.

        ``fields`` are those of ``Operation``.
        """
        return self._append(Operation(op=op, **fields))

    def finish(self, *, look_at_all: bool = False) -> History:
        """Return the history: the operations, and a look at what there is after them.

        Unless ``look_at_all``, only the first and last texts are looked up. Then some is looked at
        again, after reopening, as other users, and after a last update and a last deletion.
        """
        drawn = len(self._operations)
        texts = self._texts
        if not look_at_all:
            texts = [*self._texts[:_LOOKED_UP], *self._texts[-_LOOKED_UP:]]
        looked_up = {(text.fact, text.user): text for text in texts}
        self.append("ready")
        for text in looked_up.values():
            self._look_up(text)
        for user in self.users:
            self.append("list", user=user)
        looks = [each for each in self._operations[drawn:] if each.reads]
        some = [*looks[:2], *looks[-2:]]
        self._append(*some)
        was_killed = any(each.op == "kill" for each in self._operations)
        if "reopen" in self.abilities.kinds and not was_killed:
            self.append("reopen")._append(*some)
        for look in some[:2]:
            others = [user for user in self.users if user != look.user]
            self._append(*(replace(look, user=user) for user in others if look.op == "search"))
        if not was_killed:
            self._change_and_look([*looked_up.values()], looks)
            # With several clients, what is seen is not put down to what was done last.
            if not look_at_all:
                told = [
                    *self._contradict_and_look([*looked_up.values()]),
                    *self._tell_records_and_look(),
                    *self._plant_and_look(),
                    *self._paraphrase_and_look([*looked_up.values()], looks),
                ]
                self._maintain_and_look([*told, *looks[-2:]])
                start = len(self._operations)
                self._copy_and_delete([*looked_up.values()])
                # Maintenance may bring back what was deleted since the last one.
                self._maintain_and_look(self._searches_since(start))
        return History(self._operations, drawn)

    def _look_up(self, text: _Text) -> None:
        """Search for a text, for what held before, and as of its time and of the last one."""
        self._search(text, text.user, None, is_exact=False)
        if text.version or not text.is_live:  # An index may still know what no longer holds.
            # Of a text that is gone, its last value no longer holds; else the one before.
            no_longer = text.version - 1 if text.is_live else text.version
            self._append(replace(self._operations[-1], version=no_longer))
        if "search" in self.abilities.timed and len(self._texts) < _LOOKED_UP:
            for time in dict.fromkeys((text.time, text.first_time, TIMES[-1])):
                self._search(text, text.user, time, is_exact=False)

    def _change_and_look(self, texts: Sequence[_Text], looks: Sequence[Operation]) -> None:
        """Update, then delete the last text that there is, and each time look for it again."""
        for kind in ("update", "delete"):
            last = self._changeable(texts)[-1:]
            if not last or kind not in self.abilities.kinds:
                continue
            if kind == "update":
                self._update(last, TIMES[0])
            else:
                self._delete(last)
            again = [each for each in looks if each.fact in (None, last[0].fact)]
            self.append("ready")._append(*again[:4])
            self._look_up(last[0])

    def _paraphrase_and_look(
        self, texts: Sequence[_Text], looks: Sequence[Operation]
    ) -> list[Operation]:
        """Tell a text in other words: anew after a deletion, once more, and after an update.

        Each time it is looked for, and other texts are. Returns the searches.
        """
        start, kinds = len(self._operations), self.abilities.kinds
        for text in self._changeable(texts)[-1:]:
            if "delete" in kinds:
                self._delete([text])
                self._paraphrase_and_look_up(text)
            self._paraphrase_and_look_up(text)
            self._append(*looks[-4:])
            if "update" in kinds:
                self._update([text], TIMES[1])
                self.append("ready")
                self._look_up(text)
                self._paraphrase_and_look_up(text)
        return self._searches_since(start)

    def _paraphrase_and_look_up(self, text: _Text) -> None:
        """Tell a text in other words, and look for it."""
        self._paraphrase(text, TIMES[1])
        self.append("ready")
        self._look_up(text)

    def _maintain_and_look(self, looks: Sequence[Operation]) -> None:
        """Let the memory do its background work, and look again."""
        if "maintain" in self.abilities.kinds:
            self._maintain()
            self._append(*looks)

    def _contradict_and_look(self, texts: Sequence[_Text]) -> list[Operation]:
        """Contradict one text in each way after it was told twice; return the searches for them."""
        start = len(self._operations)
        for kind in CONTRADICTIONS:
            last = self._changeable(texts)[-1:]
            if kind == "bound":
                last = [one for one in self._changeable(texts) if one.time < BOUND][-1:]
            if last and kind in self.abilities.kinds:
                self._tell(last[0])
                self._contradict(kind, last[0], TIMES[0])
                self.append("ready")
                self._look_up(last[0])
        return self._searches_since(start)

    def _tell_records_and_look(self) -> list[Operation]:
        """Tell two facts in one text, change the first, and look for both; return the searches."""
        start = len(self._operations)
        if {"record", "replace"} <= self.abilities.kinds:
            for kind in UNDATED_CONTRADICTIONS:
                for text in self._tell_record(self.users[0], TIMES[0], kind):
                    self._search(text, text.user, None, is_exact=False)
        return self._searches_since(start)

    def _plant_and_look(self) -> list[Operation]:
        """Plant a secret and an instruction, and look for them, as another user too.

        Returns the searches.
        """
        start, user = len(self._operations), self.users[0]
        stranger = next((other for other in (*self.users, *USERS) if other != user), None)
        before = [text for text in self._texts if text.user == user and text.is_live][:1]
        for kind in PLANTED:
            if kind in self.abilities.kinds:
                planted = self._plant(kind, user, TIMES[0])
                self.append("ready")
                for who in (user, stranger) if self.abilities.by_user else (user,):
                    self._search(planted, who, None, is_exact=False)
                for text in before:  # Nothing planted may change what is said of something else.
                    self._search(text, user, None, is_exact=False)
        self.append("list", user=user)
        return self._searches_since(start)

    def _searches_since(self, start: int) -> list[Operation]:
        """Return the searches from a position on that ask about the present."""
        return [each for each in self._operations[start:] if each.reads and each.time is None]

    def _plant(self, kind: str, user: str | None, time: datetime) -> _Text:
        """Add a text with a secret or an instruction, and return it."""
        text = _Text(self._facts, user, time, time, is_fixed=True, is_planted=True)
        self._facts += 1
        self._texts.append(text)
        self.append(kind, user=user, fact=text.fact, version=0, time=time)
        return text

    def _tell_record(self, user: str | None, time: datetime, kind: str) -> list[_Text]:
        """Tell two facts in one text, contradict the first, and return both."""
        texts = [_Text(self._facts + n, user, time, time, is_fixed=True) for n in range(2)]
        self._facts += 2
        self._texts += texts
        self.append("record", user=user, fact=texts[0].fact, version=0, time=time)
        self._contradict(kind, texts[0], time)
        self.append("ready")
        return texts

    def _copy_and_delete(self, texts: Sequence[_Text]) -> None:
        """Tell another user what one was told, delete it for that one, and look for the copy.

        It is deleted by its id, and once more with all texts of its user.
        """
        for kind in ("delete", "delete-user"):
            last = self._changeable(texts)[-1:]
            users = (*self.users, *USERS) if self.abilities.by_user else self.users
            others = [user for user in users if last and user != last[0].user]
            if not others or kind not in self.abilities.kinds:
                continue
            if copy := self._copy(last[0], others[0]):
                self.append("ready")
                if kind == "delete":
                    self._delete(last)
                else:
                    self._delete_user(last[0].user)
                # What was not deleted is fed again, as by an import: nothing else may return.
                for text in self._changeable(texts)[:1]:
                    self._tell(text)
                self.append("ready")
                self._search(copy, copy.user, None, is_exact=False)
                for text in [each for each in texts if each.user == last[0].user][:_LOOKED_UP]:
                    if not text.is_live:
                        self._search(text, text.user, None, is_exact=False)

    def _changeable(self, texts: Sequence[_Text]) -> list[_Text]:
        """Return the texts that are there, and can be changed by their ids."""
        return [text for text in texts if text.is_live and not text.is_fixed]

    def _append(self, *operations: Operation) -> Composer:
        """Append the operations that the memory has, as far as it can carry them out.

        What one client does has a step for each operation; what several do has one step for all.
        """
        for operation in operations:
            fitting = self.abilities.fit(operation)
            if fitting is None:
                continue
            if self._client == 0:
                self._step += 1
            numbered = replace(fitting, step=self._step, client=max(self._client, 1))
            self._operations.append(numbered)
        return self

    def _append_bulk(self, bulk: BulkDraw, user: str | None, texts: Sequence[_Text]) -> None:
        """Append what is done about several texts of a user, some at a time."""
        many = {"count": len(texts), "clients": min(bulk.clients, len(texts))}
        match bulk.kind:
            case "update":
                self._update(texts, TIMES[0], **many)
            case "delete":
                self._delete(texts, **many)
            case _:
                is_search = bulk.kind == "search"
                depth = _DEEPEST if is_search else None
                for _ in range(bulk.rounds if is_search else 1):
                    self.append(bulk.kind, user=user, fact=texts[0].fact, k=depth, **many)

    def _pick(self, place: int, is_live: bool | None = None) -> _Text | None:
        """Return the text at a place, which begins again after the last; None if there is none.

        If ``is_live`` is given, only texts that can be changed count: the live or the deleted ones.
        """
        texts = self._texts
        if is_live is not None:
            texts = [text for text in texts if text.is_live == is_live and not text.is_fixed]
        return texts[place % len(texts)] if texts else None

    def _add(self, user: str | None, time: datetime, **many: int) -> None:
        """Add a new text; ``many`` may say how many instead, and how many clients at a time."""
        fact, count = self._facts, many.get("count", 1)
        self._facts += count
        self._texts += [_Text(fact + n, user, time, time) for n in range(count)]
        self.append("add", user=user, fact=fact, version=0, time=time, **many)

    def _tell(self, text: _Text) -> None:
        """Add a text once more, as it is now."""
        self.append("add", user=text.user, fact=text.fact, version=text.version, time=text.time)

    def _paraphrase(self, text: _Text, time: datetime) -> None:
        """Tell in other words what a text says, once more or anew."""
        if not text.is_live:  # What is deleted or taken back is settled, so that this comes later.
            self.append("ready")
        text.is_live, text.time = True, max(text.time, time)
        self.append(
            "paraphrase", user=text.user, fact=text.fact, version=text.version, time=text.time
        )

    def _copy(self, text: _Text, user: str | None) -> _Text | None:
        """Add a text for another user and return it; None if that user was told of its fact."""
        if any(each.fact == text.fact and each.user == user for each in self._texts):
            return None
        copy = replace(text, user=user)
        self._texts.append(copy)
        self._tell(copy)
        return copy

    def _contradict(self, kind: str, text: _Text, time: datetime) -> None:
        """Tell that another value holds instead of a text's, or none."""
        next_version = text.version + 1 if kind in ("replace", "correct") else text.version
        if next_version >= VersionedFacts.VERSIONS:
            return
        if kind == "bound" and (text.time >= BOUND or kind not in self.abilities.kinds):
            return
        text.is_fixed = True
        text.version = next_version
        if kind != "bound":  # What is bounded was told to hold before.
            text.time = max(text.time, time)
        text.is_live = kind != "retract"
        version = None if kind == "retract" else text.version
        # What was told before is settled, so that all know which is the later one.
        self.append("ready")
        self.append(kind, user=text.user, fact=text.fact, version=version, time=text.time)

    def _maintain(self) -> None:
        """Let the memory do its background work, and wait for that."""
        self.append("maintain").append("ready")

    def _update(self, texts: Sequence[_Text], time: datetime, **many: int) -> None:
        """Give texts of a user a value that none of them had, unless there is no more."""
        version = 1 + max(text.version for text in texts)
        if version >= VersionedFacts.VERSIONS:
            return
        for text in texts:
            text.version = version
            if "update" in self.abilities.timed:
                text.time = max(text.time, time)
        first = texts[0]
        self.append(
            "update",
            user=first.user, fact=first.fact, version=version, time=first.time, **many,
        )  # fmt: skip

    def _delete(self, texts: Sequence[_Text], **many: int) -> None:
        """Delete texts of a user."""
        for text in texts:
            text.is_live = False
        self.append("delete", user=texts[0].user, fact=texts[0].fact, **many)

    def _delete_user(self, user: str | None) -> None:
        """Delete all texts of a user."""
        self.append("delete-user", user=user)
        for text in self._texts:
            text.is_live = text.is_live and text.user != user

    def _search(
        self, text: _Text, user: str | None, as_of: datetime | None, is_exact: bool
    ) -> None:
        """Search for a text as a user, if ``is_exact`` for no more results than there are texts."""
        if is_exact and self.abilities.records == 1:
            k = max(1, self._count_live(user))
        else:
            k = max(_DEEP, 2 * len(self._texts))
        self.append("search", user=user, fact=text.fact, time=as_of, k=k)

    def _search_again(self, place: int, user: str | None) -> None:
        """Make one of the latest searches again, if a user is given as that user."""
        searches = [each for each in self._operations if each.op == "search"]
        if recent := searches[-_REPEATABLE:]:
            search = recent[-1 - place % len(recent)]
            k = max(self._count_live(search.user), search.k or 1)
            self._append(replace(search, user=user or search.user, k=k))

    def _count_live(self, user: str | None) -> int:
        """Return how many texts of a user are there."""
        return sum(1 for text in self._texts if text.is_live and text.user == user)
