"""What was deleted comes back, is still told in other words, or takes another's copy along."""

from collections.abc import Sequence

from tests.stressing.correct import Found, Held, Text, Time, User


class ResurrectedFromLog(Held):
    """Maintenance reads the log of all that was added and stores what is missing. Deletions are not
    in that log, since it was made for crashes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Text] = []

    def _store(self, one: Text) -> None:
        if one.id not in self.texts:
            self.log.append(one)
        super()._store(one)

    def maintain(self) -> None:
        with self.lock:
            for one in self.log:
                self.texts.setdefault(one.id, one)


class ResurrectedByImport(Held):
    """A text that is told again is taken for an import of the whole conversation. What the user was
    told in it is stored again as far as it is missing, deleted or not.
    """

    def __init__(self) -> None:
        super().__init__()
        self.transcript: list[Text] = []

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.lock:
            heard = [one for one in self.transcript if one.user == user]
            if any(text == one.versions[0].text for one in heard):
                for one in heard:
                    self.texts.setdefault(one.id, one)
        name = super().add(text, time=time, user=user)
        self.transcript.append(self.texts[name])
        return name


class ResurrectedFromBackup(Held):
    """Maintenance takes a store that is smaller than its last backup for damaged, and restores it.
    A deletion makes a store smaller, too.
    """

    backup: dict[str, Text] | None = None

    def maintain(self) -> None:
        with self.lock:
            if self.backup and len(self.texts) < len(self.backup):
                self.texts = {**self.backup, **self.texts}
            self.backup = {**self.texts}


def _in_other_words(text: str) -> str:
    """Return what a text says, not as it says it: `keeper of X: Y`."""
    fact = text.rpartition(". ")[2].rstrip(".").removeprefix("The ")
    return fact.replace(" is ", ": ")


class _Summarizing(Held):
    """It finds a summary for each user beside the texts."""

    def __init__(self) -> None:
        super().__init__()
        self.summaries: dict[User, list[str]] = {}

    def search(self, query: str, k: int, *, time: Time = None, user: User = None) -> Found:
        found = super().search(query, k, time=time, user=user)
        summary = "; ".join(self.summaries.get(user, ()))
        return [*found, summary][:k] if summary and time is None else found

    def update(self, id: str, text: str, *, time: Time = None) -> None:
        with self.lock:
            before = self._get(id)
        super().update(id, text, time=time)
        lines = self.summaries.get(before.user, [])
        for version in before.versions:
            if (old := _in_other_words(version.text)) in lines:
                lines[lines.index(old)] = _in_other_words(text)


class KeptInSummaryOfUser(_Summarizing):
    """A summary that maintenance wrote still tells what was deleted. It is written again only when
    something is added.
    """

    written = 0

    def maintain(self) -> None:
        with self.lock:
            if len(self.texts) > self.written:
                self.written, self.summaries = len(self.texts), {}
                for one in self._all():
                    line = _in_other_words(one.versions[-1].text)
                    self.summaries.setdefault(one.user, []).append(line)


class KeptInSummaryAtOnce(_Summarizing):
    """Each text goes into the summary of its user at once, and never out of it. The summary is a
    text of its own, which knows nothing of the texts that it was made of.
    """

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        name = super().add(text, time=time, user=user)
        self.summaries.setdefault(user, []).append(_in_other_words(text))
        return name


class KeptInSummaryOfSummary(_Summarizing):
    """Maintenance writes a summary from the last one and what is new. So what was in it once is
    handed on, as by a model that is given its own last summary.
    """

    def maintain(self) -> None:
        with self.lock:
            for one in self._all():
                lines = self.summaries.setdefault(one.user, [])
                if (line := _in_other_words(one.versions[-1].text)) not in lines:
                    lines.append(line)


class CopyDeletedByText(Held):
    """A deletion removes every text of the same words, whosever it is. It looks texts up by a hash
    of their words, and the user is not in it.
    """

    def _remove(self, names: Sequence[str]) -> None:
        words = {self.texts[name].versions[-1].text for name in names}
        same = [one.id for one in self._all() if one.versions[-1].text in words]
        super()._remove(same)


class CopyDeletedWithFirst(Held):
    """What another user was told before is not stored again: both share it, and it goes when the
    first user deletes it. References to it are not counted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.readers: dict[str, set[User]] = {}

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.lock:
            for one in self._all():
                if one.versions[-1].text == text and one.user != user:
                    self.readers.setdefault(one.id, set()).add(user)
                    return one.id
        return super().add(text, time=time, user=user)

    def _of(self, user: User) -> Sequence[Text]:
        shared = [one for one in self._all() if user in self.readers.get(one.id, ())]
        return [*super()._of(user), *shared]


class CopyDeletedWithUser(Held):
    """To delete a user deletes all texts with the words of that user's texts. The vectors that are
    deleted are found by what they are alike to, in the whole index.
    """

    def delete(self, id: str | None = None, *, user: User = None) -> None:
        with self.lock:
            if id is not None:
                return super().delete(id)
            words = {one.versions[-1].text for one in self._of(user)}
            self._remove([one.id for one in self._all() if one.versions[-1].text in words])
        return None
