"""The skill: labels texts as labelled texts were shown."""

from __future__ import annotations

from mabench.agents.floor.labels.demonstrations import demonstrations_in
from mabench.agents.floor.labels.classifier import Classifier
from mabench.agents.floor.skill import History
from mabench.contract.interfaces import Answer, Query


class Demonstrations:
    """Answers with the bare value of the label that the text in question should have."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    def answer(self, query: Query) -> Answer:
        """Label ``query.question``."""
        return Answer(self._classifier.value(query.question))


def learn(history: History) -> Demonstrations | None:
    """Learn from the demonstrations in ``history``; None when it does not consist of such."""
    shown = demonstrations_in(history.text)
    return Demonstrations(Classifier(shown, history.embedder)) if shown else None
