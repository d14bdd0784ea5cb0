"""The grammar of scores and counts: which numbers of a judge's own words are its verdict.

Three rules find them: the fields of an object, labelled lines, and a reply or a last line that is
nothing but numbers. All that are found must agree.

Numbers are looked for by groups of names, each of which is another way to call the same number:
``("supported", "precision")``. A ``Speech`` is what a judge says itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from mabench.scoring.judge.lines import labels, last_line
from mabench.scoring.judge.phrases import StatedVerdict, said_by
from mabench.scoring.judge.speech import Object, Shown, Speech, speeches

# The names under which a number may be, in fields and labels.
Names = tuple[str, ...]


class Amount(NamedTuple):
    """A number as a judge writes it: ``5``, ``5 of 9``, ``50 %``."""

    value: float
    of: float | None = None  # What it is a part of, if that is said.
    labelled: bool = True  # Whether a name is beside it.
    is_percentage: bool = False  # Whether it is written with a percent sign, as a part of 100.

    @property
    def share(self) -> float | None:
        """The number as a share of what it is a part of; the number itself without that."""
        if self.of is None:
            return self.value
        return self.value / self.of if self.of > 0 else None


_NUMBER = r"(?:\d,\d(?!\d)|\d+(?:\.\d+)?|\.\d+|\u00bd)"
_AMOUNT = re.compile(
    rf"[\s*_`\"'(\[]*(?P<value>[-\u2212]?{_NUMBER})(?P<percent>\s?%)?"
    rf"(?:[\s*_`(]*(?:/|out of|of)\s*(?P<of>{_NUMBER}))?(?P<rest>.*)",
    re.DOTALL,
)
# What makes it another number, or leaves it open: "1 or 0.5", "0.5-1", "1/2/3".
_OTHER_NUMBER_BEHIND = re.compile(
    r"[*_`]*\s*(?:or\b|and\b|to\b|[-\u2013\u2014,:/]\s*\d|%|/)|[\w.]\w", re.I
)
_WORD_BEHIND = re.compile(r"[*_`]*\s*(?!points?\b)\w", re.IGNORECASE)
_DIGIT = re.compile(r"[\d\u00bd]")
_NOTHING_BEHIND = re.compile(r"[\s.!)\]}*_`\"']*")
_PAIR_OF_NUMBERS = re.compile(r"\W*(\d+)\s*(?:/|out of|of|,)\s*(\d+)[\s.!)\]*_`]*")
_LARGEST_COUNT = 1e15  # No count is larger.
_CALLED_FINAL = re.compile(r"^(?:(?:my|the) )?(?:final|overall|total) ")

_T = TypeVar("_T")


def read_numbers(
    reply: str,
    shown: Shown,
    names: Sequence[Names],
    meant: Callable[..., _T | None],
    *,
    words: bool = False,
) -> _T | None:
    """Return what the numbers of a reply mean: one number for each group of alternative names.

    ``meant`` is called with an ``Amount`` for each group, and returns what they mean, or None.
    With ``words``, a yes beside a name is 1 and a no is 0. All places that have such numbers must
    mean the same; else, and where there are none, the result is None.
    """
    amount_in = _amount_or_word if words else amount_of
    results = set[_T | None]()
    for speech in speeches(reply, shown):
        for rule in (_read_fields, _read_labels, _read_alone):
            for amounts in rule(speech, names, amount_in):
                results.add(meant(*amounts) if amounts else None)
    return results.pop() if len(results) == 1 else None


# What a rule finds at one place: an amount for each group; None if one of them cannot be read.
_Amounts = tuple[Amount, ...] | None
_AmountIn = Callable[[object], Amount | None]


def _read_fields(
    speech: Speech, names: Sequence[Names], amount_in: _AmountIn
) -> Iterator[_Amounts]:
    """Fields: ``{"score": 1}``, but not ``{"reason": "1 of 2"}``."""
    found = [held for one in speech.objects if (held := _find_values(one, names))]
    if speech.ends_with_object:
        found = found[-1:]  # Others were corrected by it.
    for values in found:
        yield _all_or_none([*map(amount_in, values)])


def _all_or_none(amounts: Sequence[Amount | None]) -> _Amounts:
    """Return the amounts of all groups; None if one of them cannot be read."""
    known = [amount for amount in amounts if amount is not None]
    return tuple(known) if len(known) == len(amounts) else None


def _find_values(fields: Object, names: Sequence[Names]) -> list[object]:
    """Return the values of an object for every group of names; an empty list if one has none.

    An object in it may have them all: ``{"result": {"score": 1}}``.
    """
    values = list[object]()
    for group in names:
        known = [name for name in group if name in fields]
        if known:
            values.append(fields[known[0]])
    if len(values) == len(names):
        return values
    for value in fields.values():
        if isinstance(value, dict) and (values_within := _find_values(value, names)):
            return values_within
    return []


def _read_labels(
    speech: Speech, names: Sequence[Names], amount_in: _AmountIn
) -> Iterator[_Amounts]:
    """Labelled lines: ``Score: 1/1``, but not ``Score for item 2: 1``, nor one that is shown.

    Of several groups each must have one number, however often it is written. A label of the first
    group alone may have the number of the second, too: ``Supported: 5 of 9``.
    """
    groups = [_select_numbers(speech, group, amount_in) for group in names]
    if len(groups) == 1:
        for amount in groups[0]:
            yield _all_or_none([amount])
    elif all(len(set(group)) == 1 for group in groups):
        yield _all_or_none([group[0] for group in groups])
    elif not any(groups[1:]):
        for amount in groups[0]:
            if amount and amount.of is not None:
                # As two counts, a percentage is so many of 100.
                yield Amount(amount.value), Amount(amount.of)


def _select_numbers(speech: Speech, group: Names, amount_in: _AmountIn) -> list[Amount | None]:
    """Return the numbers of the labels with these names, None for one that cannot be read.

    Where some are called final, overall or total, only those are returned. A label without any
    digit or readable word has no number.
    """
    final, others = list[Amount | None](), list[Amount | None]()
    for label in labels(speech):
        name = label.name.casefold()
        plain_name = _CALLED_FINAL.sub("", name)
        amount = amount_in(label.value)
        if plain_name.replace(" ", "_") in group and (amount or _DIGIT.search(label.value)):
            (others if plain_name == name else final).append(amount)
    return final or others


def _read_alone(speech: Speech, names: Sequence[Names], _: _AmountIn) -> Iterator[_Amounts]:
    """A last line that is nothing but numbers: ``0.5`` or ``5 of 9``, but not ``1 thing``."""
    line = last_line(speech) or ""
    if len(names) == 1:
        amount = amount_of(line, alone=True)
        if amount:
            yield (amount._replace(labelled=False),)
    elif pair := _PAIR_OF_NUMBERS.fullmatch(line):
        yield Amount(float(pair[1]), labelled=False), Amount(float(pair[2]), labelled=False)


def _amount_or_word(value: object) -> Amount | None:
    """Return the number that a value is, or begins with; a yes is 1 and a no is 0."""
    said = said_by(value) if isinstance(value, str) else None
    if said in (StatedVerdict.YES, StatedVerdict.NO):
        return Amount(float(said is StatedVerdict.YES))
    return amount_of(value)


def amount_of(value: object, *, alone: bool = False) -> Amount | None:
    """Return the number that a value is, or that a text begins with; None without one.

    None, too, if what follows leaves the number open (``1 or 0.5``) or is counted by it
    (``1 thing``). With ``alone``, nothing else may be said.
    """
    if isinstance(value, bool):
        return Amount(float(value), of=1.0)
    if isinstance(value, int | float):
        return Amount(float(value)) if abs(value) < _LARGEST_COUNT else None
    found = _AMOUNT.match(value) if isinstance(value, str) else None
    if found is None or (alone and not _NOTHING_BEHIND.fullmatch(found["rest"])):
        return None
    counts_something = not found["of"] and _WORD_BEHIND.match(found["rest"])
    if counts_something or _OTHER_NUMBER_BEHIND.match(found["rest"]):
        return None
    number = _number(found["value"])
    if found["percent"]:
        return Amount(number, of=100.0, is_percentage=True)
    return Amount(number, of=_number(found["of"]) if found["of"] else None)


def _number(digits: str) -> float:
    """Return a number as it is written: with a decimal comma, a typographic minus, or as a half."""
    plain = digits.replace(",", ".").replace("\u2212", "-").replace("\u00bd", "0.5")
    return float(plain)
