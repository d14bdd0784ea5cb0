"""The skill that finds labelled texts in a history, and labels other texts like them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from mabench.contract.interfaces import Answer, Query
from mabench.installation import import_lock
from mabench_floor.labels.features import Demonstration, word_features
from mabench_floor.skill import History

_NAME = re.compile(r"(?<!\S)([^\W\d]\w{0,20}):[ \t]*(?=\S)")
_FEWEST = 8
# Words of the longest value; a longer line holds more than a value.
_LONGEST_VALUE = 4
# Words of the text of an example, usually.
_LONGEST_TEXT = 100
_MOSTLY = 0.9
# The largest number of different values, as a share of the examples.
_RECUR = 0.5
_NEAREST = 100
# Added to the number of features of a text, so that very short texts are not the nearest.
_SHORT = 5


class LabelSkill:
    """Answers with only the value of the label for the text in question."""

    def __init__(self, value: Callable[[str], str]) -> None:
        self._value = value

    def answer(self, query: Query) -> Answer:
        """Return the label of ``query.question``."""
        return Answer(self._value(query.question))


def nearest(text: str, demonstrations: Sequence[Demonstration]) -> list[Demonstration]:
    """Return the 100 examples that are most similar to a text, the nearest first.

    They share words, stems and pairs of neighbours with it, weighted by rarity as in BM25; the sum
    is divided by the square root of the example's length.
    """
    features = _features(text)
    shared = [_features(example.text) & features for example in demonstrations]
    counts = Counter(feature for own in shared for feature in own)
    size = len(demonstrations)
    rarity = {f: math.log1p((size - n + 0.5) / (n + 0.5)) for f, n in counts.items()}

    def nearness(place: int) -> float:
        length = len(_features(demonstrations[place].text)) + _SHORT
        return math.fsum(rarity[feature] for feature in shared[place]) / math.sqrt(length)

    places = sorted(range(size), key=nearness, reverse=True)
    return [demonstrations[place] for place in places[:_NEAREST]]


@lru_cache(maxsize=20_000)
def _features(text: str) -> frozenset[str]:
    return frozenset(word_features(text))


def demonstrations_in(text: str) -> list[Demonstration]:
    """Return the labelled examples that make up a text; empty if it does not.

    The name of the label is what precedes a colon most often; its values recur. A value ends with
    its line; if line breaks were lost, it is a number.
    """
    names = Counter(_NAME.findall(text)).most_common(1)
    if not names:
        return []
    [(name, count)] = names
    if count < _FEWEST:
        return []
    label = re.compile(rf"(?<!\S){name}:[ \t]*(?=\S)")
    text_of_next, *pieces = label.split(text)
    with_break = [piece for piece in pieces if "\n" in piece]
    in_lines = len(with_break) > len(pieces) / 2
    shown = []
    for piece in pieces:
        words = text_of_next.split()
        value, text_of_next = _value_and_next(piece, in_lines=in_lines)
        if value and words:
            shown.append(Demonstration(" ".join(words), value))
    # Nearly all labels have a short text and a value, and the values recur.
    short = [example for example in shown if len(example.text.split()) <= _LONGEST_TEXT]
    values = {example.value for example in shown}
    is_usual = len(short) >= _MOSTLY * len(pieces) and len(values) <= _RECUR * len(shown)
    return shown if is_usual else []


def _value_and_next(piece: str, *, in_lines: bool) -> tuple[str, str]:
    """Split what follows the name of a label into its value and the next example's text.

    The value is "" if a line is too long for a value and does not begin with a number.
    """
    line, _, following = piece.partition("\n")
    if in_lines and len(line.split()) <= _LONGEST_VALUE:
        return line.strip(), following
    first, *rest = piece.split(maxsplit=1) or ("",)
    if not first.isdigit():
        return "", piece
    return first, rest[0] if rest else ""


def learn(history: History) -> LabelSkill | None:
    """Learn from the labelled examples in a history; None if it does not consist of them.

    If the history is passages found for a question, only the 100 nearest examples are used. A
    support vector machine over neighbours (Zhang and others, 2006, SVM-KNN) takes hundredths of a
    second, and one over all examples takes seconds.
    """
    shown = demonstrations_in(history.text)
    if not shown:
        return None
    with import_lock:  # Takes scikit-learn, which is slow to import.
        from mabench_floor.labels.classifier import Classifier

    if history.passages:
        return LabelSkill(lambda text: Classifier(nearest(text, shown), tuned=False).value(text))
    return LabelSkill(Classifier(shown, history.embedder).value)
