"""What is told once more in other words is taken for something else than the same fact."""

from collections.abc import Sequence

from tests.stressing.correct import Found, Held, Text, Time, User, Version, thing


def _is_paraphrase(text: str) -> bool:
    return text.startswith("It is ")


class ParaphraseMistakenForSecondValue(Held):
    """Other words for a fact are kept in its record as a second value, which no update changes. So
    the old value is found again. An update writes the field of the text, and the other words are in
    a field for synonyms.
    """

    def __init__(self) -> None:
        super().__init__()
        self.synonyms: dict[str, Version] = {}

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.lock:
            for one in self._of(user) if _is_paraphrase(text) else ():
                if thing(one.versions[-1].text) == thing(text):
                    self.synonyms[one.id] = Version(time, text)
                    return one.id
        return super().add(text, time=time, user=user)

    def _texts_at(self, time: Time, user: User) -> Found:
        others = [self.synonyms[one.id] for one in self._of(user) if one.id in self.synonyms]
        held = [each.text for each in others if not (time and each.time and each.time > time)]
        return [*super()._texts_at(time, user), *held]


class ParaphraseMistakenForOtherSubject(Held):
    """A sentence that begins with `It` is stored as a new value of what was told last, which is
    lost. The pronoun is resolved to the subject of the message before.
    """

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        with self.lock:
            own = self._of(user)
            if own and _is_paraphrase(text):
                self._store(own[-1].changed(time, text))
                return own[-1].id
        return super().add(text, time=time, user=user)


class ParaphraseMistakenForLeftover(Held):
    """What was deleted is not stored when it is told anew in other words. A filter holds back what
    background work might bring back, and lets pass only what is word for word from the user.
    """

    def __init__(self) -> None:
        super().__init__()
        self.deleted: set[tuple[User, str]] = set()

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        if _is_paraphrase(text) and (user, thing(text)) in self.deleted:
            return ""
        return super().add(text, time=time, user=user)

    def _remove(self, names: Sequence[str]) -> None:
        gone = [self.texts[name] for name in names]
        self.deleted |= {(one.user, thing(one.versions[-1].text)) for one in gone}
        super()._remove(names)


class ParaphraseMistakenByMaintenance(Held):
    """Maintenance merges records that say the same, and the merged one has the value that was told
    first. It is written anew from the conversation, where an update is not.
    """

    def maintain(self) -> None:
        with self.lock:
            first: dict[tuple[User, str], Text] = {}
            for one in self._all():
                said = one.versions[-1].text
                kept = first.setdefault((one.user, thing(said)), one)
                if kept is not one and said != kept.versions[-1].text:
                    self._remove([one.id])
                    self._store(Text(kept.id, kept.user, kept.versions[:1]))
