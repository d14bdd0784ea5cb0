"""Verdicts of language-model judges: read from a reply, and turned into scores.

What is read is what a judge says itself (``judge.speech``), by the grammar of yes and no
(``judge.verdicts``) or that of numbers (``judge.numbers``). Each reader takes the texts that the
judge was ``shown``, so that nothing in an answer decides on it. What cannot be read with certainty
is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mabench.scoring.judge.lines import last_line
from mabench.scoring.judge.numbers import Amount, Names, read_numbers
from mabench.scoring.judge.phrases import StatedVerdict
from mabench.scoring.judge.speech import Shown, speeches
from mabench.scoring.judge.verdicts import verdict_of

_SCORE_NAMES = ("score", "rating", "grade", "points", "value", "final_score")
_HALVES_BY_SCORE = {0.0: 0, 0.5: 1, 1.0: 2}  # How many halves each score of a line is.
# "Order: [2, 0, 1]", or the list alone.
_LIST_OF_NUMBERS = re.compile(
    r"\W{0,9}(?:order[*_ ]*[:=][*_ ]*)?\[((?:\s*\d{1,4}\s*,)*+\s*(?:\d{1,4}\s*)?)\][\s.*_`]*",
    re.IGNORECASE,
)


def yes_or_no(reply: str, shown: Sequence[str] = ()) -> bool | None:
    """Return the verdict of a reply; None if it gives none, or leaves it open.

    Unlike the published reader, which takes any reply with the letters ``yes`` in it for a yes.
    """
    verdicts = {verdict_of(speech) for speech in speeches(reply, Shown(shown))} - {None}
    if verdicts == {StatedVerdict.YES}:
        return True
    return False if verdicts == {StatedVerdict.NO} else None


def says_yes(reply: str) -> bool:
    """Return whether the letters ``yes`` are in a reply, as the published reader takes it."""
    return "yes" in reply.lower()


def flag(reply: str, names: Names, shown: Sequence[str] = ()) -> int | None:
    """Return 1 or 0 as a reply says by a number, or else by a word; more than 1 is 1.

    ``names`` are those under which the number may be. None if the reply says neither, or leaves it
    open.
    """

    def meant(amount: Amount) -> int | None:
        return min(1, _count(amount)) if amount.value.is_integer() else None

    number = read_numbers(reply, Shown(shown), [names], meant, words=True)
    if number is not None:
        return number
    verdict = yes_or_no(reply, shown)
    return None if verdict is None else int(verdict)


def counts(reply: str, *names: Names, shown: Sequence[str] = ()) -> tuple[int, ...] | None:
    """Return the numbers in a judge's reply, one for each group of alternative names.

    A number below 0 becomes 0. The result is None if a number is missing, has a fraction or is a
    percentage. What the judge was ``shown`` and only repeats does not count.
    """

    def meant(*amounts: Amount) -> tuple[int, ...] | None:
        are_counts = all(
            amount.value.is_integer() and not amount.is_percentage for amount in amounts
        )
        return tuple(map(_count, amounts)) if are_counts else None

    return read_numbers(reply, Shown(shown), names, meant)


def _count(amount: Amount) -> int:
    return max(0, int(amount.value))


def line_verdict(reply: str, shown: Sequence[str] = ()) -> int | None:
    """Return the halves, 0, 1 or 2, that a reply gives a line: 0, 0.5 or 1 (BEAM).

    ``Score: 1/2`` is a half; without a label, a number can only be of 1, since ``1/2`` alone may
    be anything. None for any other score.
    """

    def meant(amount: Amount) -> int | None:
        is_score = amount.labelled or amount.of in (None, 1)
        return _HALVES_BY_SCORE.get(amount.share) if is_score and amount.share is not None else None

    return read_numbers(reply, Shown(shown), [_SCORE_NAMES], meant)


def order_verdict(reply: str, lines: int, shown: Sequence[str] = ()) -> list[int] | None:
    """Return the line of a rubric, from 1, that each item of an answer is; 0 for none (BEAM).

    They are the field ``order`` of the last object that has one, or a list that is all of the last
    line. An item that is said to be the same line as one before it is none. The result is None
    where there is no list of numbers from 0 to ``lines``, or where two lists differ.
    """
    orders = list[object]()
    for speech in speeches(reply, Shown(shown)):
        orders += [fields["order"] for fields in speech.objects if "order" in fields][-1:]
        if listed := _LIST_OF_NUMBERS.fullmatch(last_line(speech) or ""):
            orders.append([int(number) for number in re.findall(r"\d+", listed[1])])
    is_one_order = bool(orders) and all(order == orders[0] for order in orders)
    order = orders[0] if is_one_order else None
    if not isinstance(order, list):
        return None
    if not all(type(line) is int and 0 <= line <= lines for line in order):  # No booleans.
        return None
    return [0 if line in order[:place] else line for place, line in enumerate(order)]


def order_score(places: Sequence[int], items: int) -> float:
    """Return how well an answer keeps the order of a rubric's lines, from 0 to 1 (BEAM).

    It is (tau-b + 1) / 2, with Kendall's rank correlation tau-b (1945). ``places`` has for each
    line the place, from 1, of its item among the ``items`` of the answer; 0 for none. Lines that
    the answer does not tell are tied last in the answer, and items that are no line are tied last
    in the rubric; an empty answer is one such item.
    """
    from scipy.stats import kendalltau

    items = max(items, 1)
    other_items = [place for place in range(1, items + 1) if place not in places]
    # The ranks of every line, and of every other item, in the rubric and in the answer.
    in_rubric = [*range(1, len(places) + 1)] + [len(places) + 1] * len(other_items)
    in_answer = [place or items + 1 for place in places] + other_items
    if len(in_rubric) == 1:
        return 1.0  # One line, and nothing else is told: tau-b is not defined.
    return (float(kendalltau(in_rubric, in_answer, variant="b").statistic) + 1) / 2


def summary_score(fluent: int, found: int, keypoints: int, supported: int, sentences: int) -> float:
    """Return fluency times F1, the published score of a summary (arXiv 2507.05257), from 0 to 1.

    ``found`` of the key points are in it, and ``supported`` of its sentences in the reference.
    Numbers are brought within what is possible, and without key points or sentences it is 0.
    """
    recall, precision = _share(found, of=keypoints), _share(supported, of=sentences)
    if recall + precision == 0:
        return 0.0
    return min(max(fluent, 0), 1) * 2 * precision * recall / (precision + recall)


def _share(part: int, *, of: int) -> float:
    """Return what share of a number a part is, at least 0 and at most 1; 0 of nothing."""
    return min(max(part, 0), of) / of if of > 0 else 0.0


def cohens_kappa(one: list[int], other: list[int]) -> float | None:
    """Return how far two judges agree on the same answers beyond chance: Cohen's kappa, -1 to 1.

    None when there are no verdicts, or when both judges always say the same one thing, so that
    chance alone would make them agree.
    """
    n = len(one)
    if n == 0:
        return None
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    by_chance = sum(one.count(v) * other.count(v) for v in {*one, *other}) / n**2
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)
