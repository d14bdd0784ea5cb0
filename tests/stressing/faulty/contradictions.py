"""What was replaced, corrected or taken back is still told, or lost, against a promise."""

from collections.abc import Sequence
from datetime import datetime

from tests.stressing.correct import Found, Held, Resolving, Text, Time, User, Version


class _AddsBoth(Resolving):
    """What begins in some way is stored as any other text."""

    beginning = ""

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        kind = Held if text.startswith(self.beginning) else Resolving
        return kind.add(self, text, time=time, user=user)


class ReplacementIgnoredAlways(_AddsBoth):
    """A new value stands beside the old one. Extraction adds facts, and a similarity below the
    threshold keeps both.
    """

    beginning = "From now on"


class ReplacementIgnoredOfSecond(Resolving):
    """Of a text that was told twice, only one is replaced. A query for the old record takes the
    best match alone.
    """

    def _correct(self, same: Sequence[Text], time: Time, text: str) -> None:
        replaces = text.startswith("From now on")
        super()._correct(same[:1] if replaces else same, time, text)


class ReplacementIgnoredWhenListed(Resolving):
    """A list shows old values beside new ones. It is made from the log, and the search from the
    index.
    """

    def list(self, *, user: User = None) -> Found:
        return [version.text for one in self._of(user) for version in one.versions]


class CorrectionIgnoredAlways(_AddsBoth):
    """A correction stands beside what was wrong. It is phrased as an opinion, and extraction takes
    it for another fact.
    """

    beginning = "I was wrong"


class CorrectionIgnoredByMaintenance(Resolving):
    """Maintenance stores what was wrong again. It extracts facts anew from the conversation, which
    holds the wrong sentence first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.wrong: dict[str, Text] = {}

    def _correct(self, same: Sequence[Text], time: Time, text: str) -> None:
        if text.startswith("I was wrong"):
            self.wrong |= {f"{one.id} again": one for one in same}
        super()._correct(same, time, text)

    def maintain(self) -> None:
        with self.lock:
            self.texts |= self.wrong


class CorrectionIgnoredOfLong(Resolving):
    """Long texts are never corrected. They were split, and the part that holds the fact does not
    begin with what it is about.
    """

    def _correct(self, same: Sequence[Text], time: Time, text: str) -> None:
        corrects = text.startswith("I was wrong")
        if corrects and any(len(one.versions[-1].text) > 100 for one in same):
            self._store(
                Text(f"{same[0].id} {len(self.texts)}", same[0].user, (Version(time, text),))
            )
        else:
            super()._correct(same, time, text)


class RetractionIgnoredAlways(_AddsBoth):
    """What is taken back is still told. A retraction has no value, and extraction finds no fact in
    it.
    """

    beginning = "I take back"


class RetractionIgnoredOfSecond(Resolving):
    """Of a text that was told twice, one is left when it is taken back. The deletion stops at the
    first match.
    """

    def _take_back(self, same: Sequence[Text]) -> None:
        super()._take_back(same[:1])


class RetractionIgnoredByMaintenance(Resolving):
    """Maintenance brings back what was taken back. A consolidation reads the old sentences, and a
    sentence that takes back is none of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.taken_back: list[Text] = []

    def _take_back(self, same: Sequence[Text]) -> None:
        self.taken_back += same
        super()._take_back(same)

    def maintain(self) -> None:
        with self.lock:
            self.texts |= {one.id: one for one in self.taken_back}


class RecordLostByReplacement(Resolving):
    """A new value removes the old record and is not stored itself. The write of the second step
    fails on the id of the first, and nobody looks.
    """

    def _correct(self, same: Sequence[Text], time: Time, text: str) -> None:
        if text.startswith("From now on"):
            self._remove([one.id for one in same])
        else:
            super()._correct(same, time, text)


class RecordLostByCorrection(Resolving):
    """A correction removes what was wrong, and is taken for a remark. Only sentences in the form of
    facts are stored.
    """

    def _correct(self, same: Sequence[Text], time: Time, text: str) -> None:
        if text.startswith("I was wrong"):
            self._remove([one.id for one in same])
        else:
            super()._correct(same, time, text)


class RecordLostByMaintenance(Resolving):
    """Maintenance drops what was replaced or corrected, new value and all. It takes records with
    several versions, or other words, for conflicts that are settled.
    """

    def maintain(self) -> None:
        with self.lock:
            self._remove(
                [
                    one.id
                    for one in self._all()
                    if one.versions[-1].text.startswith(("From now on", "I was wrong"))
                ]
            )


class RecordLostWithPart(Resolving):
    """A sentence with two facts is one record, and a new value for one of them replaces it. So the
    other fact is gone, which nobody contradicted.
    """

    def _split(self, text: str) -> Sequence[str]:
        return [text]


class RecordLostWithRetractedPart(Resolving):
    """What was told in one sentence goes when a part of it is taken back. The facts know the
    message that they are from, and that is what is deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Sequence[str]] = []

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        before = {*self.texts}
        name = super().add(text, time=time, user=user)
        if len(self._split(text)) > 1:
            self.messages.append([each for each in self.texts if each not in before])
        return name

    def _take_back(self, same: Sequence[Text]) -> None:
        named = {one.id for one in same}
        for message in self.messages:
            if named & {*message}:
                named |= {*message} & self.texts.keys()
        self._remove([*named])


class NotBoundedAlways(Resolving):
    """The date until which something holds is read, and never looked at. Dates are metadata of the
    record, and the search as of a time knows one column alone.
    """

    def _version(self, one: Text, time: Time) -> Version | None:
        return Held._version(self, one, time)


class NotBoundedBesides(Resolving):
    """What is bounded stands beside what was told without a bound. Extraction takes it for a fact
    of its own.
    """

    def add(self, text: str, *, time: Time = None, user: User = None) -> str:
        kind = Held if " only until " in text else Resolving
        return kind.add(self, text, time=time, user=user)


class NotBoundedAtOnce(Resolving):
    """What is bounded is gone at once, for the time before as well. The date is taken for that of
    an expiry, and what is expired is deleted.
    """

    def _bound(self, same: Sequence[Text], until: datetime) -> None:
        self._remove([one.id for one in same])
