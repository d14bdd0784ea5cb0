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
_HALVES = {0.0: 0, 0.5: 1, 1.0: 2}
_LIST = re.compile(
    r"\W{0,9}(?:order[*_ ]*[:=][*_ ]*)?\[((?:\s*\d{1,4}\s*,)*+\s*(?:\d{1,4}\s*)?)\][\s.*_`]*",
    re.IGNORECASE,
)


def yes_or_no(reply: str, shown: Sequence[str] = ()) -> bool | None:
    """Return the verdict of a reply; None if it gives none, or leaves it open.

    Unlike the published reader, which takes any reply with the letters ``yes`` in it for a yes.
    """
    said = {verdict_of(speech) for speech in speeches(reply, Shown(shown))} - {None}
    return (
        said == {StatedVerdict.YES} if said in ({StatedVerdict.YES}, {StatedVerdict.NO}) else None
    )


def says_yes(reply: str) -> bool:
    """Return whether the letters ``yes`` are in a reply, as the published reader takes it."""
    return "yes" in reply.lower()


def flag(reply: str, names: Names, shown: Sequence[str] = ()) -> int | None:
    """Return 1 or 0 as a reply says by a number, or else by a word; more than 1 is 1."""

    def meant(amount: Amount) -> int | None:
        return min(1, _count(amount)) if amount.value.is_integer() else None

    number = read_numbers(reply, Shown(shown), [names], meant, words=True)
    said = yes_or_no(reply, shown) if number is None else None
    return number if said is None else int(said)


def counts(reply: str, *names: Names, shown: Sequence[str] = ()) -> tuple[int, ...] | None:
    """Return the numbers in a judge's reply, one for each group of alternative names.

    A number below 0 becomes 0. The result is None if a number is missing or has a fraction. What
    the judge was ``shown`` and only repeats does not count.
    """

    def meant(*amounts: Amount) -> tuple[int, ...] | None:
        are_counts = all(amount.value.is_integer() for amount in amounts)
        return tuple(map(_count, amounts)) if are_counts else None

    return read_numbers(reply, Shown(shown), names, meant)


def _count(amount: Amount) -> int:
    return max(0, int(amount.value))


def line_verdict(reply: str, shown: Sequence[str] = ()) -> int | None:
    """Return the halves, 0, 1 or 2, that a reply gives a line: 0, 0.5 or 1 (BEAM).

    ``Score: 1/2`` is a half; without a label, a number can only be of 1.
    """

    def meant(amount: Amount) -> int | None:
        is_of_scale = amount.labelled or amount.of in (None, 1)
        return _HALVES.get(amount.share) if is_of_scale and amount.share is not None else None

    return read_numbers(reply, Shown(shown), [_SCORE_NAMES], meant)


def order_verdict(reply: str, lines: int, shown: Sequence[str] = ()) -> list[int] | None:
    """Return the line of a rubric, from 1, that each item of an answer is; 0 for none (BEAM).

    They are the field ``order`` of the last object that has one, or all that is said in the last
    line; a line counts where it is first. None when there is no such list of numbers from 0 to
    ``lines``.
    """
    orders = list[object]()
    for speech in speeches(reply, Shown(shown)):
        orders += [fields["order"] for fields in speech.objects if "order" in fields][-1:]
        listed = _LIST.fullmatch(last_line(speech) or "")
        orders += [[*map(int, re.findall(r"\d+", listed[1]))]] if listed else []
    order = orders[0] if orders and orders.count(orders[0]) == len(orders) else None
    if not isinstance(order, list):
        return None
    known = [line for line in order if type(line) is int and 0 <= line <= lines]
    if len(known) < len(order):
        return None
    return [0 if line in known[:place] else line for place, line in enumerate(known)]


def order_score(places: Sequence[int], items: int) -> float:
    """Return (tau-b + 1) / 2 of the order in which an answer tells the lines of a rubric.

    Lines that it does not tell are tied last in the answer, and items of the answer that are no
    line are tied last in the rubric (Kendall, 1945); an empty answer is one such item. ``places``
    has for each line the place, from 1, of its item among ``items``; 0 for none.
    """
    from scipy.stats import kendalltau

    items = max(items, 1)
    others = sorted({*range(1, items + 1)} - {*places})
    wanted = [*range(1, len(places) + 1)] + [len(places) + 1] * len(others)
    given = [place or items + 1 for place in places] + others
    if len(wanted) == 1:
        return 1.0  # One line, and nothing else is told: tau-b is not defined.
    return (float(kendalltau(wanted, given, variant="b").statistic) + 1) / 2


def summary_score(fluent: int, found: int, keypoints: int, supported: int, sentences: int) -> float:
    """Return fluency times F1, the published score of a summary (arXiv 2507.05257), from 0 to 1.

    ``found`` of the key points are in it, and ``supported`` of its sentences in the reference.
    Numbers are brought within what is possible, and an empty count gives 0.
    """
    pairs = ((found, keypoints), (supported, sentences))
    recall, precision = (min(max(p, 0), of) / of if of > 0 else 0.0 for p, of in pairs)
    if recall + precision == 0:
        return 0.0
    return min(max(fluent, 0), 1) * 2 * precision * recall / (precision + recall)


def cohens_kappa(one: list[int], other: list[int]) -> float | None:
    """Return how far two judges agree on the same answers beyond chance (Cohen, 1960), -1 to 1.

    None when there are no verdicts, or when both judges always say the same one thing, so that
    chance alone would make them agree.
    """
    n = len(one)
    if n == 0:
        return None
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    by_chance = sum(one.count(v) * other.count(v) for v in {*one, *other}) / n**2
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)
